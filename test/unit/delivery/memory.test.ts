import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Memory, memoryOf } from '../../../nodes/OutboundMessaging/delivery/memory';
import type { Message } from '../../../nodes/OutboundMessaging/delivery/message';

const record = { id: 'm', extra: { success: true } };
const failure = { title: 'Wallet empty', statusCode: 500, code: 'W-9' };
const URL = 'https://api.example.com/text';
const message = (itemIndex: number, recipient = '42', url = URL, text = 'Hi'): Message => ({
	itemIndex,
	recipient,
	request: { url, body: { text } },
});
/** What n8n keeps between tries goes through JSON. */
const stored = (store: IDataObject) => JSON.parse(JSON.stringify(store)) as IDataObject;

/** A first try with one message of each outcome. */
function firstTry(): IDataObject {
	const store: IDataObject = {};
	const memory = new Memory(store, 0, 'execution 1');
	for (const itemIndex of [0, 1, 2, 3]) memory.markInFlight(message(itemIndex));
	memory.accepted(message(1), record);
	memory.uncertain(message(2), { ...failure, ...{ description: 'not kept' } });
	memory.delete(message(3));
	return stored(store);
}

describe('a later try', () => {
	const sameContent = true;
	it.each<[string, Message, unknown]>([
		['a request without a response', message(0), { delivery: 'uncertain', sameContent }],
		['what was accepted', message(1), { delivery: 'accepted', record, sameContent }],
		['why it was uncertain', message(2), { delivery: 'uncertain', failure, sameContent }],
		['nothing of what was not sent', message(3), undefined],
		['nothing of what was not attempted', message(4), undefined],
		['nothing of another recipient', message(1, '43'), undefined],
		['nothing of another service or operation', message(1, '42', `${URL}2`), undefined],
		[
			'that the content has changed',
			message(1, '42', URL, 'Bye'),
			{ delivery: 'accepted', record, sameContent: false },
		],
	])('knows %s', (_, asked, known) => {
		expect(new Memory(firstTry(), 0, 'execution 1').get(asked)).toEqual(known);
	});

	it('knows nothing of another run of the loop', () => {
		expect(new Memory(firstTry(), 1, 'execution 1').get(message(1))).toBeUndefined();
	});

	it.each<[string, number, string | undefined, string | undefined]>([
		['accepted, whoever it was for', 1, URL, 'accepted'],
		['accepted, wherever it was sent', 1, undefined, 'accepted'],
		['uncertain', 2, URL, 'uncertain'],
		['sent elsewhere', 1, `${URL}2`, undefined],
		['not sent', 3, undefined, undefined],
	])("knows an item that can't be read now: %s", (_, itemIndex, url, delivery) => {
		const memory = new Memory(firstTry(), 0, 'execution 1');
		expect(memory.ofItem(itemIndex, url)?.delivery).toBe(delivery);
		expect(memory.size).toBe(3);
	});

	it('keeps what was sent elsewhere beside what is sent now', () => {
		const store = firstTry();
		const memory = new Memory(store, 0, 'execution 1');
		const elsewhere = message(1, '42', `${URL}2`);
		memory.markInFlight(elsewhere);
		memory.accepted(elsewhere, { id: 'other' });
		const later = new Memory(stored(store), 0, 'execution 1');
		expect(later.get(message(1))).toMatchObject({ record });
		expect(later.get(elsewhere)).toMatchObject({ record: { id: 'other' } });
		memory.delete(elsewhere);
		expect(memory.get(elsewhere)).toBeUndefined();
		expect(memory.get(message(1))).toMatchObject({ record });
	});
});

describe('two executions that began with the same memory', () => {
	it('name a message alike, and the first execution has no name for it', () => {
		const first = firstTry();
		expect(new Memory(first, 0, 'execution 1').retryKey(message(4))).toBeUndefined();
		const [one, two] = ['execution 2', 'execution 3'].map((execution) => {
			const store = stored(first);
			const key = new Memory(store, 0, execution).retryKey(message(4));
			// A second try of a retried execution shares the memory that it began with.
			expect(new Memory(stored(store), 0, execution).retryKey(message(4))).toBe(key);
			return key;
		});
		expect(one).toBe(two);
		expect(one).toContain('42');
	});

	it.each<[string, Message, number]>([
		['run', message(4), 1],
		['item', message(5), 0],
		['recipient', message(4, '43'), 0],
		['URL', message(4, '42', `${URL}2`), 0],
	])('another %s has another name', (_, asked, runIndex) => {
		const store = firstTry();
		const key = new Memory(store, 0, 'execution 2').retryKey(message(4));
		expect(new Memory(store, runIndex, 'execution 2').retryKey(asked)).not.toBe(key);
	});

	it('two memories have different names', () => {
		const keys = [firstTry(), firstTry()].map((store) =>
			new Memory(store, 0, 'execution 2').retryKey(message(4)),
		);
		expect(keys[0]).not.toBe(keys[1]);
	});
});

it('forgetting a run keeps the other runs', () => {
	const store: IDataObject = {};
	const [run0, run1] = [new Memory(store, 0, ''), new Memory(store, 1, '')];
	run0.accepted(message(0), record);
	run1.accepted(message(0), record);
	run0.forget();
	expect(run0.get(message(0))).toBeUndefined();
	expect(run1.get(message(0))).toMatchObject({ delivery: 'accepted', record });
});

it.each<[string, IDataObject]>([
	['something else under its name', { run0: 'x' }],
	['a list', { run0: ['x'] }],
	['an entry that is none', { run0: { '0': 'x' } }],
	['entries that are none', { run0: { '0': ['x', null] } }],
	['null', { run0: null }],
])('a store with %s counts as empty', (_, store) => {
	const memory = new Memory(store, 0, '');
	expect(memory.get(message(0))).toBeUndefined();
	memory.accepted(message(0), record);
	expect(memory.get(message(0))).toMatchObject({ delivery: 'accepted', record });
});

describe('of an execution', () => {
	const execution = (store: IDataObject, $runIndex: number) =>
		({
			getContext: (type: string) => (type === 'node' ? store : {}),
			getExecutionId: () => '7',
			getWorkflowDataProxy: () => ({ $runIndex }),
		}) as unknown as IExecuteFunctions;

	it("is in the node's context, under the run index", () => {
		const store: IDataObject = {};
		memoryOf(execution(store, 3)).accepted(message(0), record);
		expect(Object.keys(store)).toContain('run3');
		expect(memoryOf(execution(store, 3)).get(message(0))).toBeDefined();
		expect(memoryOf(execution(store, 4)).get(message(0))).toBeUndefined();
	});
});
