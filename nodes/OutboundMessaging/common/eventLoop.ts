import { sleep } from 'n8n-workflow';

import { withMutex } from './mutex';

/** How long runs may block n8n's event loop, in milliseconds; a piece of work that has begun still ends. */
const MAX_BLOCK_MS = 8;

/** When the current stretch of work began, by its first call. Idle time before that doesn't count. */
let since = 0;
/** One turn for all who wait: with a timer each, n8n's turn would come after a stretch of work of each of them. */
let turn: Promise<void> | undefined;

/** Called between pieces of synchronous work, gives n8n's other work a turn if one is due: it would be blocked otherwise. */
export async function yieldIfDue(): Promise<void> {
	for (;;) {
		turn ??= beginTurn();
		if (performance.now() - since < MAX_BLOCK_MS) return;
		// All who wait continue after it: most of them have to wait for the next one.
		await turn;
	}
}

/**
 * The same for many that continue at the same moment, one after the other: all at once, each would find that there's time
 * left, and none would have used it.
 */
export const yieldInOrder = async (): Promise<void> =>
	await withMutex(yieldIfDue, 'in order', yieldIfDue);

async function beginTurn(): Promise<void> {
	since = performance.now();
	await sleep(0);
	turn = undefined;
}

/** Does work for each item, in their order, and gives n8n a turn in between where one is due. */
export async function mapInTurns<T, R>(items: T[], work: (item: T, index: number) => R) {
	const results: R[] = [];
	for (const [index, item] of items.entries()) {
		results.push(work(item, index));
		await yieldIfDue();
	}
	return results;
}
