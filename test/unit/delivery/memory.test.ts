import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Memory, memoryOf } from '../../../nodes/OutboundMessaging/delivery/memory';
import type { Message } from '../../../nodes/OutboundMessaging/delivery/message';

const record = { id: 'm', extra: { success: true } };
const message = (itemIndex: number, recipient = '42'): Message => ({
	itemIndex,
	recipient,
	request: { url: 'https://api.example.com', body: {} },
});
/** What n8n keeps between tries goes through JSON. */
const kept = (store: IDataObject) => JSON.parse(JSON.stringify(store)) as IDataObject;

describe('a later try knows', () => {
	const store: IDataObject = {};
	const first = new Memory(store, 0);
	first.markInFlight(message(0));
	first.markInFlight(message(1));
	first.accepted(message(1), record);
	first.markInFlight(message(2));
	first.delete(message(2));

	it.each<[string, number, string, unknown]>([
		['what left without an answer', 0, '42', { delivery: 'uncertain' }],
		['what was accepted, with its record', 1, '42', { delivery: 'accepted', record }],
		['nothing of what was not sent', 2, '42', undefined],
		['nothing of what was not attempted', 3, '42', undefined],
		['nothing of another recipient', 1, '43', undefined],
	])('%s', (_, itemIndex, recipient, known) => {
		const later = new Memory(kept(store), 0);
		expect(later.get(message(itemIndex, recipient))).toEqual(known);
	});

	it('nothing of another run of the loop', () => {
		expect(new Memory(kept(store), 1).get(message(1))).toBeUndefined();
	});
});

it('forgetting leaves the other runs alone', () => {
	const store: IDataObject = {};
	const [run0, run1] = [new Memory(store, 0), new Memory(store, 1)];
	run0.accepted(message(0), record);
	run1.accepted(message(0), record);
	run0.forget();
	expect(Object.keys(store)).toEqual(['run1']);
	expect(run0.get(message(0))).toBeUndefined();
	expect(run1.get(message(0))).toEqual({ delivery: 'accepted', record });
});

it.each<[string, IDataObject]>([
	['something else under its name', { run0: 'x' }],
	['a list', { run0: ['x'] }],
	['an entry that is none', { run0: { '0': 'x' } }],
	['null', { run0: null }],
])('a store with %s is taken for empty', (_, store) => {
	const memory = new Memory(store, 0);
	expect(memory.get(message(0))).toBeUndefined();
	memory.accepted(message(0), record);
	expect(memory.get(message(0))).toEqual({ delivery: 'accepted', record });
});

describe('of an execution', () => {
	const execution = (store: IDataObject, $runIndex: number) =>
		({
			getContext: (type: string) => (type === 'node' ? store : {}),
			getWorkflowDataProxy: () => ({ $runIndex }),
		}) as unknown as IExecuteFunctions;
	const toolCall = (json: IDataObject) =>
		({
			isToolExecution: () => true,
			getInputData: () => [{ json }],
		}) as unknown as IExecuteFunctions;

	it("stands in the node's context, under the run index", () => {
		const store: IDataObject = {};
		memoryOf(execution(store, 3)).accepted(message(0), record);
		expect(Object.keys(store)).toEqual(['run3']);
		expect(memoryOf(execution(store, 3)).get(message(0))).toBeDefined();
		expect(memoryOf(execution(store, 4)).get(message(0))).toBeUndefined();
	});

	it('as a tool stands with the call, and equal words are still two calls', () => {
		const [one, two] = [{ text: 'Hi' }, { text: 'Hi' }];
		memoryOf(toolCall(one)).accepted(message(0), record);
		expect(memoryOf(toolCall(one)).get(message(0))).toBeDefined();
		expect(memoryOf(toolCall(two)).get(message(0))).toBeUndefined();
	});
});
