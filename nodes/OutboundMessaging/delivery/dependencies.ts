/**
 * For each task the tasks that must have ended before it starts: the one before it with the same key, for every key
 * it has. Tasks that share a key so run one after the other, in their order.
 * @param keys the keys of each task
 * @returns positions of earlier tasks, two at most for two keys
 */
export function dependencies(keys: string[][]): number[][] {
	const latest = new Map<string, number>();
	return keys.map((own, position) => {
		const before = own.flatMap((key) => latest.get(key) ?? []);
		for (const key of own) latest.set(key, position);
		return before;
	});
}
