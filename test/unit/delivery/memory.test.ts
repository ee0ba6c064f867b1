/** What stored executions can have besides what this release writes. What a memory is for is in test/engine. */
import type { IDataObject } from 'n8n-workflow';

import { type NodeState, stateIn } from '../../../nodes/OutboundMessaging/common/nodeState';
import { Memory, uncertainEntries } from '../../../nodes/OutboundMessaging/delivery/memory';

const url = 'https://api.example.com/text';
const message = { itemIndex: 0, recipient: '42', request: { url, body: {} } };
const entry = { recipient: '42', url, content: 'c' };

const ODD = ['x', ['x'], { '0': 'x' }, { '0': ['x', null] }, { '0': { place: 'x' } }, null];
it.each(ODD)('%j in place of a run counts as nothing', (run) => {
	const state = { runs: { 0: run } } as unknown as NodeState;
	const beginning = { id: 'first', executionId: '1', isRetry: true };
	const memory = new Memory(state, beginning, 'runs', '0');
	expect(memory.get(message)).toBeUndefined();
	if (run) expect(uncertainEntries(state)).toEqual([]);
	memory.rememberAccepted(message, { id: 'm' });
	expect(memory.get(message)).toMatchObject({ record: { id: 'm' } });
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
