import { sleep } from 'n8n-workflow';

/** How long the work of a run may block n8n's event loop, in milliseconds; a piece of work that has begun still ends. */
const MAX_BLOCK_MS = 8;

/**
 * Keeps n8n responsive: evaluating expressions and preparing requests is synchronous, and a long stretch of it would
 * block the whole instance. Call `yieldIfDue()` between pieces of work.
 */
export class EventLoop {
	private since = performance.now();

	/** Gives n8n's other work a turn, if one is due. */
	async yieldIfDue(): Promise<void> {
		if (performance.now() - this.since < MAX_BLOCK_MS) return;
		await sleep(0);
		this.since = performance.now();
	}
}
