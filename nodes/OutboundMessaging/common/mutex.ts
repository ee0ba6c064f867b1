type Queue = { underWay: number; waiting: Array<{ rank: number; begin(): void }> };
const owners = new WeakMap<object, Map<string, Queue>>();

/**
 * Does work in the order in which it's asked for, by owner and name: a mutex, or with `most` a semaphore.
 * @param most how much may be under way at once
 * @param rank a lower one goes first, even if it was asked for later
 */
export async function withMutex<T>(
	owner: object,
	name: string,
	work: () => Promise<T>,
	most = () => 1,
	rank = 0,
): Promise<T> {
	const queues = owners.get(owner) ?? new Map<string, Queue>();
	owners.set(owner, queues);
	const queue = queues.get(name) ?? { underWay: 0, waiting: [] };
	queues.set(name, queue);
	const begin = () => {
		while (queue.waiting.length > 0 && queue.underWay < most()) {
			queue.underWay++;
			queue.waiting.shift()!.begin();
		}
	};
	const turn = new Promise<void>((resolve) => {
		let place = queue.waiting.length;
		while (place > 0 && queue.waiting[place - 1].rank > rank) place--;
		queue.waiting.splice(place, 0, { rank, begin: resolve });
	});
	begin();
	return await turn.then(work).finally(() => {
		queue.underWay--;
		begin();
		if (queue.underWay === 0) queues.delete(name);
	});
}
