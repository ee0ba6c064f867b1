import { sleep } from 'n8n-workflow';

import { CANCELED, TIMED_OUT } from './httpResult';

/** How often a canceled execution is looked for, in milliseconds. */
const POLL_MS = 250;
/** What requests in flight get to end by themselves when the execution is canceled, in milliseconds. */
const CANCEL_GRACE_MS = 5000;
/** How long n8n may take to hand back a request that was aborted, in milliseconds. */
const ABORT_GRACE_MS = 1000;

/** A request in flight. */
export interface InFlight {
	/** When its time is over, by `performance.now()`; set by `Deadlines`. */
	deadline: number;
	/** Why it was aborted; set by `Deadlines`. */
	abortCode?: string;
	/** Closes the connection. */
	abort(): void;
	/** Ends the request for its caller, whether n8n lets go of it or not. */
	giveUp(code: string): void;
}

/**
 * Ends every request in time. One loop watches all requests of a run: n8n's own timeout starts again with each byte that
 * comes, and a timer or a combined signal for each request would cost a few percent of a run.
 */
export class Deadlines {
	private readonly requests = new Set<InFlight>();
	private isWatching = false;
	private isCanceled = false;

	/** @param timeout for a whole response, in milliseconds */
	constructor(
		private readonly timeout: number,
		private readonly isExecutionCanceled: () => boolean,
	) {}

	add(request: InFlight): void {
		request.deadline = performance.now() + this.timeout;
		this.requests.add(request);
		if (!this.isWatching) void this.watch();
	}

	remove(request: InFlight): void {
		this.requests.delete(request);
	}

	private async watch(): Promise<void> {
		this.isWatching = true;
		while (this.requests.size > 0) await sleep(this.check());
		this.isWatching = false;
	}

	/** @returns milliseconds until the next look */
	private check(): number {
		const now = performance.now();
		const latest = this.isJustCanceled() ? now + CANCEL_GRACE_MS : Infinity;
		let wait = POLL_MS;
		for (const request of this.requests) {
			request.deadline = Math.min(request.deadline, latest);
			if (request.deadline <= now) this.expire(request, now);
			wait = Math.min(wait, request.deadline - now);
		}
		return Math.max(1, Math.ceil(wait));
	}

	private isJustCanceled(): boolean {
		if (this.isCanceled || !this.isExecutionCanceled()) return false;
		this.isCanceled = true;
		return true;
	}

	private expire(request: InFlight, now: number): void {
		request.deadline = now + ABORT_GRACE_MS;
		if (request.abortCode === undefined) {
			request.abortCode = this.isCanceled ? CANCELED : TIMED_OUT;
			request.abort();
		} else {
			this.requests.delete(request);
			request.giveUp(request.abortCode);
		}
	}
}
