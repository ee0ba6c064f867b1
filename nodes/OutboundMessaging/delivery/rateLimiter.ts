import { yieldIfDue } from '../common/eventLoop';
import { withMutex } from '../common/mutex';
import { Sleeper } from '../common/clock';
import type { Pace } from './nodeState';

/** How often a wait checks whether the run should stop, in milliseconds. */
const POLL_MS = 200;

type Denied = 'waitBudgetExceeded' | 'stopped';

/**
 * Decides when each request may start, in the order of asking: evenly spaced, and none while the
 * service asks to wait.
 */
export class RateLimiter {
	private waitingCount = 0;
	private pausedUntil = 0;
	/** Of the one who waits first. */
	private readonly sleeper = new Sleeper();
	private readonly interval: number;

	constructor(
		messagesPerSecond: number,
		private readonly shouldStop: () => boolean,
		private readonly pace: Pace = {},
	) {
		this.interval = messagesPerSecond > 0 ? 1000 / messagesPerSecond : 0;
		const ahead = (pace.nextStart ?? 0) - performance.now();
		// This clock counts from the start of a process. After a Wait, another process may continue the
		// execution, and for it the time that the first one stored can be far ahead.
		if (ahead <= 0 || ahead > this.interval) delete pace.nextStart;
	}

	/**
	 * Waits until a request may start.
	 * @param latest by when a pause has to end, on the clock of performance.now(); the time behind
	 *   other messages doesn't count
	 * @returns why it must not be sent, or undefined
	 */
	async acquire(latest: () => number): Promise<Denied | undefined> {
		const whyNot = () => {
			if (this.shouldStop()) return 'stopped';
			return this.isPaused() && this.pausedUntil > latest() ? 'waitBudgetExceeded' : undefined;
		};
		const denied = whyNot();
		const isFree = this.interval === 0 && this.waitingCount === 0 && !this.isPaused();
		if (denied !== undefined || isFree) return denied;
		this.waitingCount++;
		const wait = async () => await this.wait(whyNot);
		return await withMutex(this, wait).finally(() => this.waitingCount--);
	}

	/**
	 * A request that had its slot doesn't start: the slot is the next one's, which wakes up for it.
	 */
	giveBack(): void {
		this.pace.nextStart = (this.pace.nextStart ?? 0) - this.interval;
		this.sleeper.wake();
	}

	/** Pauses all requests; a longer pause that has begun stays. */
	pauseFor(milliseconds: number): void {
		this.pausedUntil = Math.max(this.pausedUntil, performance.now() + milliseconds);
	}

	isPaused(): boolean {
		return this.pausedUntil > performance.now();
	}

	/** When the pause is over: an ISO 8601 time in UTC. */
	pauseEnd(): string {
		const remainingMs = Math.max(0, this.pausedUntil - performance.now());
		return new Date(Math.ceil(Date.now() + remainingMs)).toISOString();
	}

	private async wait(whyNot: () => Denied | undefined): Promise<Denied | undefined> {
		await yieldIfDue();
		for (;;) {
			// After a pause, too: whoever waited behind others may have used up its time.
			const denied = whyNot();
			if (denied !== undefined) return denied;
			const { nextStart = 0 } = this.pace;
			const remaining = Math.max(this.pausedUntil, nextStart) - performance.now();
			if (remaining <= 0) break;
			await this.sleeper.sleep(Math.min(remaining, POLL_MS));
		}
		// After a timer that fired late, the next start comes sooner, but only by half an interval: no
		// burst makes up for it.
		const now = performance.now();
		const { nextStart = now } = this.pace;
		this.pace.nextStart = Math.max(nextStart, now - this.interval / 2) + this.interval;
		return undefined;
	}
}

/**
 * The wait after a message's n-th rate limit: 1, 2, 4 … seconds, up to a fifth longer so that nodes
 * don't retry in step.
 */
export const backoffMs = (n: number) => 1000 * 2 ** Math.min(n - 1, 6) * (1 + Math.random() / 5);
