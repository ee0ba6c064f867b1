import type { Attempt } from '../../../nodes/OutboundMessaging/delivery/sendWithRetries';
import { sendWithRetries } from '../../../nodes/OutboundMessaging/delivery/sendWithRetries';
import { EventLoop } from '../../../nodes/OutboundMessaging/delivery/eventLoop';
import { RateLimiter } from '../../../nodes/OutboundMessaging/delivery/rateLimiter';
import type { HttpResult } from '../../../nodes/OutboundMessaging/service/httpResult';
import { classifyResponse } from '../../../nodes/OutboundMessaging/service/classifyResponse';

const record = { id: 'm', function_name: 'f', status: 'sent', extra: { success: true } };
const answered = (status: number, headers: Record<string, unknown> = {}): HttpResult => ({
	kind: 'answered',
	status,
	headers,
	text: status < 300 ? JSON.stringify(record) : '',
});
const failed = (code: string, notSent: boolean): HttpResult => ({
	kind: 'failed',
	code,
	notSent: notSent,
});
const slow = (seconds: string) => answered(429, { 'retry-after': seconds });

const ALLOWED = { beforeRequest: () => undefined };

beforeEach(() => {
	jest.useFakeTimers();
});

afterEach(() => {
	jest.useRealTimers();
});

/** Timers may run a few milliseconds late. */
const about = (...times: number[]) => times.map((time) => expect.closeTo(time, -2));

/** Sends one message to a service that gives these answers in turn, the last one for ever. */
async function deliver(
	answers: HttpResult[],
	rateLimitWait = 60_000,
	stopped = () => false,
	claims: Array<Awaited<ReturnType<Attempt['claim']>>> = [],
) {
	const start = performance.now();
	const times: number[] = [];
	const ended = sendWithRetries({
		rateLimiter: new RateLimiter(0, new EventLoop(), stopped),
		send: async () => {
			times.push(Math.round(performance.now() - start));
			return classifyResponse(answers[Math.min(times.length, answers.length) - 1], (text) => text);
		},
		rateLimitWait,
		claim: async () => claims.shift() ?? 'claimed',
		...ALLOWED,
	});
	await jest.advanceTimersByTimeAsync(600_000);
	return { outcome: await ended, times };
}

describe('goes once', () => {
	it.each<[string, HttpResult, string]>([
		['accepted', answered(200), 'accepted'],
		['a rejection', answered(400), 'rejected'],
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

	it('a wait that exceeds the wait budget is not begun', async () => {
		const { outcome, times } = await deliver([slow('61')]);
		expect(outcome).toMatchObject({
			delivery: 'rejected',
			failure: {
				title: expect.stringMatching(
					/^The service's rate limit was reached \(429\)\. It kept limiting requests for longer than 'Rate Limit Wait \(Seconds\)'$/,
				) as string,
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

	it('without a wait budget it is rejected at once', async () => {
		const { outcome, times } = await deliver([slow('1')], 0);
		expect(outcome?.delivery).toBe('rejected');
		expect(times).toEqual([0]);
	});

	it.each(['0.000001', '0', 'soon'])(
		'a Retry-After of %s: at least a second between two tries',
		async (seconds) => {
			const { times } = await deliver([slow(seconds)], 20_000);
			expect(times.length).toBeGreaterThan(2);
			times.slice(1).forEach((time, index) => {
				expect(time - times[index]).toBeGreaterThanOrEqual(1000);
			});
		},
	);

	it('of others, for longer than the wait: the message was never requested', async () => {
		const rateLimiter = new RateLimiter(0, new EventLoop(), () => false);
		rateLimiter.pauseFor(61_000);
		const send = jest.fn();
		const claim = jest.fn();
		const ended = sendWithRetries({ rateLimiter, rateLimitWait: 60_000, send, claim, ...ALLOWED });
		await jest.advanceTimersByTimeAsync(100);
		expect(await ended).toMatchObject({ delivery: 'notAttempted' });
		expect([send, claim].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
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
			failure: { title: "n8n couldn't connect to the service: the connection was refused" },
		});
		expect(times).toEqual(about(0, 1000, 3000));
	});

	it('and then the message goes', async () => {
		const { outcome, times } = await deliver([refused, refused, answered(200)]);
		expect(outcome?.delivery).toBe('accepted');
		expect(times).toHaveLength(3);
	});
});

describe('stopped', () => {
	it('before its turn nothing is sent', async () => {
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

describe('the claim', () => {
	it.each([
		['an outcome', { delivery: 'skipped', reason: 'alreadySent', details: {} } as const],
		['a run that stops', 'stopped' as const],
	])('%s: nothing is sent', async (_, claim) => {
		const { outcome, times } = await deliver([answered(200)], 60_000, () => false, [claim]);
		expect(outcome).toEqual(claim === 'stopped' ? undefined : claim);
		expect(times).toEqual([]);
	});

	it('is made once, whatever happens later', async () => {
		const claims = ['claimed', 'stopped'] as Array<'claimed' | 'stopped'>;
		const { outcome } = await deliver(
			[slow('1'), slow('1'), answered(200)],
			60_000,
			() => false,
			claims,
		);
		expect(outcome?.delivery).toBe('accepted');
		expect(claims).toEqual(['stopped']);
	});

	it('comes after the rate limiter, and a pause that began meanwhile is kept', async () => {
		const rateLimiter = new RateLimiter(0, new EventLoop(), () => false);
		const start = performance.now();
		let sentAt = 0;
		void sendWithRetries({
			...ALLOWED,
			rateLimiter,
			rateLimitWait: 60_000,
			claim: async () => {
				rateLimiter.pauseFor(5000);
				return 'claimed';
			},
			send: async () => {
				sentAt = performance.now() - start;
				return { delivery: 'accepted', record };
			},
		});
		await jest.advanceTimersByTimeAsync(10_000);
		expect(sentAt).toBeGreaterThanOrEqual(5000);
	});
});
