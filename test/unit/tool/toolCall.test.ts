import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';

import { systemClock, withinTime } from '../../../nodes/OutboundMessaging/common/clock';
import type { Failure } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { isToolCall } from '../../../nodes/OutboundMessaging/common/n8n';
import { toolCallOf } from '../../../nodes/OutboundMessaging/tool/toolCall';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

interface Run {
	json?: IDataObject;
	node?: Partial<INode>;
	/** The node type that runs the tool itself; n8n's engine runs it by default. */
	parent?: string;
	/** What the context of the run has in other releases of n8n. */
	release?: object;
}

function callOf({ json = { toolCallId: 'c1' }, node = {}, parent, release }: Run = {}) {
	const context = {
		getNode: () => ({ parameters: {}, ...node }),
		getInputData: () => [{ json }],
		isToolExecution: () => parent !== undefined,
		parentNode: parent === undefined ? undefined : { type: parent },
		...release,
	} as unknown as IExecuteFunctions;
	return toolCallOf(context);
}

const MINUTE = 60_000;

test.each([
	['package.outboundMessaging', false],
	['package.outboundMessagingTool', true],
	// Asks a person to approve the calls of other tools.
	['package.outboundMessagingHitlTool', false],
])('%s is a tool: %s', (type, isTool) => expect(isToolCall({ type } as INode)).toBe(isTool));

const OLDER = { isToolExecution: undefined };

test.each<[Run, boolean, string?]>([
	[{}, true],
	[{ json: {} }, false],
	[{ json: { toolCallId: '' } }, false],
	[{ json: { toolCallId: 7 } }, false],
	[{ parent: '@n8n/n8n-nodes-langchain.agent' }, false, 'agent'],
	[{ parent: '@n8n/n8n-nodes-langchain.mcpTrigger' }, false, 'mcp'],
	[{ release: OLDER }, true],
	[{ release: { ...OLDER, getNextRunIndex: () => 0 } }, false, 'agent'],
])('run with %j: has an ID of the model: %s', (...[run, hasModelId, caller]) => {
	const id = hasModelId ? /^c1 \S{16}$/ : /^[0-9a-f-]{36}$/;
	const call = callOf(run);
	expect(call).toMatchObject({ id: expect.stringMatching(id) as string, hasModelId });
	expect(call.caller).toBe(caller);
});

test('the tries of a call share its ID and its time', () => {
	const json = {};
	const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 2000 };
	const first = callOf({ json, node, parent: 'agent' });
	jest.advanceTimersByTime(10_000);
	const tries = [first, ...[2, 3].map(() => callOf({ json, node, parent: 'agent' }))];
	expect(tries.map(({ isFirstTry }) => isFirstTry)).toEqual([true, false, false]);
	expect(tries.map(({ isLastTry }) => isLastTry)).toEqual([false, false, true]);
	expect(new Set(tries.map(({ id }) => id)).size).toBe(1);
	// The waits that n8n still makes between the tries are taken off.
	const left = tries.map((call) => Math.round(call.remainingMs()));
	expect(left).toEqual([30_000, 32_000, 34_000]);
	expect(callOf({ json: {}, parent: 'agent' }).id).not.toBe(first.id);
});

/** 5 tries and 4 waits of 5 s, n8n's own limits. */
const MOST_TRIES = { retryOnFail: true, maxTries: 9, waitBetweenTries: 9e9 };

const request = { url: 'https://example.com', body: {} };

describe('a call ends within 45 seconds', () => {
	test.each([
		['no Retry On Fail', {}, 45_000],
		['the longest Retry On Fail', MOST_TRIES, 25_000],
	])('%s: whatever hangs', async (_, node, atMost) => {
		const hangs = new Promise<string>(() => undefined);
		const ended = withinTime(systemClock, callOf({ node }).remainingMs(), hangs, () => 'late');
		await jest.advanceTimersByTimeAsync(atMost);
		expect(await Promise.race([ended, 'open'])).toBe('late');
	});

	test('what ends in time is the answer, also if it fails', async () => {
		const inTime = async (work: Promise<string>) =>
			await withinTime(systemClock, callOf().remainingMs(), work, () => 'late');
		await expect(inTime(Promise.resolve('done'))).resolves.toBe('done');
		await expect(inTime(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
	});

	test('a wait for the rate limit leaves time for the request', async () => {
		const call = callOf();
		expect(call.limitWait(MINUTE)).toBe(29_000);
		expect(call.limitWait(1000)).toBe(1000);
		jest.advanceTimersByTime(40_000);
		expect(call.limitWait(1000)).toBe(0);
		expect(call.remainingMs()).toBe(4000);
		jest.advanceTimersByTime(5000);
		expect(call.remainingMs()).toBe(0);
	});

	test('a request has the rest of the time, and none starts when it is up', async () => {
		const timeouts: number[] = [];
		const send = callOf().limitSend(MINUTE, (timeout) => async () => {
			timeouts.push(timeout);
			return { delivery: 'accepted', record: {} };
		});
		await send(request);
		jest.advanceTimersByTime(30_000);
		await send(request);
		expect(timeouts).toEqual([43_500, 13_500]);
		jest.advanceTimersByTime(14_000);
		await expect(send(request)).resolves.toMatchObject({ delivery: 'rejected' });
		expect(timeouts).toHaveLength(2);
	});

	test.each<[string, number | undefined, string[]]>([
		['no time named', undefined, ['sent askedToWait', 'sent rejected', 'sent rejected']],
		['3 seconds', 3000, ['sent askedToWait', 'rejected 2000', 'sent rejected 3000']],
	])('a rate limit is waited for once, and for as long as asked: %s', async (_, wait, expected) => {
		const json = {};
		const node = { retryOnFail: true, maxTries: 5 };
		let requests = 0;
		const results: string[] = [];
		for (const pause of [0, 1000, 2000]) {
			jest.advanceTimersByTime(pause);
			const before = requests;
			const send = callOf({ json, node }).limitSend(MINUTE, () => async () => {
				requests++;
				const failure = { title: 'Limited', description: 'Wait' };
				return { delivery: 'askedToWait', failure, retryAfterMs: wait };
			});
			const result = await send(request);
			const { n8nCause } = (result as { failure: Failure }).failure;
			const { retryAfterMs } = (n8nCause ?? {}) as { retryAfterMs?: number };
			const words = [requests > before && 'sent', result.delivery, retryAfterMs];
			results.push(words.filter(Boolean).join(' '));
		}
		expect(results).toEqual(expected);
	});
});
