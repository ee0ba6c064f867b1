import { yieldIfDue } from '../common/eventLoop';
import { withMutex } from '../common/mutex';
import type { Message } from './message';

/**
 * Works on messages in parallel, as many at a time as allowed and otherwise in their order, until all that were begun have
 * ended. Those to one recipient go one after the other.
 * @param work however it ends, an exception included, its place becomes free
 */
export async function runPool(
	messages: Message[],
	work: (message: Message) => Promise<void>,
	maxConcurrency: number,
): Promise<void> {
	const queues = new Map<string, Message[]>();
	for (const message of messages) {
		const queue = queues.get(message.recipient) ?? [];
		queues.set(message.recipient, queue);
		queue.push(message);
	}
	const tasks: Array<Promise<void>> = [];
	const begin = (queue: Message[]) => {
		const doFirst = async () => {
			// The others still get their turns, whatever went wrong.
			await work(queue.shift()!).catch(() => {});
			if (queue.length > 0) begin(queue);
		};
		tasks.push(withMutex(queues, 'places', doFirst, () => maxConcurrency, queue[0].itemIndex));
	};
	for (const queue of queues.values()) {
		begin(queue);
		// In turns, so that the first requests leave while the next ones are still prepared.
		await yieldIfDue();
	}
	// Each task adds what it starts before it ends.
	for (const task of tasks) await task;
}
