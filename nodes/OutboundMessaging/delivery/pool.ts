import { yieldIfDue } from '../common/eventLoop';
import { withMutex } from '../common/mutex';

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
	const tasks: Array<Promise<void>> = [];
	const begin = (queue: number[], isNext = false) => {
		const doFirst = async () => {
			if (shouldStop()) return;
			// The others still get their turns, and the missing outcome shows that this one failed.
			await work(queue.shift()!).catch(() => {});
			// Before those that haven't started: its turn was earlier.
			if (queue.length > 0) begin(queue, true);
		};
		tasks.push(withMutex(queues, 'tasks', doFirst, maxConcurrency, isNext));
	};
	for (const queue of queues.values()) {
		begin(queue);
		// The first requests are on their way while the next are prepared.
		await yieldIfDue();
	}
	// Each task adds what it starts before it ends.
	for (const task of tasks) await task;
}
