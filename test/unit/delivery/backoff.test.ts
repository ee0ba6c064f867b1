import { backoffMs } from '../../../nodes/OutboundMessaging/delivery/backoff';

describe('the wait when the service names none', () => {
	it.each([
		[1, 1000],
		[2, 2000],
		[3, 4000],
		[7, 64_000],
		[8, 64_000],
		[5000, 64_000],
	])('the %ith: %i ms, and up to a fifth more', (time, milliseconds) => {
		expect(backoffMs(time, 0)).toBe(milliseconds);
		expect(backoffMs(time, 0.5)).toBeCloseTo(milliseconds * 1.1);
		const left = backoffMs(time);
		expect(left).toBeGreaterThanOrEqual(milliseconds);
		expect(left).toBeLessThan(milliseconds * 1.2);
	});

	it('nodes do not march in step', () => {
		expect(new Set(Array.from({ length: 20 }, () => backoffMs(1))).size).toBeGreaterThan(10);
	});
});
