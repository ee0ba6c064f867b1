import { sleep } from 'n8n-workflow';

import { EventLoop } from '../../../nodes/OutboundMessaging/delivery/eventLoop';
import { RateLimiter } from '../../../nodes/OutboundMessaging/delivery/rateLimiter';
import { retryAfterMs } from '../../../nodes/OutboundMessaging/service/retryAfter';

beforeEach(() => {
	jest.useFakeTimers();
});

afterEach(() => {
	jest.useRealTimers();
});

const rateLimiter = (messagesPerSecond = 0, shouldStop = () => false) =>
	new RateLimiter(messagesPerSecond, new EventLoop(), shouldStop);

/** Lets many requests through a limiter, and notes when each of them left. */
function pass(limiter: RateLimiter, count: number, remainingWaitMs = 60_000, hasMetLimit = true) {
	const start = performance.now();
	const times: number[] = [];
	const results: unknown[] = [];
	for (let index = 0; index < count; index++) {
		void limiter.acquire(remainingWaitMs, hasMetLimit).then((result) => {
			results[index] = result;
			times[index] = Math.round(performance.now() - start);
		});
	}
	return { times, results };
}

it('without pacing everything is sent at once', async () => {
	const { times, results } = pass(rateLimiter(), 1000);
	await jest.advanceTimersByTimeAsync(20);
	expect(times).toHaveLength(1000);
	expect(results.every((result) => result === 0)).toBe(true);
});

describe('pacing', () => {
	it.each([
		[10, 100],
		[4, 250],
		[2.5, 400],
		[0.5, 2000],
	])('%d per second: one every %i ms, the first at once', async (perSecond, interval) => {
		const { times, results } = pass(rateLimiter(perSecond), 6);
		await jest.advanceTimersByTimeAsync(interval * 6);
		const gaps = times.slice(1).map((time, index) => time - times[index]);
		expect(times[0]).toBe(0);
		// A late timer is made up for by half a step at most.
		for (const gap of gaps) expect(Math.abs(gap - interval)).toBeLessThanOrEqual(interval / 2);
		expect(times[5]).toBeGreaterThanOrEqual(interval * 4.5);
		expect(times[5]).toBeLessThanOrEqual(interval * 5 + 5);
		expect(results).toEqual([0, 0, 0, 0, 0, 0]);
	});

	it('not more in any second than asked for', async () => {
		const { times } = pass(rateLimiter(50), 200);
		await jest.advanceTimersByTimeAsync(5000);
		expect(times).toHaveLength(200);
		for (const from of times) {
			const within = times.filter((time) => time >= from && time < from + 1000).length;
			expect(within).toBeLessThanOrEqual(51);
		}
		expect(times[199]).toBeLessThan(4200);
	});

	it.each([
		['a little late: made up for', 130, 200],
		['very late: made up for by half a step', 190, 240],
	])('a start that is %s', async (_, late, next) => {
		const delays = [0, late, 0];
		const eventLoop = {
			yieldIfDue: async () => await sleep(delays.shift() ?? 0),
		} as unknown as EventLoop;
		const { times } = pass(new RateLimiter(10, eventLoop, () => false), 3);
		await jest.advanceTimersByTimeAsync(500);
		expect(times).toEqual([0, late, next].map((time) => expect.closeTo(time, -1)));
	});

	it('a long idle time is not made up for by a burst', async () => {
		const limiter = rateLimiter(10);
		pass(limiter, 1);
		await jest.advanceTimersByTimeAsync(10_000);
		const { times } = pass(limiter, 4);
		await jest.advanceTimersByTimeAsync(1000);
		expect(times[3]).toBeGreaterThanOrEqual(250);
	});
});

describe('one pause for many', () => {
	it('all wait until it is over, and tell how long they waited', async () => {
		const limiter = rateLimiter();
		limiter.pauseFor(5000);
		expect(limiter.isPaused()).toBe(true);
		const { times, results } = pass(limiter, 100);
		await jest.advanceTimersByTimeAsync(4999);
		expect(times).toHaveLength(0);
		await jest.advanceTimersByTimeAsync(10);
		expect(times).toHaveLength(100);
		for (const time of times) expect(time).toBeGreaterThanOrEqual(5000);
		for (const result of results) expect(result).toBeCloseTo(5000, 3);
		expect(limiter.isPaused()).toBe(false);
	});

	it('a shorter one does not shorten a longer one', async () => {
		const limiter = rateLimiter();
		limiter.pauseFor(5000);
		limiter.pauseFor(1000);
		const { times } = pass(limiter, 1);
		await jest.advanceTimersByTimeAsync(4900);
		expect(times).toHaveLength(0);
		await jest.advanceTimersByTimeAsync(200);
		expect(times).toHaveLength(1);
	});

	it('a longer one counts only with what it adds', async () => {
		const limiter = rateLimiter();
		limiter.pauseFor(1000);
		const { results } = pass(limiter, 1, 3000);
		await jest.advanceTimersByTimeAsync(500);
		limiter.pauseFor(2500);
		await jest.advanceTimersByTimeAsync(2600);
		expect(results).toEqual([expect.closeTo(3000, 3)]);
	});

	it('time behind an open limiter does not count', async () => {
		const limiter = rateLimiter(1);
		const { results } = pass(limiter, 3, 10);
		await jest.advanceTimersByTimeAsync(3000);
		expect(results).toEqual([0, 0, 0]);
	});

	it('a later request waits only for the rest', async () => {
		const limiter = rateLimiter();
		limiter.pauseFor(5000);
		await jest.advanceTimersByTimeAsync(4000);
		const { results } = pass(limiter, 1, 1500);
		await jest.advanceTimersByTimeAsync(1100);
		expect(results).toEqual([expect.closeTo(1000, 3)]);
	});
});

describe('the wait budget', () => {
	it('a wait that is too long is not begun', async () => {
		const limiter = rateLimiter();
		limiter.pauseFor(60_001);
		const { times, results } = pass(limiter, 10, 60_000);
		await jest.advanceTimersByTimeAsync(20);
		expect(results).toEqual(Array(10).fill('waitBudgetExceeded'));
		expect(Math.max(...times)).toBeLessThan(20);
	});

	it('a message that met no limit itself has its whole budget for each pause', async () => {
		const limiter = rateLimiter();
		const { results } = pass(limiter, 1, 1500, false);
		limiter.pauseFor(1000);
		await jest.advanceTimersByTimeAsync(900);
		limiter.pauseFor(1000);
		await jest.advanceTimersByTimeAsync(1100);
		expect(results).toEqual([expect.closeTo(1900, 3)]);
	});

	it('exactly as long as the pause is enough', async () => {
		const limiter = rateLimiter();
		limiter.pauseFor(1000);
		const { results } = pass(limiter, 1, 1000);
		await jest.advanceTimersByTimeAsync(1100);
		expect(results).toEqual([expect.closeTo(1000, 3)]);
	});

	it('a pause that grows while someone waits sends them away', async () => {
		const limiter = rateLimiter();
		limiter.pauseFor(1000);
		const { results } = pass(limiter, 1, 2000);
		await jest.advanceTimersByTimeAsync(500);
		limiter.pauseFor(5000);
		await jest.advanceTimersByTimeAsync(250);
		expect(results).toEqual(['waitBudgetExceeded']);
	});

	it('an absurd Retry-After keeps no message waiting', async () => {
		const limiter = rateLimiter();
		limiter.pauseFor(retryAfterMs('9'.repeat(400), Date.now()) ?? 0);
		const { results } = pass(limiter, 2, 60_000);
		await jest.advanceTimersByTimeAsync(1000);
		expect(results).toEqual(['waitBudgetExceeded', 'waitBudgetExceeded']);
	});

	it('without any, an open limiter is passed anyway', async () => {
		const { results } = pass(rateLimiter(), 1, 0);
		await jest.advanceTimersByTimeAsync(1);
		expect(results).toEqual([0]);
	});
});

describe('stopped', () => {
	it('no message passes', async () => {
		const { results } = pass(
			rateLimiter(0, () => true),
			3,
		);
		await jest.advanceTimersByTimeAsync(20);
		expect(results).toEqual(['stopped', 'stopped', 'stopped']);
	});

	it.each([
		['while the limiter is shut', (limiter: RateLimiter) => limiter.pauseFor(60_000), 0],
		['while they are spaced', () => {}, 0.01],
	])('%s: noticed within a quarter of a second', async (_, prepare, perSecond) => {
		let shouldStop = false;
		const limiter = rateLimiter(perSecond, () => shouldStop);
		pass(limiter, 1);
		await jest.advanceTimersByTimeAsync(perSecond > 0 ? 1 : 0);
		prepare(limiter);
		const { results } = pass(limiter, 2);
		await jest.advanceTimersByTimeAsync(1000);
		expect(results).toEqual([]);
		shouldStop = true;
		await jest.advanceTimersByTimeAsync(250);
		expect(results).toEqual(['stopped', 'stopped']);
	});
});
