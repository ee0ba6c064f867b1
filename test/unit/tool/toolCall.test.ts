import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { SendResult } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { toolCallOf } from '../../../nodes/OutboundMessaging/tool/toolCall';

beforeEach(() => jest.useFakeTimers());
const pass = (seconds: number) => jest.advanceTimersByTime(seconds * 1000);

/** @returns what begins a try as n8n does: 3 of them, 2 s apart */
function callOf(json: IDataObject = {}) {
	const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 2000, parameters: {} };
	const context = { getNode: () => node, getInputData: () => [{ json }] };
	return () => toolCallOf(context as unknown as IExecuteFunctions);
}

/** @returns how a request ends, and what it had as its timeout */
const sending = (call: ReturnType<typeof toolCallOf>, result: SendResult) => async () => {
	const timeouts: number[] = [];
	const senderWith = (timeout: number) => {
		timeouts.push(timeout);
		return async () => result;
	};
	return [await call.limitSend(20_000, senderWith)({ url: '', body: {} }), ...timeouts];
};

test('the tries of a call share its time, and leave room for the waits between them', () => {
	const begin = callOf();
	const first = begin();
	const told = ({ isFirstTry, isLastTry, remainingMs, limitWait }: typeof first) => {
		return [isFirstTry, isLastTry, remainingMs(), limitWait(20_000)];
	};
	expect(told(first)).toEqual([true, false, 40_000, 20_000]);
	pass(10);
	expect(told(first)).toEqual([true, false, 30_000, 15_000]);
	const second = begin();
	expect([second.id, ...told(second)]).toEqual([first.id, false, false, 32_000, 17_000]);
	for (let time = 3; time <= 4; time++)
		expect(told(begin())).toEqual([false, true, 34_000, 19_000]);
	pass(20);
	expect(told(first)).toEqual([true, false, 10_000, 0]);
	pass(20);
	expect(told(first)).toEqual([true, false, 0, 0]);
	expect(callOf()().id).not.toBe(first.id);
});

test('a request ends within the call, and none begins after it', async () => {
	const accepted = { delivery: 'accepted', record: {} } as const;
	const send = sending(callOf()(), accepted);
	expect(await send()).toEqual([accepted, 20_000]);
	pass(30);
	expect(await send()).toEqual([accepted, 9500]);
	pass(9.5);
	expect(await send()).toMatchObject([{ delivery: 'rejected', failure: { reason: 'toolCall' } }]);
});

test('a call waits for one rate limit, and no try sends before it ends', async () => {
	const failure = { title: 'Too many', description: '' };
	const asks = (retryAfterMs?: number) =>
		({ delivery: 'askedToWait', failure, retryAfterMs }) as const;
	const limited = (retryAfterMs: number) => {
		const n8nCause = { cause: 'rate-limited', retryAfterMs };
		return { delivery: 'rejected', failure: { ...failure, n8nCause } };
	};
	const begin = callOf();
	const send = sending(begin(), asks(5000));
	expect(await send()).toEqual([asks(5000), 20_000]);
	pass(2);
	expect(await sending(begin(), asks(5000))()).toEqual([limited(3000)]);
	pass(3);
	expect(await send()).toEqual([limited(5000), 20_000]);
	expect(await sending(callOf()(), asks(25_000))()).toEqual([asks(25_000), 20_000]);
	expect(await sending(callOf()(), asks(26_000))()).toEqual([limited(26_000), 20_000]);
	const again = sending(callOf()(), asks());
	expect(await again()).toEqual([asks(), 20_000]);
	expect(await again()).toEqual([limited(0), 20_000]);
});

test.each(['', 7])('%j is no ID of a call', (toolCallId) =>
	expect(callOf({ toolCallId })().hasModelId).toBe(false),
);
