/** The last piece of work of each mutex, by its name, for each owner. */
const owners = new WeakMap<object, Map<string, Promise<unknown>>>();

/** Does work once everything asked for earlier under the same owner and name has ended, even if it failed. */
export async function withMutex<T>(
	owner: object,
	name: string,
	work: () => Promise<T>,
): Promise<T> {
	const mutexes = owners.get(owner) ?? new Map<string, Promise<unknown>>();
	owners.set(owner, mutexes);
	const turn = (mutexes.get(name) ?? Promise.resolve()).then(work, work);
	mutexes.set(name, turn);
	return await turn;
}
