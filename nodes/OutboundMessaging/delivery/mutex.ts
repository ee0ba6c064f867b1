/** The last one in each line. */
const lines = new Map<string, Promise<void>>();

/** Does work when all that was asked for earlier under the same name, in this process, has ended. */
export async function withMutex(name: string, work: () => Promise<void>): Promise<void> {
	const before = lines.get(name) ?? Promise.resolve();
	const turn = before.catch(() => {}).then(work);
	lines.set(name, turn);
	try {
		await turn;
	} finally {
		if (lines.get(name) === turn) lines.delete(name);
	}
}
