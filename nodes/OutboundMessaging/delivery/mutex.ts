/** The last piece of work of each mutex, by its name. */
export type Mutexes = Map<string, Promise<unknown>>;

/** Does work once everything asked for earlier under the same name has ended, even if it failed. */
export async function withMutex<T>(
	mutexes: Mutexes,
	name: string,
	work: () => Promise<T>,
): Promise<T> {
	const turn = (mutexes.get(name) ?? Promise.resolve()).then(work, work);
	mutexes.set(name, turn);
	return await turn;
}
