import type { IDataObject } from 'n8n-workflow';

import { fromMemory } from '../../../nodes/OutboundMessaging/delivery/deliveryOutcomes';
import type { Message } from '../../../nodes/OutboundMessaging/delivery/message';
import type { ToolCall } from '../../../nodes/OutboundMessaging/tool/toolCall';
import { CallMemory } from '../../../nodes/OutboundMessaging/tool/callMemory';

const record = { id: 'm' };
const URL = 'https://api.example.com/text';
const message = (recipient = '7', text = 'Hi', url = URL): Message => ({
	itemIndex: 0,
	...{ recipient, request: { url, body: { text } } },
});
const HI = message();
const OTHERS = [message('8'), message('7', 'Bye'), message('7', 'Hi', `${URL}2`)];

/** The memory of a call in an execution. */
const CALL = { id: 'a', hasModelId: false, isFirstTry: true };
const memoryOf = (store: IDataObject, call: Partial<ToolCall> = {}, executionId = 'execution 1') =>
	new CallMemory(store, { ...CALL, ...call } as unknown as ToolCall, executionId);

/** An execution in which each of these calls has sent the message. */
function sentBy(...deliveries: string[]): IDataObject {
	const store: IDataObject = { damaged: { 0: null } };
	for (const [index, delivery] of deliveries.entries()) {
		const memory = memoryOf(store, { id: `call ${index}` });
		memory.markInFlight(HI);
		if (delivery === 'accepted') memory.accepted(HI, record);
	}
	return store;
}

it.each<[string[], string | undefined, string | undefined, boolean]>([
	[['accepted'], 'accepted', undefined, false],
	[['uncertain'], 'uncertain', 'uncertain', true],
	// Resent by choice.
	[['uncertain', 'accepted'], 'accepted', 'uncertain', true],
])('after %j: without an ID %s, with one %s', (deliveries, withoutId, withId, isUncertain) => {
	for (const hasModelId of [false, true]) {
		const memory = memoryOf(sentBy(...deliveries), { id: 'next', hasModelId });
		const known = fromMemory(memory.get(HI), HI);
		expect(known?.delivery).toBe(hasModelId ? withId : withoutId);
		for (const other of OTHERS) expect(memory.get(other)).toBeUndefined();
		const recipients = [HI, message('8')];
		expect(recipients.map((each) => memory.hasUncertain(each))).toEqual([isUncertain, false]);
	}
});

it('an item that cannot be read: what the call sent, from its second try on', () => {
	const store = {};
	memoryOf(store).accepted(HI, record);
	const read = [true, false].map((isFirstTry) => memoryOf(store, { isFirstTry }).ofItem(0, URL));
	expect(read).toEqual([undefined, expect.objectContaining({ record })]);
});

describe('the name of a call for all executions that began with one memory', () => {
	const nameOf = (executionId: string, call: Partial<ToolCall>, asked = HI) =>
		memoryOf({ id: 'store', executionId: 'execution 1' }, call, executionId).retryKey(asked);
	const name = nameOf('execution 2', {});

	it('is none in the first execution, and one in its retries, where a call has another ID', () => {
		expect(nameOf('execution 1', {})).toBeUndefined();
		expect(name).toEqual(expect.any(String));
		expect(nameOf('execution 3', { id: 'b' })).toBe(name);
	});

	it('differs for other messages, and for calls with IDs of their own', () => {
		const withId = ['a', 'b'].map((id) => nameOf('execution 2', { id, hasModelId: true }));
		const others = OTHERS.map((other) => nameOf('execution 2', {}, other));
		expect(new Set([name, ...withId, ...others]).size).toBe(6);
	});
});
