type Queue = { underWay: number; waiting: Array<() => void> };
const owners = new WeakMap<object, Map<string, Queue>>();

/**
 * Does work in the order in which it's asked for, by owner and name.
 * @param most how much may be under way at once
 * @param isNext whether it goes before all that waits
 */
export async function withMutex<T>(
	owner: object,
	name: string,
	work: () => Promise<T>,
	most = () => 1,
	isNext = false,
): Promise<T> {
	const queues = owners.get(owner) ?? new Map<string, Queue>();
	owners.set(owner, queues);
	const queue = queues.get(name) ?? { underWay: 0, waiting: [] };
	queues.set(name, queue);
	const begin = () => {
		while (queue.waiting.length > 0 && queue.underWay < most()) {
			queue.underWay++;
			queue.waiting.shift()!();
		}
	};
	const turn = new Promise<void>((resolve) => {
		if (isNext) queue.waiting.unshift(resolve);
		else queue.waiting.push(resolve);
	});
	begin();
	return await turn.then(work).finally(() => {
		queue.underWay--;
		begin();
		if (queue.underWay === 0) queues.delete(name);
	});
}
