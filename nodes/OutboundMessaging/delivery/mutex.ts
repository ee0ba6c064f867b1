/** The last piece of work in each line, by the name of the line. */
export type Lines = Map<string, Promise<unknown>>;

/** Does work once everything asked for earlier in the same line has ended, even if it failed. */
export async function withMutex<T>(lines: Lines, name: string, work: () => Promise<T>): Promise<T> {
	const turn = (lines.get(name) ?? Promise.resolve()).then(work, work);
	lines.set(name, turn);
	try {
		return await turn;
	} finally {
		if (lines.get(name) === turn) lines.delete(name);
	}
}
