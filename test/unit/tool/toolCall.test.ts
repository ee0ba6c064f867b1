import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { SendResult } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { toolCallOf } from '../../../nodes/OutboundMessaging/tool/toolCall';

beforeEach(() => jest.useFakeTimers());

const pass = (seconds: number) => jest.advanceTimersByTime(seconds * 1000);
const request = { url: '', body: {} };
const failure = { title: 'Too many', description: '' };
const asksFor = (seconds: number): SendResult => ({
	...{ delivery: 'askedToWait', failure, retryAfterMs: seconds * 1000 },
});
const limited = (seconds: number): object => ({
	...{ delivery: 'rejected' },
	failure: { ...failure, n8nCause: { cause: 'rate-limited', retryAfterMs: seconds * 1000 } },
});

/** @returns how n8n begins each try: 3 of them, 2 s apart */
function callOf(json: IDataObject = {}) {
	const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 2000, parameters: {} };
	const context = { getNode: () => node, getInputData: () => [{ json }] };
	return () => toolCallOf(context as unknown as IExecuteFunctions);
}

/** @returns what a request has as its timeout, and how it ends */
function sending(call: ReturnType<typeof toolCallOf>, result: SendResult, timeout = 20_000) {
	const timeouts: number[] = [];
	const send = call.limitSend(timeout, (given) => async () => {
		timeouts.push(given);
		return result;
	});
	return async () => [await send(request), ...timeouts.splice(0)];
}

test('the tries of a call share its time, and leave the waits to those to come', () => {
	const begin = callOf();
	const [first, leftMs] = [begin(), () => [first.remainingMs(), first.limitWait(20_000)]];
	expect([first.isFirstTry, first.isLastTry, ...leftMs()]).toEqual([true, false, 40_000, 20_000]);
	pass(10);
	expect([...leftMs(), first.limitWait(5000)]).toEqual([30_000, 15_000, 5000]);
	const second = begin();
	expect([second.isFirstTry, second.isLastTry, second.remainingMs()]).toEqual([
		false,
		false,
		32_000,
	]);
	expect(second.id).toBe(first.id);
	const third = begin();
	expect([third.isFirstTry, third.isLastTry, third.remainingMs()]).toEqual([false, true, 34_000]);
	expect(begin().remainingMs()).toBe(34_000);
	pass(20);
	expect(leftMs()).toEqual([10_000, 0]);
	pass(20);
	expect(leftMs()).toEqual([0, 0]);
	expect(callOf()().id).not.toBe(first.id);
});

test('a request ends within the call, and none begins after it', async () => {
	const call = callOf()();
	const send = sending(call, { delivery: 'accepted', record: {} });
	expect(await send()).toEqual([expect.objectContaining({ delivery: 'accepted' }), 20_000]);
	pass(30);
	expect(await send()).toEqual([expect.objectContaining({ delivery: 'accepted' }), 9500]);
	pass(9.5);
	const late = { delivery: 'rejected', failure: expect.objectContaining({ reason: 'toolCall' }) };
	expect(await send()).toEqual([late]);
});

test('a call waits for one rate limit, and no try sends before it ends', async () => {
	const begin = callOf();
	const send = sending(begin(), asksFor(5));
	expect(await send()).toEqual([asksFor(5), 20_000]);
	pass(2);
	expect(await sending(begin(), asksFor(5))()).toEqual([limited(3)]);
	pass(3);
	expect(await send()).toEqual([limited(5), 20_000]);
	expect(await sending(callOf()(), asksFor(25))()).toEqual([asksFor(25), 20_000]);
	expect(await sending(callOf()(), asksFor(26))()).toEqual([limited(26), 20_000]);
	const unknown = { delivery: 'askedToWait', failure } as const;
	const again = sending(callOf()(), unknown);
	expect([await again(), await again()]).toEqual([
		[unknown, 20_000],
		[limited(0), 20_000],
	]);
});

test('an ID of the model makes a call the same one in each execution, its arguments included', () => {
	const idOf = (json: IDataObject) => [callOf(json)().id, callOf(json)().hasModelId];
	expect(idOf({ toolCallId: 'call_0' })).toEqual(idOf({ toolCallId: 'call_0' }));
	for (const toolCallId of ['', 7])
		expect(idOf({ toolCallId })).toEqual([expect.any(String), false]);
});
