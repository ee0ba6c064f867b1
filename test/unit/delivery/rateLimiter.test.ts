import { sleep } from 'n8n-workflow';

import * as eventLoop from '../../../nodes/OutboundMessaging/common/eventLoop';
import { RateLimiter } from '../../../nodes/OutboundMessaging/delivery/rateLimiter';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** All times in milliseconds since the run began. */
interface Situation {
	messagesPerSecond?: number;
	/** When each request asks for its permit. */
	asked?: number[];
	/** How long the service asks to slow down, by when it does. */
	pauses?: Record<number, number>;
	remainingWaitMs?: number | number[];
	/** How long n8n does something else before each request. */
	busy?: number[];
	stopsAt?: number;
	/** When an earlier run of the execution would have started its next message. */
	nextStart?: number;
}

/** When each request got its slot, to ten milliseconds, or why not: `1200 stopped`. */
async function permits(situation: Situation): Promise<string[]> {
	const { messagesPerSecond = 0, asked = [0], pauses = {}, busy = [] } = situation;
	const { remainingWaitMs = 60_000, stopsAt = Infinity, nextStart } = situation;
	const budgets = [remainingWaitMs].flat();
	const start = performance.now();
	const now = () => performance.now() - start;
	const isBusy = async () => await sleep(busy.shift() ?? 0);
	jest.spyOn(eventLoop, 'yieldIfDue').mockImplementation(isBusy);
	const pace = nextStart === undefined ? {} : { nextStart: start + nextStart };
	const limiter = new RateLimiter(messagesPerSecond, () => now() >= stopsAt, pace);
	for (const [at, milliseconds] of Object.entries(pauses)) {
		void sleep(Number(at)).then(() => limiter.pauseFor(milliseconds));
	}
	const got: string[] = [];
	asked.forEach(async (at, index) => {
		await sleep(at);
		const latest = performance.now() + (budgets[index] ?? budgets[0]);
		const denied = await limiter.acquire(() => latest);
		got[index] = [Math.round(now() / 10) * 10, denied]
			.filter((each) => each !== undefined)
			.join(' ');
	});
	await jest.advanceTimersByTimeAsync(30_000);
	return got;
}

type Rule = { rule: string; situation: Situation; expected: string[] };

it.each<Rule>([
	{
		rule: 'no pacing and no pause',
		situation: { asked: [0, 0, 0], busy: [50, 50, 50] },
		expected: ['0', '0', '0'],
	},
	{
		rule: '10 per second',
		situation: { messagesPerSecond: 10, asked: [0, 0, 0] },
		expected: ['0', '100', '200'],
	},
	{
		rule: 'a start that is very late, by half a step',
		situation: { messagesPerSecond: 10, asked: [0, 0, 0], busy: [0, 190] },
		expected: ['0', '190', '240'],
	},
	{
		rule: 'a long idle time is not made up for by a burst',
		situation: { messagesPerSecond: 10, asked: [0, 9000, 9000, 9000] },
		expected: ['0', '9000', '9050', '9150'],
	},
	{
		rule: 'an earlier run of the loop has started one just now',
		situation: { messagesPerSecond: 1, asked: [0, 0], nextStart: 700 },
		expected: ['700', '1700'],
	},
	{
		rule: 'an earlier run of the loop is long over',
		situation: { messagesPerSecond: 1, asked: [0, 0], nextStart: -700 },
		expected: ['0', '1000'],
	},
	{
		rule: 'an earlier run was in an n8n process with another clock',
		situation: { messagesPerSecond: 1, asked: [0, 0], nextStart: 9_000_000 },
		expected: ['0', '1000'],
	},
	{
		rule: 'all wait until a pause is over',
		situation: { asked: [0, 0, 4000, 6000], pauses: { 0: 5000 }, busy: [0, 0, 0, 50] },
		expected: ['5000', '5000', '5000', '6000'],
	},
	{
		rule: 'no one overtakes those who waited',
		situation: { asked: [0, 0, 1100], pauses: { 0: 1000 }, busy: [0, 300] },
		expected: ['1000', '1300', '1300'],
	},
	{
		rule: 'one that has used up its time waits behind no one',
		situation: { asked: [0, 0], pauses: { 0: 1000 }, remainingWaitMs: [60_000, 10] },
		expected: ['1000', '0 waitBudgetExceeded'],
	},
	{
		rule: 'a pause that grows, and is over when they have waited behind another',
		situation: { asked: [0, 0], pauses: { 0: 1000, 500: 2000 }, remainingWaitMs: [60_000, 2000] },
		expected: ['2500', '2500'],
	},
])('$rule', async ({ situation, expected }: Rule) => {
	expect(await permits(situation)).toEqual(expected);
});

it.each([
	{ last: 'the longer one', pauses: { 0: 1000, 500: 5000 }, sentAt: '5500' },
	{ last: 'the shorter one', pauses: { 0: 5000, 500: 1000 }, sentAt: '5000' },
])('of two waits that the service asked for, the longer holds: $last came last', async (row) => {
	expect(await permits({ pauses: row.pauses })).toEqual([row.sentAt]);
});

it('whoever waits in a pause learns within a second that the run has stopped', async () => {
	const got = await permits({ asked: [0, 0], pauses: { 0: 20_000 }, stopsAt: 1100 });
	const stopped = got.map((each) => /^(\d+) stopped$/.exec(each)?.[1]).map(Number);
	expect(stopped).toHaveLength(2);
	expect(Math.max(...stopped)).toBeLessThan(2100);
});

it("a slot that is given back is the next one's: what is skipped uses up no pace", async () => {
	const start = performance.now();
	const limiter = new RateLimiter(2, () => false);
	const started: number[] = [];
	const begin = async (message: number) => {
		await limiter.acquire(() => Infinity);
		// Its key is asked for, and found to be used.
		await sleep(10);
		if (message < 18) limiter.giveBack();
		else started.push(Math.round((performance.now() - start) / 100) * 100);
	};
	for (let message = 0; message < 20; message++) void begin(message);
	await jest.advanceTimersByTimeAsync(30_000);
	expect(started).toEqual([200, 500]);
});
