/**
 * What is sent and when, and what happens to the message's key. The texts that users read
 * are in test/engine.
 */
import { sleep } from 'n8n-workflow';

import type { Sending } from '../../../nodes/OutboundMessaging/delivery/sending';
import { endKnown, unexpected } from '../../../nodes/OutboundMessaging/delivery/beforeAndNow';
import { FirstRequest } from '../../../nodes/OutboundMessaging/delivery/firstRequest';
import type { Claim, KeyStore } from '../../../nodes/OutboundMessaging/delivery/keys/keyStore';
import { Ledger } from '../../../nodes/OutboundMessaging/delivery/ledger';
import type { Message, SendResult } from '../../../nodes/OutboundMessaging/delivery/message';
import { RateLimiter } from '../../../nodes/OutboundMessaging/delivery/rateLimiter';
import { sendMessage } from '../../../nodes/OutboundMessaging/delivery/attempts';

beforeEach(() => {
	jest.useFakeTimers();
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => jest.useRealTimers().restoreAllMocks());

/**
 * What a request leads to; a number is a rate limit, and for how many milliseconds the
 * service asks to wait.
 */
type Sent = SendResult['delivery'] | number;

/** All times are in milliseconds. */
interface Situation {
	/** What the key store says to the claim of each key. */
	claims?: Array<Claim | Error>;
	/** Of one request after the other, the last one for ever. */
	sent?: Sent[];
	resend?: boolean;
	/** What an earlier try of this execution did with the message. */
	earlier?: 'uncertain';
	/** The run, as soon as this was done. */
	stops?: 'before' | 'claim' | 'send';
	/** From then on, it must not be sent any more. */
	refusedAt?: number;
	/** When it gets a place among 'Max Messages', which others have until then. */
	placeAt?: number;
	/** A safeguard throws at this moment. */
	breaksWhen?: 'claimed';
	hasKey?: boolean;
	/** A Retry has a key of its own, besides the user's. */
	isRetry?: boolean;
	/** Marking the key as accepted, or releasing it, fails. */
	isKeyStuck?: boolean;
	rateLimitWait?: number;
	/** It waits for its key as long as another execution can hold it. */
	waitsInFull?: boolean;
	/**
	 * For how long all wait because of others, from the beginning, and from the first time
	 * that this is done.
	 */
	paused?: number;
	pausedBy?: { claim?: number; send?: number };
	/** When others are asked to wait for another 50 seconds. */
	pausedAgainAt?: number;
	/** How long the key store takes for a claim. */
	claimTakes?: number;
}

const failure = { title: 'Out of credit', description: 'Top up', statusCode: 429 };
const record = { id: 'm' };

function resultOf(sent: Sent): SendResult {
	if (sent === 'accepted') return { delivery: sent, record };
	if (typeof sent === 'string') return { delivery: sent, failure };
	return { delivery: 'askedToWait', failure, retryAfterMs: sent };
}

/** @returns how it ended, what was done on the way, and when it was requested, to 100 ms */
async function delivered(situation: Situation) {
	const { claims = [], sent = ['accepted'], resend = false, earlier, placeAt = 0 } = situation;
	const { stops, refusedAt = Infinity, hasKey = true, isRetry, isKeyStuck } = situation;
	const { rateLimitWait = 60_000, paused = 0, pausedBy = {}, pausedAgainAt } = situation;
	const start = performance.now();
	const done: string[] = [];
	const times: number[] = [];
	const shouldStop = () => stops === 'before' || done.includes(stops ?? 'never');
	const background: Array<Promise<void>> = [];
	const rateLimiter = new RateLimiter(0, shouldStop);
	rateLimiter.pauseFor(paused);
	if (pausedAgainAt) void sleep(pausedAgainAt).then(() => rateLimiter.pauseFor(50_000));
	const does = (what: 'claim' | 'send') => {
		if (!done.includes(what)) rateLimiter.pauseFor(pausedBy[what] ?? 0);
		done.push(what);
	};

	/** What the memory knew of the message whenever its key was free. */
	const known: unknown[] = [];
	let keysAsked = 0;
	const keyStore = {
		claim: async () => {
			does('claim');
			await sleep(situation.claimTakes ?? 0);
			const claim = claims[keysAsked++] ?? 'claimed';
			if (claim instanceof Error) throw claim;
			return claim;
		},
		end: async (how: string) => {
			done.push(how);
			if (how !== 'accept') known.push(ledger.get(message) && 'uncertain');
			if (isKeyStuck && how !== 'markUncertain') throw error;
		},
	} as unknown as KeyStore;
	const request = { url: 'https://api.example.com/text', body: { text: 'Hi' } };
	const message: Message = { itemIndex: 0, recipient: '42', request };
	if (hasKey) message.sendOnceKey = 'key';
	const beginning = { id: 'first', executionId: 'execution', isRetry: isRetry === true };
	const ledger = new Ledger({}, beginning, '0');
	if (earlier === 'uncertain') {
		ledger.note(message, { failure });
		message.before = { by: 'ledger', entry: ledger.get(message)! };
	}
	const run = {
		...{ ledger, keyStore, rateLimitWait },
		onUncertainDelivery: resend ? 'resend' : 'doNotResend',
		keyWait: situation.waitsInFull ? undefined : 0,
		mustWait: () => performance.now() - start < placeAt,
		endedBy: (_, moment) => {
			if (situation.breaksWhen === moment) throw error;
			if (performance.now() - start < refusedAt) return undefined;
			return { delivery: 'rejected', failure };
		},
		onProblem: () => void done.push('problem'),
		send: async () => {
			does('send');
			times.push(Math.round((performance.now() - start) / 100) * 100);
			return resultOf(sent[times.length - 1] ?? sent.at(-1)!);
		},
		firstRequest: new FirstRequest(() => true, shouldStop),
		...{ rateLimiter, shouldStop, background },
	} as Partial<Sending> as Sending;
	const delivering = sendMessage(message, run).catch(() => 'stopped' as const);
	await jest.advanceTimersByTimeAsync(600_000);
	const ended = await delivering;
	const outcome = ended === 'stopped' ? undefined : ended;
	await Promise.all(background);
	const entry = ledger.get(message);
	const remembered = entry && endKnown(entry);
	const isExplained = JSON.stringify(remembered ?? '').includes(failure.title);
	const marks = outcome && [
		outcome.delivery,
		outcome.delivery !== 'skipped' && outcome.origin && 'earlier',
		'failure' in outcome && /couldn't be checked/.exec(outcome.failure.title)?.[0],
		'failure' in outcome && outcome.failure.n8nCause?.cause,
	];
	const ends = {
		outcome: marks?.filter(Boolean).join(', '),
		done: done.join(', '),
		remembered: remembered && `${remembered.delivery}${isExplained ? ', and why' : ''}`,
	};
	return { ends, outcome, times, known };
}

const error = new Error('database is locked');
const LATER = { pausedBy: { claim: 60_000 } };

type Ending = { situation: Situation; [column: string]: unknown };

/** How it ends, what is done, and what a later try remembers. */
it.each<Ending>([
	{ situation: {}, outcome: 'accepted', done: 'claim, send, accept', remembered: 'accepted' },
	{
		situation: { sent: ['uncertain'] },
		outcome: 'uncertain',
		done: 'claim, send, markUncertain',
		remembered: 'uncertain, and why',
	},
	{
		situation: { sent: ['rejected'] },
		outcome: 'rejected',
		done: 'claim, send, release',
		remembered: undefined,
	},
	{
		situation: { isKeyStuck: true },
		outcome: 'accepted',
		done: 'claim, send, accept, problem',
		remembered: 'accepted',
	},
	{
		situation: { sent: ['rejected'], isKeyStuck: true },
		outcome: 'rejected',
		done: 'claim, send, release, problem',
		remembered: undefined,
	},
	{
		situation: { stops: 'claim', ...LATER, isKeyStuck: true },
		outcome: undefined,
		done: 'claim, release, problem',
		remembered: undefined,
	},
	{ situation: { hasKey: false }, outcome: 'accepted', done: 'send', remembered: 'accepted' },
	{ situation: { stops: 'before' }, outcome: undefined, done: '', remembered: undefined },
	{ situation: { refusedAt: 0 }, outcome: 'rejected', done: '', remembered: undefined },
	{
		situation: { breaksWhen: 'claimed' },
		outcome: undefined,
		done: 'claim, release',
		remembered: undefined,
	},
	{
		situation: { refusedAt: 1000, claimTakes: 500 },
		outcome: 'accepted',
		done: 'claim, send, accept',
		remembered: 'accepted',
	},
	{
		situation: { refusedAt: 400, claimTakes: 500 },
		outcome: 'rejected',
		done: 'claim, release',
		remembered: undefined,
	},
	{
		situation: { placeAt: 500, claimTakes: 100 },
		outcome: 'accepted',
		done: 'claim, send, accept',
		remembered: 'accepted',
	},
	{
		situation: { placeAt: Infinity, stops: 'before' },
		outcome: undefined,
		done: '',
		remembered: undefined,
	},
	{
		situation: { claims: [error] },
		outcome: "rejected, couldn't be checked, temporarily-unavailable",
		done: 'claim',
		remembered: undefined,
	},
	{ situation: { claims: ['stopped'] }, outcome: undefined, done: 'claim', remembered: undefined },
	{
		situation: { claims: ['uncertain'] },
		outcome: 'uncertain, earlier',
		done: 'claim',
		remembered: undefined,
	},
	{
		situation: { claims: ['uncertain'], waitsInFull: true },
		outcome: 'uncertain, earlier',
		done: 'claim, markUncertain',
		remembered: undefined,
	},
	{
		situation: { claims: ['uncertain'], resend: true },
		outcome: 'accepted',
		done: 'claim, markUncertain, send, accept',
		remembered: 'accepted',
	},
	{
		situation: { claims: ['uncertain'], resend: true, sent: ['rejected'] },
		outcome: 'rejected',
		done: 'claim, markUncertain, send, markUncertain',
		remembered: undefined,
	},
	{
		situation: { claims: ['uncertain'], resend: true, stops: 'claim', ...LATER },
		outcome: undefined,
		done: 'claim, markUncertain, markUncertain',
		remembered: undefined,
	},
	{
		situation: { isRetry: true },
		outcome: 'accepted',
		done: 'claim, claim, send, accept, accept',
		remembered: 'accepted',
	},
	{
		situation: { isRetry: true, claims: ['claimed', 'alreadySent'] },
		outcome: 'skipped',
		done: 'claim, claim, release',
		remembered: undefined,
	},
	{
		situation: { earlier: 'uncertain', resend: true, claims: [error] },
		outcome: "rejected, couldn't be checked, temporarily-unavailable",
		done: 'claim',
		remembered: 'uncertain, and why',
	},
	{
		situation: { earlier: 'uncertain', resend: true, claims: ['alreadySent'] },
		outcome: 'skipped',
		done: 'claim',
		remembered: 'uncertain, and why',
	},
	{
		situation: { earlier: 'uncertain', resend: true },
		outcome: 'accepted',
		done: 'claim, send, accept',
		remembered: 'accepted',
	},
	{
		situation: { earlier: 'uncertain', resend: true, sent: ['rejected'] },
		outcome: 'rejected',
		done: 'claim, send, markUncertain',
		remembered: 'uncertain, and why',
	},
])('$situation: $outcome', async ({ situation, ...expected }: Ending) => {
	expect((await delivered(situation)).ends).toEqual(expected);
});

/** Expected are how it ends, and when it's requested. */
type Timed = { rule: string; sent: Sent[]; situation?: Situation } & Expected;
type Expected = { expected: Array<string | number | undefined> };

const NINE_LIMITS = new Array<Sent>(9).fill('askedToWait');
const BACKOFF = [1100, 3300, 7700, 16_500, 34_100, 69_300, 139_700, 210_100, 280_500];

it.each<Timed>([
	{
		rule: 'a rate limit: waits as long as asked',
		sent: [5000, 5000, 'accepted'],
		expected: ['accepted', 0, 5000, 10_000],
		situation: {},
	},
	{
		rule: 'a rate limit without a wait: 1, 2, 4 … 64 seconds, and up to a fifth more',
		sent: [...NINE_LIMITS, 'accepted'],
		expected: ['accepted', 0, ...BACKOFF],
		situation: { rateLimitWait: 600_000 },
	},
	{
		rule: 'a wait of almost nothing: at least a second between two tries',
		sent: [0.001, 0.001, 'accepted'],
		expected: ['accepted', 0, 1000, 2000],
		situation: {},
	},
	{
		rule: 'all waits of a message count together',
		sent: [25_000],
		expected: ['rejected', 0, 25_000, 50_000],
		situation: {},
	},
	{
		rule: 'others were asked to wait for too long: never requested',
		sent: ['accepted'],
		expected: ['notAttempted'],
		situation: { paused: 61_000 },
	},
	{
		rule: 'the wait for others does not use up the wait budget',
		sent: [10_000, 49_000, 'accepted'],
		expected: ['accepted', 50_000, 60_000, 109_000],
		situation: { paused: 50_000 },
	},
	{
		rule: 'a wait of its own that grows because of others beyond the wait budget',
		sent: [50_000, 'accepted'],
		expected: ['rejected', 0],
		situation: { pausedAgainAt: 49_000 },
	},
	{
		rule: 'a rate limit without a wait, while others wait already: waits no longer than they',
		sent: ['askedToWait', 'accepted'],
		expected: ['accepted', 0, 100],
		situation: { pausedBy: { send: 100 } },
	},
	{
		rule: 'a connection never made: three tries',
		sent: ['notSent'],
		expected: ['rejected', 0, 1000, 3000],
		situation: {},
	},
	{
		rule: 'a claim that takes long: a new slot, and no third one',
		sent: ['accepted'],
		expected: ['accepted', 3000],
		situation: { claimTakes: 1500 },
	},
])('$rule', async ({ sent, expected: [delivery, ...expected], situation }: Timed) => {
	const { ends, outcome, times, known } = await delivered({ sent, ...situation });
	expect([outcome?.delivery, ...times]).toEqual([delivery, ...expected]);
	expect(known.filter(Boolean)).toEqual([]);
	// It's sent with its key, and waits without it.
	expect(ends.done).toMatch(/^((claim, (send, )?release(, |$))*(claim, send, \w+)?)$/);
});

it.each<[number, Situation, object]>([
	[61_000, { sent: [61_000] }, { statusCode: 429 }],
	[70_000, { paused: 70_000 }, { n8nCause: { cause: 'rate-limited' } }],
])('a pause of %i ms outlasts the wait budget: the failure says when it ends', async (...given) => {
	const [milliseconds, situation, more] = given;
	// Now isn't zero, so a wrong sign shows.
	jest.advanceTimersByTime(1000);
	const sendAfter = new Date(Date.now() + milliseconds).toISOString();
	const { outcome } = await delivered(situation);
	expect(outcome).toMatchObject({ failure: { ...more, sendAfter } });
});

it('between two tries a message that was uncertain before stays so', async () => {
	const sent: Sent[] = [1000, 'notSent', 'accepted'];
	const { outcome, known } = await delivered({ sent, earlier: 'uncertain', resend: true });
	expect([outcome?.delivery, known]).toEqual(['accepted', ['uncertain', 'uncertain']]);
});

it.each(['uncertain', 'rejected'])('an exception inside the node is a defect: %s', (delivery) => {
	const entry =
		delivery === 'uncertain' ? { recipient: '1', url: 'u', itemIndex: 0, content: 'c' } : undefined;
	const defect = { n8nCause: { cause: 'node-defect' } };
	expect(unexpected(error, entry)).toMatchObject({ delivery, failure: defect });
});
