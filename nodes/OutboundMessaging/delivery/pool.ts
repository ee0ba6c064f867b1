/** What a pool runs. */
export interface Pool {
	/** For each task the earlier tasks that must have ended before it starts. */
	dependencies: number[][];
	maxInFlight: number;
	/** Runs a task to its end; must not reject. */
	run(position: number): Promise<void>;
	/** True once no further task may start. */
	shouldStop(): boolean;
}

/**
 * Runs tasks in parallel, as many at a time as allowed and in their order as far as that goes. Time and memory are
 * linear in the number of tasks.
 * @returns when every task that was started has ended, and no further one may start
 */
export async function runPool({
	dependencies: predecessors,
	maxInFlight,
	run,
	shouldStop: halted,
}: Pool): Promise<void> {
	const waitsFor = predecessors.map(({ length }) => length);
	const successors = new Map<number, number[]>();
	predecessors.forEach((before, position) => {
		for (const earlier of before) {
			const later = successors.get(earlier);
			if (later) later.push(position);
			else successors.set(earlier, [position]);
		}
	});
	const fresh = waitsFor.flatMap((count, position) => (count === 0 ? [position] : []));
	// What waited for another task goes before what has not been looked at yet: its turn was earlier.
	const followers: number[] = [];
	let nextFresh = 0;
	let nextFollower = 0;
	let inFlight = 0;

	const take = () =>
		nextFollower < followers.length ? followers[nextFollower++] : fresh[nextFresh++];

	await new Promise<void>((resolve) => {
		const start = () => {
			while (inFlight < maxInFlight && !halted()) {
				const position = take();
				if (position === undefined) break;
				inFlight++;
				void run(position).then(() => end(position));
			}
			if (inFlight === 0) resolve();
		};
		const end = (position: number) => {
			inFlight--;
			for (const later of successors.get(position) ?? []) {
				if (--waitsFor[later] === 0) followers.push(later);
			}
			start();
		};
		start();
	});
}
