import { sendWithRetries } from '../../../nodes/OutboundMessaging/delivery/sendWithRetries';
import { EventLoop } from '../../../nodes/OutboundMessaging/delivery/eventLoop';
import { RateLimiter } from '../../../nodes/OutboundMessaging/delivery/rateLimiter';
import type { HttpResult } from '../../../nodes/OutboundMessaging/service/httpResult';
import { classifyResponse } from '../../../nodes/OutboundMessaging/service/classifyResponse';
import { KEY } from '../help';

const record = { id: 'm', function_name: 'f', status: 'sent', extra: { success: true } };
const answered = (status: number, headers: Record<string, unknown> = {}): HttpResult => ({
	kind: 'answered',
	status,
	headers,
	body: record,
});
const failed = (code: string, notSent: boolean): HttpResult => ({
	kind: 'failed',
	code,
	notSent: notSent,
});
const slow = (seconds: string) => answered(429, { 'retry-after': seconds });

beforeEach(() => {
	jest.useFakeTimers();
});

afterEach(() => {
	jest.useRealTimers();
});

/** Timers may run a few milliseconds late. */
const about = (...times: number[]) => times.map((time) => expect.closeTo(time, -2));

/** Sends one message to a service that gives these answers in turn, the last one for ever. */
async function deliver(answers: HttpResult[], rateLimitWait = 60_000, halted = () => false) {
	const start = performance.now();
	const times: number[] = [];
	const leaving = jest.fn();
	const ended = sendWithRetries({
		rateLimiter: new RateLimiter(0, new EventLoop(), halted),
		send: async () => {
			expect(leaving).toHaveBeenCalledTimes(times.length + 1);
			times.push(Math.round(performance.now() - start));
			return classifyResponse(answers[Math.min(times.length, answers.length) - 1], KEY);
		},
		rateLimitWait,
		markInFlight: leaving,
	});
	await jest.advanceTimersByTimeAsync(600_000);
	return { outcome: await ended, times };
}

describe('goes once', () => {
	it.each<[string, HttpResult, string]>([
		['accepted', answered(200), 'accepted'],
		['a refusal', answered(400), 'rejected'],
		['a wrong key', answered(401), 'rejected'],
		['a redirect', answered(307), 'rejected'],
		['a failing service', answered(500), 'uncertain'],
		['a failing service that does not say how long', answered(503), 'uncertain'],
		['a failing service with a wait', answered(500, { 'retry-after': '1' }), 'uncertain'],
		['a timeout', failed('ECONNABORTED', false), 'uncertain'],
		['a broken connection', failed('ECONNRESET', false), 'uncertain'],
	])('%s', async (...row) => {
		const [, answer, delivery] = row;
		const { outcome, times } = await deliver([answer, answered(200)]);
		expect(outcome?.delivery).toBe(delivery);
		expect(times).toEqual([0]);
	});
});

describe('a rate limit', () => {
	it.each([429, 503])('%i: waits as long as asked, then goes again', async (status) => {
		const busy = answered(status, { 'retry-after': '5' });
		const { outcome, times } = await deliver([busy, busy, answered(200)]);
		expect(outcome).toEqual({ delivery: 'accepted', record });
		expect(times).toEqual(about(0, 5000, 10_000));
	});

	it('without a wait: 1, 2, 4 seconds and up to a fifth more', async () => {
		const { outcome, times } = await deliver([
			answered(429),
			answered(429),
			answered(429),
			answered(200),
		]);
		expect(outcome?.delivery).toBe('accepted');
		const gaps = times.slice(1).map((time, index) => time - times[index]);
		expect(gaps).toHaveLength(3);
		gaps.forEach((gap, index) => {
			expect(gap).toBeGreaterThanOrEqual(1000 * 2 ** index);
			expect(gap).toBeLessThanOrEqual(1200 * 2 ** index + 50);
		});
	});

	it('a wait that is longer than the patience is not begun', async () => {
		const { outcome, times } = await deliver([slow('61')]);
		expect(outcome).toMatchObject({
			delivery: 'rejected',
			failure: {
				title: 'The service asked to slow down (429), for longer than Rate Limit Wait',
				statusCode: 429,
				n8nCause: { cause: 'rate-limited' },
			},
		});
		expect(times).toEqual([0]);
	});

	it('all waits of a message together count', async () => {
		const { outcome, times } = await deliver([slow('25')]);
		expect(outcome?.delivery).toBe('rejected');
		expect(times).toEqual(about(0, 25_000, 50_000));
	});

	it('without patience it is rejected at once', async () => {
		const { outcome, times } = await deliver([slow('1')], 0);
		expect(outcome?.delivery).toBe('rejected');
		expect(times).toEqual([0]);
	});

	it('after it everything else counts as ever', async () => {
		const { outcome, times } = await deliver([slow('1'), failed('ECONNRESET', false)]);
		expect(outcome?.delivery).toBe('uncertain');
		expect(times).toEqual(about(0, 1000));
	});
});

describe('a connection never made', () => {
	const refused = failed('ECONNREFUSED', true);

	it('is tried three times', async () => {
		const { outcome, times } = await deliver([refused]);
		expect(outcome).toMatchObject({
			delivery: 'rejected',
			failure: { title: 'The service could not be reached: the connection was refused' },
		});
		expect(times).toEqual(about(0, 500, 1500));
	});

	it('and then the message goes', async () => {
		const { outcome, times } = await deliver([refused, refused, answered(200)]);
		expect(outcome?.delivery).toBe('accepted');
		expect(times).toHaveLength(3);
	});
});

describe('halted', () => {
	it('before its turn nothing leaves', async () => {
		const { outcome, times } = await deliver([answered(200)], 60_000, () => true);
		expect(outcome).toBeUndefined();
		expect(times).toEqual([]);
	});

	it.each([
		['a rate limit', slow('5')],
		['a connection never made', failed('ECONNREFUSED', true)],
	])('after %s it does not go again', async (_, answer) => {
		let asked = 0;
		const { outcome, times } = await deliver([answer, answered(200)], 60_000, () => ++asked > 1);
		expect(outcome).toBeUndefined();
		expect(times).toEqual([0]);
	});
});
