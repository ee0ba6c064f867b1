import { yieldIfDue } from '../common/eventLoop';
import type { Message } from './message';

/**
 * Works on messages in parallel, as many at a time as allowed and otherwise in their order, until
 * all have ended. Those to one recipient go one after the other.
 * @param work however it ends, an exception included, its place becomes free
 */
export async function runPool(
	messages: Message[],
	work: (message: Message) => Promise<void>,
	maxConcurrency: number,
): Promise<void> {
	const waiting = [...messages];
	const busy = new Set<string>();
	const useOnePlace = async () => {
		for (;;) {
			const next = waiting.findIndex(({ recipient }) => !busy.has(recipient));
			// What still waits is for recipients who are busy, and whose places go on with it.
			if (next < 0) return;

			const [message] = waiting.splice(next, 1);
			busy.add(message.recipient);
			// The others are still sent, whatever went wrong.
			await work(message).catch(() => {});
			busy.delete(message.recipient);
		}
	};

	const places: Array<Promise<void>> = [];
	while (places.length < maxConcurrency && waiting.length > 0) {
		places.push(useOnePlace());
		// In turns, so that the first requests leave while the next ones are still prepared.
		await yieldIfDue();
	}
	await Promise.all(places);
}
