import { sleep } from 'n8n-workflow';

import { yieldIfDue } from '../common/eventLoop';
import { withMutex } from '../common/mutex';
import type { Pace } from '../n8n/nodeState';

/** How often a wait checks whether the run should stop, in milliseconds. */
const POLL_MS = 200;

type Denied = 'waitBudgetExceeded' | 'stopped';

/** Decides when each request may start, in the order of asking: evenly spaced, and none while the service asks to wait. */
export class RateLimiter {
	private waiting = 0;
	private pausedUntil = 0;
	/** Ends the sleep of the one whose turn it is. */
	private wake: () => void = () => {};
	/** How long this run has been paused in total, the rest of a current pause included. */
	private totalPausedMs = 0;
	private readonly interval: number;

	constructor(
		messagesPerSecond: number,
		private readonly shouldStop: () => boolean,
		private readonly pace: Pace = {},
	) {
		this.interval = messagesPerSecond > 0 ? 1000 / messagesPerSecond : 0;
		const ahead = (pace.nextStart ?? 0) - performance.now();
		// This clock counts from the start of a process. After a Wait, another process may continue the execution, and for it
		// the time that the first one stored can be far ahead.
		if (ahead <= 0 || ahead > this.interval) delete pace.nextStart;
	}

	/**
	 * Waits until a request may start.
	 * @param remainingWaitMs how long it may wait because of rate limits
	 * @param hasMetLimit whether its own request met a rate limit: if not, it has its whole budget for each pause
	 * @returns how long it waited because of rate limits, in milliseconds without pacing; or why it must not be sent
	 */
	async acquire(remainingWaitMs: number, hasMetLimit: boolean): Promise<number | Denied> {
		const before = this.pausedSoFar();
		const whyNot = () => {
			if (this.shouldStop()) return 'stopped';
			const waited = hasMetLimit ? this.pausedSoFar() - before : 0;
			return waited + this.remainingPauseMs() > remainingWaitMs ? 'waitBudgetExceeded' : undefined;
		};
		const denied = whyNot();
		const isFree = this.interval === 0 && this.waiting === 0 && !this.isPaused();
		if (denied !== undefined || isFree) return denied ?? 0;
		this.waiting++;
		const wait = async () => await this.wait(whyNot);
		const deniedLater = await withMutex(this, 'turn', wait).finally(() => this.waiting--);
		return deniedLater ?? this.pausedSoFar() - before;
	}

	/** A request that had its slot doesn't start: the next one has it. */
	giveBack(): void {
		this.pace.nextStart = (this.pace.nextStart ?? 0) - this.interval;
		this.wake();
	}

	/** Pauses all requests; a longer pause that has begun stays. */
	pauseFor(milliseconds: number): void {
		const now = performance.now();
		const until = Math.max(this.pausedUntil, now + milliseconds);
		this.totalPausedMs += until - Math.max(this.pausedUntil, now);
		this.pausedUntil = until;
	}

	isPaused(): boolean {
		return this.remainingPauseMs() > 0;
	}

	/** When the pause is over: an ISO 8601 time in UTC. */
	pauseEnd(): string {
		return new Date(Math.ceil(Date.now() + this.remainingPauseMs())).toISOString();
	}

	private remainingPauseMs(): number {
		return Math.max(0, this.pausedUntil - performance.now());
	}

	private pausedSoFar(): number {
		return this.totalPausedMs - this.remainingPauseMs();
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
			const isWoken = new Promise<void>((resolve) => (this.wake = resolve));
			await Promise.race([sleep(Math.min(remaining, POLL_MS)), isWoken]);
		}
		// After a timer that fired late, the next start comes sooner, but only by half an interval: no burst makes up for it.
		const now = performance.now();
		const { nextStart = now } = this.pace;
		this.pace.nextStart = Math.max(nextStart, now - this.interval / 2) + this.interval;
		return undefined;
	}
}

/** The wait after a message's n-th rate limit: 1, 2, 4 … seconds, up to a fifth longer so that nodes don't retry in step. */
export const backoffMs = (n: number) => 1000 * 2 ** Math.min(n - 1, 6) * (1 + Math.random() / 5);
