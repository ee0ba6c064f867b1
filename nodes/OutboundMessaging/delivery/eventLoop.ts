import { sleep } from 'n8n-workflow';

/** The longest stretch of work before others get a turn, in milliseconds; a started piece of work still ends. */
const STRETCH = 8;

/**
 * Keeps n8n answering: evaluating expressions and preparing requests is synchronous work, and a long stretch of it
 * would hold up the whole instance. Call `turn()` between pieces of work.
 */
export class EventLoop {
	private since = performance.now();

	/** Lets everyone else have a turn, if it is time. */
	async yieldIfDue(): Promise<void> {
		if (performance.now() - this.since < STRETCH) return;
		await sleep(0);
		this.since = performance.now();
	}
}
