import { sleep } from 'n8n-workflow';

import type { EventLoop } from './eventLoop';

/** How often a wait looks whether the run has been halted, in milliseconds. */
const LOOK = 200;

/**
 * The one door through which every request of a run leaves, one at a time and in the order of asking: it spaces
 * them evenly, and it is shut for all of them while the service asks to slow down.
 */
export class RateLimiter {
	private queue: Promise<unknown> = Promise.resolve();
	private shutUntil = 0;
	/** How long the door has been shut in all, the rest of the present time included. */
	private shutInAll = 0;
	private nextStart = 0;
	private readonly interval: number;

	/**
	 * @param messagesPerSecond 0 for no pacing
	 * @param halted true once no further request may leave
	 */
	constructor(
		messagesPerSecond: number,
		private readonly eventLoop: EventLoop,
		private readonly halted: () => boolean,
	) {
		this.interval = messagesPerSecond > 0 ? 1000 / messagesPerSecond : 0;
	}

	/**
	 * Waits for the turn of a request.
	 * @param patience how long it may stand before a shut door, in milliseconds; pacing does not count
	 * @returns how long it did; `outlasted` when the service asks for more than that; `halted`
	 */
	async acquire(patience: number): Promise<number | 'outlasted' | 'halted'> {
		const before = this.shutSoFar();
		const turn = this.queue.then(async () => await this.wait(before + patience));
		this.queue = turn;
		const passed = await turn;
		return passed === 'passed' ? this.shutSoFar() - before : passed;
	}

	/** Shuts the door for everyone; a longer wait that is under way stays. */
	pauseFor(milliseconds: number): void {
		const now = performance.now();
		const until = Math.max(this.shutUntil, now + milliseconds);
		this.shutInAll += until - Math.max(this.shutUntil, now);
		this.shutUntil = until;
	}

	isPaused(): boolean {
		return this.shutUntil > performance.now();
	}

	private shutSoFar(): number {
		return this.shutInAll - Math.max(0, this.shutUntil - performance.now());
	}

	private async wait(shutAtMost: number): Promise<'passed' | 'outlasted' | 'halted'> {
		await this.eventLoop.yieldIfDue();
		for (;;) {
			if (this.halted()) return 'halted';
			if (this.isPaused() && this.shutInAll > shutAtMost) return 'outlasted';
			const remaining = Math.max(this.shutUntil, this.nextStart) - performance.now();
			if (remaining <= 0) break;
			await sleep(Math.min(remaining, LOOK));
		}
		if (this.interval > 0) {
			// A late timer may be made up for by half a step, never by a burst. The first start is never late.
			const now = performance.now();
			this.nextStart = Math.max(this.nextStart || now, now - this.interval / 2) + this.interval;
		}
		return 'passed';
	}
}
