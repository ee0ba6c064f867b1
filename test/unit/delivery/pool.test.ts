import { sleep } from 'n8n-workflow';

import { type Pool, runPool } from '../../../nodes/OutboundMessaging/delivery/pool';
import { words } from '../help';

interface Tasks {
	/** The key of each task, in their order; `expected` has the numbers of those in flight. */
	keys: string;
	maxInFlight: number;
	/** How many tasks may start. */
	mayStart?: number;
	ends?: number[];
}

const pool = async (keys: string, most: number, work: Pool['work'], shouldStop = () => false) =>
	await runPool({
		...{ work, shouldStop, maxInFlight: () => most },
		keys: words(keys),
	});

it.each`
	rule                                                                   | tasks                                                             | expected
	${'in their order, never more than allowed, until the last has ended'} | ${{ keys: 'a b c d', maxInFlight: 2, ends: [1, 0, 2, 3] }}        | ${['0 1', '0 2', '2 3', '3', '']}
	${'with the same key one after the other, and others overtake them'}   | ${{ keys: 'a a a b', maxInFlight: 10, ends: [3, 0, 1, 2] }}       | ${['0 3', '0', '1', '2', '']}
	${"what waited for another before what wasn't looked at yet"}          | ${{ keys: 'a a b c', maxInFlight: 1, ends: [0, 1, 2, 3] }}        | ${['0', '1', '2', '3', '']}
	${'once stopped none, but those in flight end'}                        | ${{ keys: 'a b c a', maxInFlight: 2, mayStart: 2, ends: [0, 1] }} | ${['0 1', '1', '']}
	${'stopped from the beginning none'}                                   | ${{ keys: 'a b', maxInFlight: 2, mayStart: 0 }}                   | ${['']}
`('tasks start: $rule', async ({ tasks, expected }: { tasks: Tasks; expected: string[] }) => {
	const { keys, maxInFlight, mayStart = 9, ends = [] } = tasks;
	const inFlight = new Map<number, () => void>();
	let started = 0;
	let isDone = false;
	const run = async (position: number) => {
		started++;
		await new Promise<void>((resolve) => inFlight.set(position, resolve));
	};
	const ended = pool(keys, maxInFlight, run, () => started >= mayStart).then(() => (isDone = true));
	await sleep(0);
	const seen = [[...inFlight.keys()].join(' ')];
	for (const position of ends) {
		expect(isDone).toBe(false);
		inFlight.get(position)?.();
		inFlight.delete(position);
		await sleep(0);
		seen.push([...inFlight.keys()].join(' '));
	}
	expect(seen).toEqual(expected);
	await ended;
});

it('a task that fails ends like any other', async () => {
	const ended: number[] = [];
	await pool('a a b', 1, async (position) => {
		if (position === 0) throw new Error('x');
		ended.push(position);
	});
	expect(ended).toEqual([1, 2]);
});

it('n8n has its turn while the first ones start', async () => {
	await sleep(0);
	const seen: string[] = [];
	void sleep(0).then(() => seen.push('n8n'));
	await pool('a b c', 9, async () => {
		seen.push('task');
		const begun = performance.now();
		while (performance.now() - begun < 9);
		await sleep(50);
	});
	expect(seen).toEqual(['task', 'task', 'n8n', 'task']);
});
