import { dependencies } from '../../../nodes/OutboundMessaging/delivery/dependencies';
import { runPool } from '../../../nodes/OutboundMessaging/delivery/pool';

describe('what has to end before a task starts', () => {
	it.each<[string, string[][], number[][]]>([
		['nothing', [], []],
		['different keys', [['a'], ['b']], [[], []]],
		['one key', [['a'], ['a'], ['a']], [[], [0], [1]]],
		['two keys that take turns', [['a'], ['b'], ['a'], ['b']], [[], [], [0], [1]]],
		['a task with two keys', [['a'], ['k'], ['a', 'k'], ['k'], ['a']], [[], [], [0, 1], [2], [2]]],
		['tasks without keys', [[], ['a'], []], [[], [], []]],
		['names of a prototype', [['__proto__'], ['constructor'], ['__proto__']], [[], [], [0]]],
	])('%s', (_, keys, before) => {
		expect(dependencies(keys)).toEqual(before);
	});
});

/** Tasks that end when they are told to. */
function tasks(keys: string[][], maxInFlight: number, stopped = () => false) {
	const started: number[] = [];
	const inFlight = new Map<number, () => void>();
	let most = 0;
	let done = false;
	const pool = runPool({
		dependencies: dependencies(keys),
		maxInFlight: () => maxInFlight,
		shouldStop: stopped,
		run: async (position) =>
			await new Promise<void>((resolve) => {
				started.push(position);
				inFlight.set(position, resolve);
				most = Math.max(most, inFlight.size);
			}),
	}).then(() => {
		done = true;
	});
	const settled = async () => {
		for (let turn = 0; turn < 5; turn++) await Promise.resolve();
	};
	return {
		pool,
		started,
		inFlight: () => [...inFlight.keys()],
		most: () => most,
		isDone: () => done,
		end: async (position: number) => {
			const resolve = inFlight.get(position);
			if (resolve === undefined) throw new Error(`Task ${position} is not in flight`);
			inFlight.delete(position);
			resolve();
			await settled();
		},
	};
}

describe('a pool', () => {
	it('without tasks ends at once', async () => {
		await expect(tasks([], 3).pool).resolves.toBeUndefined();
	});

	it('starts in order, never more than allowed, and ends with the last', async () => {
		const run = tasks([['a'], ['b'], ['c'], ['d']], 2);
		expect(run.inFlight()).toEqual([0, 1]);
		await run.end(1);
		expect(run.inFlight()).toEqual([0, 2]);
		await run.end(0);
		await run.end(2);
		expect(run.isDone()).toBe(false);
		await run.end(3);
		await run.pool;
		expect(run.started).toEqual([0, 1, 2, 3]);
		expect(run.most()).toBe(2);
	});

	it('tasks with the same key go one after the other, others overtake them', async () => {
		const run = tasks([['a'], ['a'], ['a'], ['b']], 10);
		expect(run.inFlight()).toEqual([0, 3]);
		await run.end(3);
		expect(run.inFlight()).toEqual([0]);
		await run.end(0);
		expect(run.inFlight()).toEqual([1]);
		await run.end(1);
		expect(run.inFlight()).toEqual([2]);
		await run.end(2);
		await run.pool;
	});

	it("what waited for another goes before what wasn't looked at yet", async () => {
		const run = tasks([['a'], ['a'], ['b'], ['c']], 1);
		await run.end(0);
		expect(run.started).toEqual([0, 1]);
		await run.end(1);
		expect(run.started).toEqual([0, 1, 2]);
	});

	it('a task with two keys waits for both', async () => {
		const run = tasks([['a'], ['k'], ['a', 'k']], 10);
		await run.end(1);
		expect(run.inFlight()).toEqual([0]);
		await run.end(0);
		expect(run.inFlight()).toEqual([2]);
	});

	it('a task that shares both keys with the one before starts once', async () => {
		const run = tasks(
			[
				['a', 'k'],
				['a', 'k'],
			],
			10,
		);
		await run.end(0);
		expect(run.inFlight()).toEqual([1]);
		await run.end(1);
		await run.pool;
		expect(run.started).toEqual([0, 1]);
	});

	it('once stopped nothing starts, and it ends when those in flight have ended', async () => {
		let stopped = false;
		const run = tasks([['a'], ['b'], ['c'], ['a']], 2, () => stopped);
		stopped = true;
		await run.end(0);
		expect(run.inFlight()).toEqual([1]);
		expect(run.isDone()).toBe(false);
		await run.end(1);
		await run.pool;
		expect(run.started).toEqual([0, 1]);
	});

	it('stopped from the beginning starts nothing', async () => {
		const run = tasks([['a'], ['b']], 2, () => true);
		await run.pool;
		expect(run.started).toEqual([]);
	});

	it.each([
		['different recipients', (position: number) => [`${position}`]],
		['one recipient', () => ['a']],
		['ten recipients', (position: number) => [`${position % 10}`]],
	])('30,000 tasks to %s', async (_, keysOf) => {
		const count = 30_000;
		const perKey = new Map<string, number>();
		let inFlight = 0;
		let most = 0;
		let disorder = 0;
		await runPool({
			dependencies: dependencies(Array.from({ length: count }, (__, index) => keysOf(index))),
			maxInFlight: () => 7,
			shouldStop: () => false,
			run: async (position) => {
				const [key] = keysOf(position);
				if ((perKey.get(key) ?? -1) >= position) disorder++;
				perKey.set(key, position);
				most = Math.max(most, ++inFlight);
				await Promise.resolve();
				inFlight--;
			},
		});
		expect(disorder).toBe(0);
		expect(most).toBeLessThanOrEqual(7);
		expect(Math.max(...perKey.values())).toBe(count - 1);
	});
});

const throwing = () => {
	throw new Error('x');
};
it.each([
	['rejects', async () => throwing()],
	['throws', throwing],
])('a task that %s ends like any other', async (_, fail) => {
	const ended: number[] = [];
	await runPool({
		dependencies: dependencies([['a'], ['a'], ['b']]),
		maxInFlight: () => 1,
		shouldStop: () => false,
		run: async (position) => {
			if (position === 0) await fail();
			ended.push(position);
		},
	});
	expect(ended).toEqual([1, 2]);
});
