import { yieldIfDue } from '../common/eventLoop';

/** What a pool works on. */
export interface Pool {
	/** A key for each task: tasks that share one are done one after the other, in their order. */
	keys: string[];
	maxInFlight(): number;
	/** However it ends, an exception included, its place becomes free. */
	work(position: number): Promise<void>;
	shouldStop(): boolean;
}

/** Does tasks in parallel, as many at a time as allowed and otherwise in their order, until all that were started have ended. */
export async function runPool({ keys, maxInFlight, work, shouldStop }: Pool): Promise<void> {
	/** The next task with the same key, by the position of each task that has one. */
	const next = new Map<number, number>();
	const latest = new Map<string, number>();
	const independent: number[] = [];
	keys.forEach((key, position) => {
		const before = latest.get(key);
		latest.set(key, position);
		if (before === undefined) independent.push(position);
		else next.set(before, position);
	});
	// What waited for another task goes before what hasn't started yet: its turn was earlier.
	const released: number[] = [];
	let nextIndependent = 0;
	let inFlight = 0;
	let limit = 0;
	const tasks: Array<Promise<void>> = [];

	const start = () => {
		while (inFlight < Math.min(limit, maxInFlight()) && !shouldStop()) {
			const position = released.shift() ?? independent[nextIndependent++];
			if (position === undefined) return;
			inFlight++;
			tasks.push(runTask(position));
		}
	};
	const runTask = async (position: number) => {
		// The others still get their turns, and the missing outcome shows that this one failed.
		await work(position).catch(() => {});
		inFlight--;
		const later = next.get(position);
		if (later !== undefined) released.push(later);
		start();
	};
	// One more at a time: the first requests are on their way while the next are prepared.
	while (limit < keys.length) {
		limit++;
		start();
		await yieldIfDue();
	}
	// Each task adds what it starts before it ends.
	for (const task of tasks) await task;
}
