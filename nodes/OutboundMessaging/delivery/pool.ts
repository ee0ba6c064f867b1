/** What a pool runs. */
export interface Pool {
	/** For each task the earlier tasks that must have ended before it starts. */
	dependencies: number[][];
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
export async function runPool({ dependencies, maxInFlight, run, shouldStop }: Pool): Promise<void> {
	const openDependencies = dependencies.map(({ length }) => length);
	const dependents = new Map<number, number[]>();
	dependencies.forEach((before, position) => {
		for (const earlier of before) {
			const later = dependents.get(earlier);
			if (later) later.push(position);
			else dependents.set(earlier, [position]);
		}
	});
	const independent = openDependencies.flatMap((count, position) =>
		count === 0 ? [position] : [],
	);
	// What waited for another task goes before what hasn't started yet: its turn was earlier.
	const released: number[] = [];
	let nextIndependent = 0;
	let nextReleased = 0;
	let inFlight = 0;

	const take = () =>
		nextReleased < released.length ? released[nextReleased++] : independent[nextIndependent++];

	await new Promise<void>((resolve, reject) => {
		const start = () => {
			while (inFlight < maxInFlight() && !shouldStop()) {
				const position = take();
				if (position === undefined) break;
				inFlight++;
				settled(run, position)
					.then(() => end(position))
					.catch(reject);
			}
			if (inFlight === 0) resolve();
		};
		const end = (position: number) => {
			inFlight--;
			for (const later of dependents.get(position) ?? []) {
				if (--openDependencies[later] === 0) released.push(later);
			}
			start();
		};
		start();
	});
}

async function settled(run: Pool['run'], position: number): Promise<void> {
	try {
		await run(position);
	} catch {
		// The others still get their turns, and the missing outcome shows that this one failed.
	}
}
