import { sleep } from 'n8n-workflow';

import type { Sending } from '../../../nodes/OutboundMessaging/delivery/delivery';
import { Memory } from '../../../nodes/OutboundMessaging/delivery/memory';
import type { MessageKeys } from '../../../nodes/OutboundMessaging/delivery/messageKeys';
import type { Failed, SendResult } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { RateLimiter } from '../../../nodes/OutboundMessaging/delivery/rateLimiter';
import { sendWithRetries } from '../../../nodes/OutboundMessaging/delivery/sendWithRetries';

const failure = { title: 'Busy', description: 'Wait', statusCode: 429 };
const accepted: SendResult = { delivery: 'accepted', record: { id: 'm' } };
const uncertain: SendResult = { delivery: 'uncertain', failure };
const notSent: SendResult = { delivery: 'notSent', failure };
const limited = (retryAfterMs?: number) =>
	({ delivery: 'rateLimited', failure, retryAfterMs }) as SendResult;

interface Situation {
	rateLimitWait?: number;
	/** How long the service has asked others to slow down. */
	pausedMs?: number;
	/** When it asks others to wait for another 50 seconds. */
	pausedAgainAt?: number;
	/** How often the run is asked whether it should stop, until it should. */
	stopsAfter?: number;
	whileSent?(rateLimiter: RateLimiter): void;
	/** What an earlier try did with the message. */
	isUncertain?: boolean;
	/** What becomes of the message because its keys can't be released. */
	notReleased?: Failed;
	claim?(rateLimiter: RateLimiter, claims: number): Promise<void>;
}

beforeEach(() => {
	jest.useFakeTimers();
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => jest.useRealTimers().restoreAllMocks());

/**
 * Sends one message to a service with these results in turn, the last one for ever.
 * @returns how it ended, when it was requested (to 100 ms), whether its keys are still held, and what the memory knew of
 * the message whenever they weren't
 */
async function deliver(results: SendResult[], situation: Situation = {}) {
	const { rateLimitWait = 60_000, pausedMs = 0, pausedAgainAt, stopsAfter = Infinity } = situation;
	const { claim = async () => {} } = situation;
	const start = performance.now();
	const times: number[] = [];
	let stops = 0;
	let claims = 0;
	const rateLimiter = new RateLimiter(0, () => ++stops > stopsAfter);
	rateLimiter.pauseFor(pausedMs);
	if (pausedAgainAt) void sleep(pausedAgainAt).then(() => rateLimiter.pauseFor(50_000));
	const request = { url: 'https://api.example.com/text', body: {} };
	const message = { itemIndex: 0, recipient: '42', request };
	const memory = new Memory({}, 0, 'execution');
	if (situation.isUncertain) memory.uncertain(message, undefined);
	const known: unknown[] = [];
	let held = 0;
	const keys = {
		claim: async () => {
			await claim(rateLimiter, ++claims);
			held++;
			return 'claimed';
		},
		release: async () => {
			held--;
			known.push(memory.get(message) && 'uncertain');
			return situation.notReleased;
		},
	} as unknown as MessageKeys;
	const run = {
		...{ memory, rateLimitWait, rateLimiter },
		beforeRequest: () => undefined,
		send: async () => {
			expect(held).toBe(1);
			situation.whileSent?.(rateLimiter);
			times.push(Math.round((performance.now() - start) / 100) * 100);
			return results[Math.min(times.length, results.length) - 1];
		},
	} as Partial<Sending> as Sending;
	const ended = sendWithRetries(message, keys, run);
	await jest.advanceTimersByTimeAsync(600_000);
	return { outcome: await ended, times, held, known };
}

interface Case {
	results: SendResult[];
	/** How it ended, and when it was requested. */
	expected: Array<string | number | undefined>;
	situation?: Situation;
}

const claimInPause: Situation['claim'] = async (rateLimiter, claims) => {
	if (claims === 1) rateLimiter.pauseFor(5000);
};
const claimSlowly = async () => await sleep(1500);
const waitLess = (rateLimiter: RateLimiter) => rateLimiter.pauseFor(100);

it.each`
	rule                                                                                   | results                                                | expected                                                                                | situation
	${'a rate limit: waits as long as asked'}                                              | ${[limited(5000), limited(5000), accepted]}            | ${['accepted', 0, 5000, 10_000]}                                                        | ${undefined}
	${'a rate limit without a wait: 1, 2, 4 … 64 seconds, and up to a fifth more'}         | ${[...Array<SendResult>(9).fill(limited()), accepted]} | ${['accepted', 0, 1100, 3300, 7700, 16_500, 34_100, 69_300, 139_700, 210_100, 280_500]} | ${{ rateLimitWait: 600_000 }}
	${'a wait of almost nothing: at least a second between two tries'}                     | ${[limited(0.001), limited(0.001), accepted]}          | ${['accepted', 0, 1000, 2000]}                                                          | ${undefined}
	${'all waits of a message count together'}                                             | ${[limited(25_000)]}                                   | ${['rejected', 0, 25_000, 50_000]}                                                      | ${undefined}
	${'a wait that exceeds the wait budget is not begun'}                                  | ${[limited(61_000)]}                                   | ${['rejected', 0]}                                                                      | ${undefined}
	${'no wait budget'}                                                                    | ${[limited(1000)]}                                     | ${['rejected', 0]}                                                                      | ${{ rateLimitWait: 0 }}
	${'others were asked to wait for too long: never requested'}                           | ${[accepted]}                                          | ${['notAttempted']}                                                                     | ${{ pausedMs: 61_000 }}
	${'the wait for others does not use up the wait budget'}                               | ${[limited(10_000), limited(50_000), accepted]}        | ${['accepted', 50_000, 60_000, 110_000]}                                                | ${{ pausedMs: 50_000 }}
	${'two waits for others, each within the wait budget'}                                 | ${[accepted]}                                          | ${['accepted', 99_000]}                                                                 | ${{ pausedMs: 50_000, pausedAgainAt: 49_000 }}
	${'a wait of its own that grows because of others beyond the wait budget'}             | ${[limited(50_000), accepted]}                         | ${['rejected', 0]}                                                                      | ${{ pausedAgainAt: 49_000 }}
	${'a rate limit without a wait, while others wait already: waits no longer than they'} | ${[limited(), accepted]}                               | ${['accepted', 0, 100]}                                                                 | ${{ whileSent: waitLess }}
	${'uncertain after a rate limit'}                                                      | ${[limited(1000), uncertain]}                          | ${['uncertain', 0, 1000]}                                                               | ${undefined}
	${'a connection never made: three tries'}                                              | ${[notSent]}                                           | ${['rejected', 0, 1000, 3000]}                                                          | ${undefined}
	${'a connection made at last'}                                                         | ${[notSent, notSent, accepted]}                        | ${['accepted', 0, 1000, 3000]}                                                          | ${undefined}
	${'stopped after a rate limit'}                                                        | ${[limited(5000), accepted]}                           | ${[undefined, 0]}                                                                       | ${{ stopsAfter: 1 }}
	${'stopped after a connection never made'}                                             | ${[notSent, accepted]}                                 | ${[undefined, 0]}                                                                       | ${{ stopsAfter: 1 }}
	${'a pause that begins while the key is claimed'}                                      | ${[accepted]}                                          | ${['accepted', 5000]}                                                                   | ${{ claim: claimInPause }}
	${'a claim that takes long: a new slot, and no third one'}                             | ${[accepted]}                                          | ${['accepted', 3000]}                                                                   | ${{ claim: claimSlowly }}
`('$rule', async ({ results, expected: [delivery, ...expected], situation = {} }: Case) => {
	const { outcome, times, held } = await deliver(results, situation);
	expect(outcome).toEqual(delivery && expect.objectContaining({ delivery }));
	expect(times).toEqual(expected);
	// While it waits it holds none; after its last request, whoever asked for it decides.
	const wasWaiting = outcome === undefined || /kept limiting/.test(JSON.stringify(outcome));
	expect(held).toBe(times.length === 0 || wasWaiting ? 0 : 1);
});

it('a rate limit that outlasts the wait budget says so, and when it ends', async () => {
	const sendAfter = new Date(Date.now() + 61_000).toISOString();
	const { outcome } = await deliver([limited(61_000)]);
	const title = "Busy. It kept limiting requests for longer than 'Rate Limit Wait (Seconds)'";
	expect(outcome).toMatchObject({ failure: { title, statusCode: 429, sendAfter } });
	const never = await deliver([accepted], { pausedMs: 70_000 });
	const { failure } = never.outcome as { failure?: { sendAfter?: string } };
	// The clock has moved on by 600 seconds.
	expect(Date.now() - Date.parse(failure?.sendAfter ?? '')).toBe(530_000);
});

it.each([false, true])(
	'between two tries it is as open as before: uncertain: %s',
	async (isUncertain) => {
		const { outcome, known } = await deliver([limited(1000), notSent, accepted], { isUncertain });
		expect(outcome).toMatchObject({ delivery: 'accepted' });
		expect(known).toEqual(Array(2).fill(isUncertain ? 'uncertain' : undefined));
	},
);

it.each([limited(1000), notSent])('a key that stays held ends the message: %j', async (result) => {
	const notReleased: Failed = { delivery: 'rejected', failure };
	const { outcome, times } = await deliver([result, accepted], { notReleased });
	expect(outcome).toBe(notReleased);
	expect(times).toEqual([0]);
});
