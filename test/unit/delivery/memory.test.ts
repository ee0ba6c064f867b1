/** How a memory names messages, and what it keeps of a try. What it's for is in test/engine. */
import type { NodeState } from '../../../nodes/OutboundMessaging/n8n/nodeState';
import { Memory } from '../../../nodes/OutboundMessaging/delivery/memory';
import { uncertainEntries } from '../../../nodes/OutboundMessaging/input/uncertainItems';

const url = 'https://api.example.com/text';
const message = { itemIndex: 0, recipient: '42', request: { url, body: { n: 68 } } };

it('what a try leaves uncertain is kept, and everything else until n8n runs the node no more', () => {
	const state: NodeState = {};
	const memory = new Memory(state, { id: 'first', executionId: '1', isRetry: true }, 'runs', '0');
	memory.set(message, undefined);
	expect([memory.get(message), memory.ofItem(0)]).toEqual([undefined, undefined]);
	expect(state).toEqual({ runs: { 0: {} } });
	memory.remember(message, { record: { id: 'm' } });
	expect(memory.get(message)).toMatchObject({ record: { id: 'm' } });
	const found = [{ url }, { url: 'another' }].map((of) => memory.ofItem(0, of));
	expect(found).toEqual([memory.get(message), undefined]);
	memory.endTry([], false);
	expect(state).toEqual({ runs: {} });
	memory.remember(message);
	memory.endTry([message, { ...message, itemIndex: 1, text: 'Hi' }], false);
	expect(uncertainEntries(state)).toMatchObject([{ url }, { url, text: expect.any(String) }]);
	memory.endTry([], true);
	expect(uncertainEntries(state)).toEqual([]);
});

it('a retry names a message by what it says, and counts equal ones in all runs', () => {
	const namesIn = (isRetry: boolean, ...runs: number[]) => {
		const state: NodeState = {};
		const names = runs.flatMap((count, run) => {
			const memory = new Memory(state, { id: '7', executionId: '1', isRetry }, 'runs', String(run));
			const equal = Array.from({ length: count }, () => ({ ...message }));
			return equal.flatMap((each) => memory.nextRetryKey(each) ?? []);
		});
		return [...names, state.equal !== undefined];
	};
	// Other executions, and those of later releases, find the same names.
	const name = (before: number) => `retry 7 42 ${url} 0gXm2Sk2lSu7X1Ap ${before}`;
	for (const runs of [[3], [1, 2], [1, 1, 1]]) {
		expect(namesIn(true, ...runs)).toEqual([name(0), name(1), name(2), true]);
	}
	expect(namesIn(false, 3)).toEqual([false]);
});
