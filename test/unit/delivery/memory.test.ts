/** What stored executions can have besides what this release writes. What a memory is for is in test/engine. */
import type { IDataObject } from 'n8n-workflow';

import { type NodeState, stateIn } from '../../../nodes/OutboundMessaging/n8n/nodeState';
import { Memory, uncertainEntries } from '../../../nodes/OutboundMessaging/delivery/memory';

const url = 'https://api.example.com/text';
const message = { itemIndex: 0, recipient: '42', request: { url, body: { n: 68 } } };
const entry = { recipient: '42', url, content: 'c' };

const ODD = ['x', ['x'], { '0': 'x' }, { '0': ['x', null] }, { '0': { place: 'x' } }, null];
it.each(ODD)('%j in place of a run counts as nothing', (run) => {
	const state = { runs: { 0: run } } as unknown as NodeState;
	const beginning = { id: 'first', executionId: '1', isRetry: true };
	const memory = new Memory(state, beginning, 'runs', '0');
	expect([memory.get(message), memory.ofItem(0)]).toEqual([undefined, undefined]);
	if (run) expect(uncertainEntries(state)).toEqual([]);
	memory.rememberAccepted(message, { id: 'm' });
	expect(memory.get(message)).toMatchObject({ record: { id: 'm' } });
	expect(memory.ofItem(0, url)).toBe(memory.get(message));
	expect(memory.ofItem(0, 'another')).toBeUndefined();
	memory.endTry([], false);
	expect(state).toEqual({ runs: {} });
	memory.endTry([{ ...message, text: 'Hi' }], true);
	expect(uncertainEntries(state)).toMatchObject([{ url, text: expect.any(String) }]);
	memory.endTry([], true);
	expect(uncertainEntries(state)).toEqual([]);
});

it('a retry that knows no ID names a message by what it says, and counts equal ones in all runs', () => {
	const begun = { retriedSince: 7, executionId: '1', isRetry: true };
	const namesIn = (part: 'runs' | 'calls', ...runs: number[]) => {
		const state: NodeState = {};
		const names = runs.flatMap((count, run) => {
			const memory = new Memory(state, begun, part, String(run));
			const equal = Array.from({ length: count }, () => ({ ...message }));
			for (const each of equal) memory.countEqual(each);
			return equal.flatMap((each) => memory.keysOf(each));
		});
		return [...names, state.equal !== undefined];
	};
	// Other executions, and those of later releases, find the same names.
	const name = (before: number) => `retry 7 run0 0gXm2Sk2lSu7X1Ap ${before} 42 ${url}`;
	for (const runs of [[3], [1, 2], [1, 1, 1]])
		expect(namesIn('runs', ...runs)).toEqual([name(0), name(1), name(2), true]);
	expect(namesIn('calls', 1)).toEqual([name(0), false]);
});

it.each([
	['an ID', 'first', { id: 'first' }],
	['a time', 1000, { retriedSince: 1000 }],
])('reads what older executions stored, named by %s', (_, id, named) => {
	const run = { 0: { '42 u': entry } };
	const store = {
		...{ id, isRetry: true, executionId: '7', run0: run, run1: 'x', 'runCall a b': run },
		...{ 'uncertain run2': { 0: [entry] } },
		...{ safeguards: { sent: 2 }, dryRunSafeguards: { sent: 1 }, pace: { nextStart: 5 } },
		hasRefused: true,
	};
	expect(stateIn(store as unknown as IDataObject)).toEqual({
		beginning: { ...named, isRetry: true, executionId: '7' },
		runs: { 0: run, 1: {} },
		calls: { 'a b': run },
		leftUncertain: { 2: [entry] },
		...{ counts: { sent: 2 }, dryRunCounts: { sent: 1 }, pace: { nextStart: 5 } },
		hasRejected: true,
	});
});
