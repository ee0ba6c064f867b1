import { retryAfterMs } from '../../../nodes/OutboundMessaging/service/retryAfter';
import { words } from '../help';

const NOW = Date.UTC(2024, 0, 31, 12, 0, 0);
const YEAR = 365 * 24 * 3_600_000;

describe('how long the service asks to wait', () => {
	it.each<[string, number]>([
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
		// Absurd, but a wait: no longer than what can be measured.
		['99999999999999999999', YEAR],
		['9'.repeat(400), YEAR],
		['Fri, 31 Dec 9999 23:59:59 GMT', YEAR],
	])('%s: %i ms', (value, milliseconds) => {
		expect(retryAfterMs(value, NOW)).toBe(milliseconds);
	});

	it.each([
		...words('0 0.0 -5 +5 5, 1,5 .5 5. 1e3 0x10 NaN Infinity soon 5s ٥ 2024-01-31 2099-01-01'),
		...[undefined, '', '  ', '60 seconds', '12/31/2099', 'Wed, 31 Jan 2024 12:00:00 GMT'],
		...['Wed, 31 Jan 2024 11:59:59 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT'],
		`Wed, 31 Jan 2030 12:00:00 GMT${' '.repeat(100)}x`,
	])('%j is no wait', (value) => expect(retryAfterMs(value, NOW)).toBeUndefined());
});
