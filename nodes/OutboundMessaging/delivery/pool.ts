import { yieldIfDue } from '../common/eventLoop';

/** What a pool runs. */
export interface Pool {
	/** The keys of each task: tasks that share one run one after the other, in their order. */
	keys: string[][];
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
	/** How many tasks each one still waits for: of each of its keys, the one before it. */
	const openDependencies = keys.map(() => 0);
	const dependents = keys.map((): number[] => []);
	const latest = new Map<string, number>();
	keys.forEach((own, position) => {
		for (const key of own) {
			const before = latest.get(key);
			latest.set(key, position);
			if (before === undefined) continue;
			openDependencies[position]++;
			dependents[before].push(position);
		}
	});
	const independent = [...keys.keys()].filter((position) => openDependencies[position] === 0);
	// What waited for another task goes before what hasn't started yet: its turn was earlier.
	const released: number[] = [];
	let nextIndependent = 0;
	let nextReleased = 0;
	let inFlight = 0;
	/** Grows one by one: the first requests are on their way while the next are prepared. */
	let limit = 0;

	const take = () =>
		nextReleased < released.length ? released[nextReleased++] : independent[nextIndependent++];

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
			for (const later of dependents[position]) {
				if (--openDependencies[later] === 0) released.push(later);
			}
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
