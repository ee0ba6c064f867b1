/** By owner, the end of the work that was asked for last. */
const ends = new Map<unknown, Promise<unknown>>();

/** Does the work of an owner one after the other, in the order in which it's asked for. */
export async function withMutex<T>(owner: unknown, work: () => Promise<T>): Promise<T> {
	const before = ends.get(owner) ?? Promise.resolve();
	const end = before.then(work, work);
	ends.set(owner, end);
	try {
		return await end;
	} finally {
		if (ends.get(owner) === end) ends.delete(owner);
	}
}
