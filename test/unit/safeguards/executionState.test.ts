/** What the safeguards count over all that one execution leads to. */
import { ALREADY_SENT } from '../../../nodes/OutboundMessaging/delivery/beforeAndNow';
import type { Message, Outcome } from '../../../nodes/OutboundMessaging/delivery/message';
import { total } from '../../../nodes/OutboundMessaging/delivery/nodeState';
import { ExecutionState } from '../../../nodes/OutboundMessaging/safeguards/executionState';
import * as stopping from '../../../nodes/OutboundMessaging/safeguards/stopAfterFailures';

type Ending = keyof typeof ENDINGS;
const ENDINGS = {
	accepted: { delivery: 'accepted' },
	'accepted in an earlier try': { delivery: 'accepted', origin: 'earlierTry' },
	rejected: { delivery: 'rejected' },
	uncertain: { delivery: 'uncertain' },
	'not attempted': { delivery: 'notAttempted' },
	'skipped, since its key was used': { delivery: 'skipped', why: ALREADY_SENT, details: {} },
	'skipped, since another Retry has sent it': {
		delivery: 'skipped',
		why: ALREADY_SENT,
		origin: 'otherRetry',
		details: {},
	},
	'skipped by Do Not Contact': { delivery: 'skipped', why: {} },
};

/** A run of the node: how its items ended, each for a customer of its own. */
interface Run {
	execution?: string;
	/** A run index, or the ID of an agent's call. */
	run?: number | string;
	items?: Ending[];
	isDryRun?: boolean;
	isTestRun?: boolean;
	/** Whether a try before it has begun to send them. */
	isLaterTry?: boolean;
	/** No safeguard asks who got a message. */
	ignoresRecipients?: boolean;
}

const messageTo = (recipient: string, itemIndex: number, text = 'Hi'): Message => {
	return { request: { url: 'u', body: { text } }, recipient, itemIndex };
};

/** @param store what n8n keeps of the execution */
function count(store: object, { execution = '1', run = 0, items = [], ...how }: Run) {
	const context = { getContext: () => store, getExecutionId: () => execution };
	const part = how.isDryRun ? 'dryRun' : 'sending';
	const state = new ExecutionState(context as never, run, part, !how.ignoresRecipients);
	const counting = stopping.countOutcomes(state, execution, 0, false);
	for (const [itemIndex, end] of items.entries()) {
		const message = messageTo(String(itemIndex), itemIndex);
		if (how.isLaterTry) message.before = { by: 'ledger', entry: {} as never };
		const toTester: Message = { ...message, recipient: 'me', tested: message };
		counting.onOutcome(ENDINGS[end] as Outcome, how.isTestRun ? toTester : message);
	}
	return state;
}

interface Counted {
	sent: number;
	failuresInRow: number;
	recipients: number;
	hasAccepted: boolean;
}

/** What is counted after these runs of one execution, and its retries. */
function countedAfter(...runs: Run[]): Counted {
	const store = {};
	const { counts } = runs.map((run) => count(store, run)).at(-1)!;
	return {
		sent: total(counts.sent),
		failuresInRow: total(counts.failures?.inARow),
		recipients: Object.keys(counts.recipients).length,
		hasAccepted: counts.failures?.hasAccepted === true,
	};
}

const NOTHING: Counted = { sent: 0, failuresInRow: 0, recipients: 0, hasAccepted: false };

it.each<[end: Ending, counted: Partial<Counted>]>([
	['accepted', { sent: 1, recipients: 1, hasAccepted: true }],
	['accepted in an earlier try', { recipients: 1 }],
	['rejected', { failuresInRow: 1 }],
	['uncertain', { sent: 1, failuresInRow: 1, recipients: 1 }],
	['not attempted', {}],
	['skipped, since its key was used', {}],
	['skipped, since another Retry has sent it', { sent: 1, recipients: 1 }],
	['skipped by Do Not Contact', {}],
])('a message that is %s counts as %j', (end, counted) => {
	expect(countedAfter({ items: [end] })).toEqual({ ...NOTHING, ...counted });
});

it('an acceptance ends the failures in a row', () => {
	const { failuresInRow } = countedAfter({ items: ['rejected', 'accepted'] });
	expect(failuresInRow).toBe(0);
});

it('what is sent again counts once', () => {
	const again: Run = {
		isLaterTry: true,
		items: ['skipped, since another Retry has sent it', 'accepted'],
	};
	expect(countedAfter(again)).toMatchObject({ sent: 0, recipients: 2 });
});

it('recipients are only kept if a safeguard asks for them', () => {
	const counted = countedAfter({ items: ['accepted'], ignoresRecipients: true });
	expect(counted).toMatchObject({ sent: 1, recipients: 0 });
});

it('a test run counts the customers, not the test recipient', () => {
	const counted = countedAfter({ isTestRun: true, items: ['accepted', 'accepted', 'rejected'] });
	expect(counted).toMatchObject({ sent: 2, recipients: 2 });
});

it('failures of all turns of a loop are in one row', () => {
	const { failuresInRow } = countedAfter(
		{ run: 0, items: ['rejected'] },
		{ run: 1, items: ['rejected'] },
	);
	expect(failuresInRow).toBe(2);
});

it('another try of a run counts its failures again', () => {
	const twoRejected: Run = { items: ['rejected', 'rejected'] };
	const { failuresInRow } = countedAfter(twoRejected, { items: ['rejected'] });
	expect(failuresInRow).toBe(1);
});

it('a Retry counts on what was sent, and begins again with failures', () => {
	const first: Run = { execution: '1', items: ['accepted', 'rejected'] };
	const counted = countedAfter(first, { execution: '2', items: ['rejected'] });
	expect(counted).toEqual({ sent: 1, failuresInRow: 1, recipients: 1, hasAccepted: false });
});

it('another try of a run counts on what it sent', () => {
	const accepted: Run = { items: ['accepted'] };
	expect(countedAfter(accepted, accepted)).toMatchObject({ sent: 2, recipients: 1 });
});

describe('a dry run', () => {
	const dryRun: Run = { isDryRun: true, items: ['accepted'] };

	it('counts again in another try', () => {
		expect(countedAfter(dryRun, dryRun)).toMatchObject({ sent: 1, recipients: 1 });
	});

	it('counts each turn of a loop once, however often it is tried', () => {
		const inTurn = (run: number): Run => ({ ...dryRun, isTestRun: true, run });
		expect(countedAfter(inTurn(0), inTurn(1), inTurn(1))).toMatchObject({ sent: 2 });
	});

	it('leaves nothing behind that counts in earnest', () => {
		const counted = countedAfter(dryRun, { items: ['rejected'] });
		expect(counted).toEqual({ ...NOTHING, failuresInRow: 1 });
	});
});

it('calls of an agent at the same time count together', () => {
	const store = {};
	const first = count(store, { run: 'call a', items: ['rejected'] });
	const second = count(store, { run: 'call b', items: ['rejected'] });
	const counting = stopping.countOutcomes(first, '1', 0, false);
	counting.onOutcome({ delivery: 'accepted', record: {} }, messageTo('1', 0));
	expect(second.counts.failures?.hasAccepted).toBe(true);
	expect(total(second.counts.failures?.inARow)).toBe(0);
});

describe('the first message to customer 1, who has item 1 in run 0', () => {
	const accepted: Run = { run: 0, items: ['rejected', 'accepted'] };
	const uncertain: Run = { run: 0, items: ['rejected', 'uncertain'] };
	const acceptedInCall: Run = { ...accepted, run: 'call a' };
	const uncertainLater: Run = { ...uncertain, run: 1 };
	const item1 = { firstItemIndex: 1, firstRunIndex: undefined };
	const item1OfRun0 = { firstItemIndex: 1, firstRunIndex: 0 };

	interface Asked {
		before: Run[];
		asks: { run: number | string; item: number; text?: string };
		first: object | undefined;
	}

	it.each<[what: string, Asked]>([
		['is no other message', { before: [accepted], asks: { run: 0, item: 1 }, first: undefined }],
		['is named in its run', { before: [accepted], asks: { run: 0, item: 0 }, first: item1 }],
		[
			'is named with its run in another one',
			{ before: [accepted], asks: { run: 1, item: 1 }, first: item1OfRun0 },
		],
		[
			'is named without a run by another call of an agent',
			{ before: [acceptedInCall], asks: { run: 'call b', item: 0 }, first: item1 },
		],
		[
			'stays the first one if a later one is uncertain',
			{ before: [accepted, uncertainLater], asks: { run: 2, item: 1 }, first: item1OfRun0 },
		],
		[
			'is named in its run if it is uncertain',
			{ before: [uncertain], asks: { run: 0, item: 0 }, first: item1 },
		],
		[
			'is no other message if it is uncertain, and sent again in another run',
			{ before: [uncertain], asks: { run: 1, item: 0 }, first: undefined },
		],
		[
			'is named if it is uncertain, and another text is sent',
			{ before: [uncertain], asks: { run: 1, item: 0, text: 'Bye' }, first: item1OfRun0 },
		],
	])('%s', (_, { before, asks, first }) => {
		const store = {};
		for (const run of before) count(store, run);
		const message = messageTo('1', asks.item, asks.text);
		expect(count(store, { run: asks.run }).earlierItemFor(message)).toEqual(first);
	});
});

// As with an MCP client's call, whatever its type says.
it('in a call without an execution ID, a message counts as well', () => {
	const store = {};
	const context = { getContext: () => store, getExecutionId: () => undefined };
	const state = new ExecutionState(context as never, 'call', 'sending', true);
	const counting = stopping.countOutcomes(state, undefined as never, 0, true);
	counting.onOutcome(ENDINGS.rejected as Outcome, messageTo('Ada', 0));
	expect(total(state.counts.failures?.inARow)).toBe(1);
});

describe('a message to resend, whose row has moved since the earlier try of its run', () => {
	const before = { by: 'ledger', entry: {} as never } as const;
	const moved = (text = 'Hi'): Message => ({ ...messageTo('0', 4, text), before });

	it.each(['Hi', 'Hi, at 9:01'])('is no repetition of itself: %s', (text) => {
		const state = count({}, { items: ['uncertain'] });
		expect(state.earlierItemFor(moved(text))).toBeUndefined();
	});

	it('makes another row of its customer a repetition', () => {
		const state = count({}, { items: ['uncertain'] });
		expect(state.earlierItemFor(messageTo('0', 4))).toEqual({ firstItemIndex: 0 });
	});
});
