import { retryAfterMs } from '../../../nodes/OutboundMessaging/service/retryAfter';

const NOW = Date.UTC(2024, 0, 31, 12, 0, 0);
const YEAR = 365 * 24 * 3_600_000;

describe('how long the service asks to wait', () => {
	it.each<[string | undefined, number | undefined]>([
		['1', 1000],
		['120', 120_000],
		['0.5', 500],
		['1.25', 1250],
		[' 3 ', 3000],
		['007', 7000],
		['Wed, 31 Jan 2024 12:00:30 GMT', 30_000],
		['Wednesday, 31-Jan-24 12:00:30 GMT', 30_000],
		['Wed Jan 31 12:00:30 2024 GMT', 30_000],
		['2024-01-31T12:00:30Z', 30_000],
		['Thu, 01 Feb 2024 12:00:00 GMT', 86_400_000],
		// Not a wait.
		[undefined, undefined],
		['', undefined],
		['  ', undefined],
		['0', undefined],
		['0.0', undefined],
		['-5', undefined],
		['+5', undefined],
		['5,', undefined],
		['1,5', undefined],
		['.5', undefined],
		['5.', undefined],
		['1e3', undefined],
		['0x10', undefined],
		['NaN', undefined],
		['Infinity', undefined],
		['soon', undefined],
		['60 seconds', undefined],
		['5s', undefined],
		['٥', undefined],
		['2024-01-31', undefined],
		['2099-01-01', undefined],
		['12/31/2099', undefined],
		['Wed, 31 Jan 2024 12:00:00 GMT', undefined],
		['Wed, 31 Jan 2024 11:59:59 GMT', undefined],
		['Thu, 01 Jan 1970 00:00:00 GMT', undefined],
		[`Wed, 31 Jan 2030 12:00:00 GMT${' '.repeat(100)}x`, undefined],
		['x'.repeat(1_000_000), undefined],
		// Absurd, but a wait: no longer than what can be measured.
		['99999999999999999999', YEAR],
		['9'.repeat(400), YEAR],
		['Fri, 31 Dec 9999 23:59:59 GMT', YEAR],
	])('%#: %s', (...row) => {
		const [value, milliseconds] = row;
		expect(retryAfterMs(value, NOW)).toBe(milliseconds);
	});
});
