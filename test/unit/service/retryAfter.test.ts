import { retryAfterMs } from '../../../nodes/OutboundMessaging/service/classifyResponse';
import { words } from '../help';

const NOW = Date.UTC(2024, 0, 31, 12, 0, 0);
const YEAR = 365 * 24 * 3_600_000;

it.each<[string, number]>([
	['120', 120_000],
	['0.0005', 1],
	[' 007.25 ', 7250],
	['Wed, 31 Jan 2024 12:00:30 GMT', 30_000],
	['Wednesday, 31-Jan-24 12:00:30 GMT', 30_000],
	['Wed Jan 31 12:00:30 2024 GMT', 30_000],
	['2024-01-31T12:00:30Z', 30_000],
	// Absurd, but a wait: no longer than what can be measured.
	['9'.repeat(400), YEAR],
	['Fri, 31 Dec 9999 23:59:59 GMT', YEAR],
])('%s: the service asks to wait %i ms', (value, milliseconds) => {
	expect(retryAfterMs(value, NOW)).toBe(milliseconds);
});

it.each([
	...words('0.0 -5 +5 5, 1,5 .5 5. 1e3 0x10 Infinity soon 5s ٥ 2099-01-01 12/31/2099'),
	...[undefined, '  ', '60 seconds', 'Wed, 31 Jan 2024 12:00:00 GMT'],
])('%j is no wait', (value) => expect(retryAfterMs(value, NOW)).toBeUndefined());
