import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { beginTry } from '../../../nodes/OutboundMessaging/tool/toolCall';

beforeEach(() => jest.useFakeTimers());
const pass = (seconds: number) => jest.advanceTimersByTime(seconds * 1000);

/** @returns what begins a try as n8n does: 3 of them, 2 s apart */
function callOf(json: IDataObject = {}) {
	const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 2000, parameters: {} };
	const context = { getNode: () => node, getInputData: () => [{ json }] };
	return () => beginTry(context as unknown as IExecuteFunctions);
}

test('the tries of a call share its time, and leave room for the waits between them', () => {
	const begin = callOf();
	const first = begin();
	const told = ({ isLastTry, leftMs, longestWaitMs }: typeof first) => {
		return [isLastTry, leftMs(), Math.min(20_000, longestWaitMs())];
	};
	expect(told(first)).toEqual([false, 40_000, 20_000]);
	pass(10);
	expect(told(first)).toEqual([false, 30_000, 15_000]);
	const second = begin();
	expect([second.id, ...told(second)]).toEqual([first.id, false, 32_000, 17_000]);
	for (let time = 3; time <= 4; time++) expect(told(begin())).toEqual([true, 34_000, 19_000]);
	pass(20);
	expect(told(first)).toEqual([false, 10_000, 0]);
	pass(20);
	expect(told(first)).toEqual([false, 0, 0]);
	expect(callOf()().id).not.toBe(first.id);
});

test('a request ends within the call, and none begins after it', async () => {
	const accepted = { delivery: 'accepted', record: {} } as const;
	const timeouts: unknown[] = [];
	const limited = callOf()().limitSend(async (_, mostMs) => {
		timeouts.push(mostMs);
		return accepted;
	});
	const send = async () => await limited({ url: '', body: {} });
	expect(await send()).toBe(accepted);
	pass(30);
	expect(await send()).toBe(accepted);
	pass(9.5);
	expect(await send()).toMatchObject({ delivery: 'notAttempted', failure: { reason: 'toolCall' } });
	expect(timeouts).toEqual([39_500, 9500]);
});

test.each(['', 7])('%j is no ID of a call', (toolCallId) =>
	expect(callOf({ toolCallId })().modelId).toBeUndefined(),
);
