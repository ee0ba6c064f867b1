import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { type NodeState, stateIn } from '../../../nodes/OutboundMessaging/common/nodeState';
import {
	Memory,
	memoryOf,
	uncertainEntries,
} from '../../../nodes/OutboundMessaging/delivery/memory';
import { fromMemory, isSettled } from '../../../nodes/OutboundMessaging/delivery/deliveryOutcomes';
import type { Message } from '../../../nodes/OutboundMessaging/delivery/message';

const record = { id: 'm', extra: { success: true } };
const failure = { title: 'Wallet empty', statusCode: 500, code: 'W-9' };
const URL = 'https://api.example.com/text';
const message = (itemIndex: number, recipient = '42', url = URL, text = 'Hi'): Message => ({
	itemIndex,
	recipient,
	request: { url, body: { text } },
	text,
});
const elsewhere = message(1, '42', `${URL}2`);
interface Run {
	runIndex?: number;
	executionId?: string;
	/** When the execution began that is retried. */
	since?: number;
}
/** The memory of a run, in what n8n keeps for the node; changed in place. */
const memoryIn = (
	store: object,
	{ runIndex = 0, executionId = 'execution 1', since }: Run = {},
): Memory =>
	memoryOf({
		getContext: (type: string) => (type === 'node' ? store : {}),
		getExecutionId: () => executionId,
		getMode: () => (since === undefined ? 'trigger' : 'retry'),
		getExecutionContext: () => ({ establishedAt: since }),
		getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
	} as unknown as IExecuteFunctions);
/** From what n8n keeps between tries: it goes through JSON. */
const memoryFrom = (store: object, runIndex = 0, executionId = 'execution 1') =>
	memoryIn(JSON.parse(JSON.stringify(store)) as IDataObject, { runIndex, executionId });

/** A first try with one message of each outcome. */
function firstTry(): NodeState {
	const store: NodeState = {};
	const memory = memoryIn(store);
	for (const itemIndex of [0, 1, 2, 3]) memory.markInFlight(message(itemIndex));
	memory.rememberAccepted(message(1), record);
	memory.rememberUncertain(message(2), { ...failure, ...{ description: 'not kept' } });
	memory.delete(message(3));
	return store;
}

describe('a later try', () => {
	const accepted = { delivery: 'accepted', record, fromPreviousTry: true };
	const uncertain = { delivery: 'uncertain', fromPreviousTry: true };
	const title = expect.stringMatching(/wasn't sent again$/) as string;
	const why = expect.objectContaining({ statusCode: 500, code: 'W-9' }) as object;
	it.each<[string, Message, unknown, number?]>([
		['a lost response', message(0), { ...uncertain, failure: expect.objectContaining({ title }) }],
		['what was accepted', message(1), accepted],
		['why it was uncertain', message(2), { ...uncertain, failure: why }],
		['nothing of what was not sent', message(3), undefined],
		['nothing of another recipient', message(1, '43'), undefined],
		['nothing of another service or operation', elsewhere, undefined],
		['nothing of another run of the loop', message(1), undefined, 1],
		['changed content', message(1, '42', URL, 'Bye'), { ...accepted, contentChanged: true }],
	])('knows %s', (_, asked, known, runIndex = 0) => {
		expect(fromMemory(memoryFrom(firstTry(), runIndex).get(asked), asked)).toEqual(known);
	});

	it.each<[string, number, string | undefined, string | undefined]>([
		['accepted, whoever it was for', 1, URL, 'accepted'],
		['accepted, wherever it was sent', 1, undefined, 'accepted'],
		['uncertain', 2, URL, 'uncertain'],
		['sent elsewhere', 1, `${URL}2`, undefined],
		['not sent', 3, undefined, undefined],
	])("knows an item that can't be read now: %s", (_, itemIndex, url, delivery) => {
		const memory = memoryFrom(firstTry());
		expect(fromMemory(memory.ofItem(itemIndex, url))?.delivery).toBe(delivery);
		expect(memory.size).toBe(3);
	});
});

it.each([
	['in the execution that its link leads to', 'execution 1', 'accepted'],
	['in another execution', 'execution 2', 'notAttempted'],
	["when it can't be read", undefined, 'notAttempted'],
])('a question that was asked, %s: %s', (_, askedIn, delivery) => {
	const store = {};
	const question = { ...message(0), askedIn: 'execution 1' };
	memoryIn(store).rememberAccepted(question, record);
	const memory = memoryFrom(store, 0, askedIn);
	const known = askedIn ? memory.get({ ...question, askedIn }) : memory.ofItem(0);
	const outcome = fromMemory(known, askedIn ? { ...question, askedIn } : undefined)!;
	expect([outcome.delivery, isSettled(outcome, true)]).toEqual([delivery, true]);
});

it('a message has one name in all retries of an execution, which no other message has', () => {
	const first = firstTry();
	const nameOf = (asked: Message, runIndex = 0, executionId = 'execution 2', store = first) =>
		memoryFrom(store, runIndex, executionId).keysOf(asked)[0];
	expect(nameOf(message(4), 0, 'execution 1')).toBeUndefined();
	const name = nameOf(message(4));
	expect(memoryIn(first, { executionId: 'execution 2' }).keysOf(message(4))[0]).toBe(name);
	expect(nameOf(message(4))).toBe(name);
	expect(nameOf(message(4), 0, 'execution 3')).toBe(name);
	const asked = [message(5), message(4, '43'), message(4, '42', `${URL}2`)];
	const others = asked.map((each) => nameOf(each));
	others.push(nameOf(message(4), 1), nameOf(message(4), 0, 'execution 2', firstTry()));
	expect(new Set([name, ...others]).size).toBe(6);
	expect(others).not.toContain(undefined);
});

it('in a retry without a memory, a message is named by when the first execution began, and by its content', async () => {
	const namesIn = async (messages: Message[], since: number | undefined, runIndex = 0) => {
		const memory = memoryIn({}, { runIndex, executionId: String(Math.random()), since });
		for (const each of messages) memory.countEqual(each);
		return messages.map((each) => memory.keysOf(each)[0]);
	};
	const list = [message(0), message(1), message(2, '43'), message(3)];
	const names = await namesIn(list, 1000);
	expect(new Set(names).size).toBe(4);
	const moved = [message(0, '43'), message(1, '1', URL, 'new'), message(2), message(3)];
	expect((await namesIn(moved, 1000)).filter((name) => names.includes(name))).toHaveLength(3);
	const changed = [message(0, '42', URL, 'Bye'), elsewhere];
	const runs = [namesIn(changed, 1000), namesIn(list, 1001), namesIn(list, 1000, 1)];
	const others = await Promise.all(runs);
	for (const name of others.flat()) expect([...names, undefined]).not.toContain(name);
	expect(await namesIn(list, undefined)).toEqual([undefined, undefined, undefined]);
	// What it writes down is a memory for its own retries, which keep these names.
	const store = {};
	memoryIn(store, { executionId: 'execution 2', since: 1000 });
	const next = memoryIn(store, { executionId: 'execution 3', since: 1000 });
	for (const each of list) next.countEqual(each);
	expect(list.map((each) => next.keysOf(each)[0])).toEqual(names);
});

const DAMAGED = ['x', ['x'], { '0': 'x' }, { '0': ['x', null] }, null];
it.each(DAMAGED)('a store with %j in place of the run counts as empty', (run) => {
	const memory = memoryFrom({ runs: { 0: run } });
	expect(memory.get(message(0))).toBeUndefined();
	memory.rememberAccepted(message(0), record);
	expect(memory.get(message(0))).toMatchObject({ record });
});

it('is kept for each run, and forgets one run at a time', () => {
	const store: NodeState = {};
	for (const runIndex of [3, 4]) {
		expect(memoryIn(store, { runIndex }).get(message(0))).toBeUndefined();
		memoryIn(store, { runIndex }).rememberAccepted(message(0), record);
	}
	memoryIn(store, { runIndex: 4 }).forget();
	expect(memoryIn(store, { runIndex: 4 }).get(message(0))).toBeUndefined();
	expect(memoryIn(store, { runIndex: 3 }).get(message(0))).toMatchObject({ record });
});

it('names what its runs left uncertain, and keeps no more than that of a run that is over', () => {
	const store = firstTry();
	const told = (exceptRun?: number) =>
		uncertainEntries(store, exceptRun).map(({ url, failure, text }) => [url, failure, !!text]);
	const left = [
		[URL, undefined, false],
		[URL, failure, true],
	];
	expect(told()).toEqual(left);
	expect(told(0)).toEqual([]);
	memoryIn(store).forget();
	expect(told(0)).toEqual(left);
	const later = memoryIn(store, { runIndex: 12 });
	later.markInFlight(elsewhere);
	expect(told(12)).toEqual(left);
	expect(told(1)).toEqual([...left, [elsewhere.request.url, undefined, false]]);
	later.rememberAccepted(elsewhere, record);
	later.forget();
	expect(Object.keys(store.leftUncertain ?? {})).toEqual(['0']);
	expect(uncertainEntries({ runs: { 1: { 0: { place: 'x' } } } } as unknown as NodeState)).toEqual(
		[],
	);
});

it.each([
	['an ID', 'first', { id: 'first' }],
	['a time', 1000, { retriedSince: 1000 }],
])('reads what older executions stored, named by %s', (_, id, named) => {
	const { runs } = firstTry();
	const store = {
		...{ id, isRetry: true, executionId: '7', run0: runs![0], run1: 'x', 'runCall a b': runs![0] },
		...{ 'uncertain run2': { 0: [{ recipient: '42', url: URL, content: 'c' }] } },
		...{ safeguards: { sent: 2 }, dryRunSafeguards: { sent: 1 }, pace: { nextStart: 5 } },
		hasRefused: true,
	};
	expect(stateIn(store as unknown as IDataObject)).toEqual({
		beginning: { ...named, isRetry: true, executionId: '7' },
		runs: { 0: runs![0], 1: {} },
		calls: { 'a b': runs![0] },
		leftUncertain: { 2: [{ recipient: '42', url: URL, content: 'c' }] },
		...{ counts: { sent: 2 }, dryRunCounts: { sent: 1 }, pace: { nextStart: 5 } },
		hasRejected: true,
	});
});
