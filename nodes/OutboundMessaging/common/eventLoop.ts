import { sleep } from 'n8n-workflow';

import { withMutex } from './mutex';

/**
 * How long runs may block n8n's event loop, in milliseconds; a piece of work that has
 * begun still ends.
 */
const MAX_BLOCK_MS = 8;

/** Work of all runs in this process that n8n's own work waits for: since when, and what ends it. */
let stretch: { since: number; end: Promise<void> } | undefined;

/**
 * Called between pieces of synchronous work, gives n8n's other work a turn if one is due: it would
 * be blocked otherwise.
 */
export async function yieldIfDue() {
	for (;;) {
		stretch ??= beginStretch();
		if (performance.now() - stretch.since < MAX_BLOCK_MS) return;
		// With a timer for each who waits, n8n's turn would come after a stretch of each. So all
		// continue after this one's, and those who find the next stretch used up wait again.
		await stretch.end;
	}
}

/**
 * The same for many that continue at the same moment, e.g. when their keys are claimed together.
 * One after the other: all at once, each would find time left, since none of them has
 * begun its work yet.
 */
export const yieldInOrder = async () => await withMutex(yieldIfDue, yieldIfDue);

function beginStretch() {
	const end = sleep(0).then(() => {
		stretch = undefined;
	});
	return { since: performance.now(), end };
}

/** Does work for each item, in their order, and gives n8n a turn in between where one is due. */
export async function mapAndYield<T, R>(items: T[], work: (item: T, index: number) => R) {
	const results: R[] = [];
	for (const [index, item] of items.entries()) {
		results.push(work(item, index));
		await yieldIfDue();
	}
	return results;
}
