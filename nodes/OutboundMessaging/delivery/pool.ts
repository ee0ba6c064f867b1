import { yieldIfDue } from '../common/eventLoop';

export interface Pool {
	/** A key for each task: tasks that share one are done one after the other, in their order. */
	keys: string[];
	maxConcurrency(): number;
	/** However it ends, an exception included, its place becomes free. */
	work(position: number): Promise<void>;
	shouldStop(): boolean;
}

/** Does tasks in parallel, as many at a time as allowed and otherwise in their order, until all that were started have ended. */
export async function runPool({ keys, maxConcurrency, work, shouldStop }: Pool): Promise<void> {
	const queues = new Map<string, number[]>();
	keys.forEach((key, position) => {
		const queue = queues.get(key) ?? [];
		queues.set(key, queue);
		queue.push(position);
	});
	const notStarted = queues.values();
	/** Those whose next task may start. They go before those that haven't started: their turn was earlier. */
	const continued: number[][] = [];
	let inFlight = 0;
	let limit = 0;
	const tasks: Array<Promise<void>> = [];

	const start = () => {
		while (inFlight < Math.min(limit, maxConcurrency()) && !shouldStop()) {
			const queue = continued.shift() ?? notStarted.next().value;
			if (queue === undefined) return;
			inFlight++;
			tasks.push(doFirst(queue));
		}
	};
	const doFirst = async (queue: number[]) => {
		// The others still get their turns, and the missing outcome shows that this one failed.
		await work(queue.shift()!).catch(() => {});
		inFlight--;
		if (queue.length > 0) continued.push(queue);
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
