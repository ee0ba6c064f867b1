import { yieldIfDue } from '../common/eventLoop';

/** What a pool runs. */
export interface Pool {
	/** A key for each task: tasks that share one run one after the other, in their order. */
	keys: string[];
	maxInFlight(): number;
	/** Runs a task. However it ends, an exception included, its place becomes free. */
	run(position: number): Promise<void>;
	/** True once no further task may start. */
	shouldStop(): boolean;
}

/**
 * Runs tasks in parallel, as many at a time as allowed and otherwise in their order. Time and memory are linear in the
 * number of tasks.
 * @returns when every task that was started has ended, and no further one may start
 */
export async function runPool({ keys, maxInFlight, run, shouldStop }: Pool): Promise<void> {
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
	/** Grows one by one: the first requests are on their way while the next are prepared. */
	let limit = 0;

	const take = () => released.shift() ?? independent[nextIndependent++];

	await new Promise<void>((resolve, reject) => {
		const start = () => {
			while (inFlight < Math.min(limit, maxInFlight()) && !shouldStop()) {
				const position = take();
				if (position === undefined) break;
				inFlight++;
				// The others still get their turns, and the missing outcome shows that this one failed.
				const settled = run(position).catch(() => {});
				settled.then(() => end(position)).catch(reject);
			}
			if (inFlight === 0) resolve();
		};
		const end = (position: number) => {
			inFlight--;
			const later = next.get(position);
			if (later !== undefined) released.push(later);
			start();
		};
		const rampUp = async () => {
			do {
				limit++;
				start();
				await yieldIfDue();
			} while (limit < keys.length);
		};
		rampUp().catch(reject);
	});
}
