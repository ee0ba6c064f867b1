import { sleep } from 'n8n-workflow';

import { yieldIfDue } from '../common/eventLoop';
import { twoLines } from '../common/twoLines';
import type { MessageKeys } from './keys/messageKeys';
import type { Message } from './message';
import { type Failed, type Failure, type Outcome, type SendResult, failed } from './outcome';
import { backoffMs } from './rateLimiter';
import type { Sending } from './sending';

/** Attempts to connect, where the connection fails before the request is sent. */
const MAX_CONNECTION_ATTEMPTS = 3;
/** The shortest time between two requests of one message, whatever the service asks for. */
const MIN_RETRY_PAUSE_MS = 1000;
/** A claim that takes longer needs a new slot, once: after a wait for the key store, all would start at once. */
const MAX_CLAIM_MS = 1000;

/**
 * Sends one message. Each attempt waits for its slot, claims the keys and makes the request. Another one follows only if the
 * message was certainly not sent: after a rate limit, and after a connection that failed before that. The keys are held
 * while a request is under way, and not between two of them.
 * @returns how it ended; undefined when the run stopped before that
 */
export async function sendWithRetries(
	message: Message,
	keys: MessageKeys,
	sending: Sending,
): Promise<Outcome | undefined> {
	const attempts = new Attempts(message, keys, sending);
	for (;;) {
		const denied = await attempts.waitForSlot();
		const ended = denied ?? (await attempts.attempt());
		if (ended === 'stopped') return undefined;
		if (ended !== 'again') return ended;
	}
}

class Attempts {
	/** It may have arrived earlier: what becomes of it now doesn't change that. */
	private readonly wasSentBefore: boolean;
	private remainingWaitMs: number;
	private rateLimits = 0;
	private lastRateLimit?: Failure;
	private failedConnections = 0;
	private maxClaimMs = MAX_CLAIM_MS;

	constructor(
		private readonly message: Message,
		private readonly keys: MessageKeys,
		private readonly sending: Sending,
	) {
		this.wasSentBefore = sending.memory.get(message) !== undefined;
		this.remainingWaitMs = sending.rateLimitWait;
	}

	/** @returns why there is none, or undefined */
	async waitForSlot(): Promise<Outcome | 'stopped' | undefined> {
		const { rateLimiter } = this.sending;
		const hasMetLimit = this.rateLimits > 0;
		const waited = await rateLimiter.acquire(this.remainingWaitMs, hasMetLimit);
		if (waited === 'stopped') return 'stopped';
		if (waited === 'waitBudgetExceeded') {
			return waitBudgetExceeded(this.lastRateLimit, rateLimiter.pauseEnd());
		}
		if (hasMetLimit) this.remainingWaitMs -= waited;
		return undefined;
	}

	/** Uses a slot. */
	async attempt(): Promise<Outcome | 'stopped' | 'again'> {
		const { beforeRequest, rateLimiter } = this.sending;
		const asked = performance.now();
		const notClaimed = beforeRequest(this.message, false) ?? (await this.keys.claim());
		if (notClaimed !== 'claimed') {
			rateLimiter.giveBack();
			return notClaimed;
		}
		// Many claims end at the same moment.
		await yieldIfDue();
		const isLate = performance.now() - asked > this.maxClaimMs;
		if (isLate) this.maxClaimMs = Infinity;
		if (isLate || rateLimiter.isPaused() || this.sending.shouldStop()) {
			return (await this.forget()) ?? 'again';
		}
		const notAllowed = beforeRequest(this.message, true);
		if (notAllowed) {
			rateLimiter.giveBack();
			return (await this.forget()) ?? notAllowed;
		}
		return await this.request();
	}

	private async request(): Promise<Outcome | 'again'> {
		const { background, memory, send } = this.sending;
		memory.markInFlight(this.message);
		const result = await send(this.message.request);
		switch (result.delivery) {
			// Keys are marked together with the claim of the next message, so no more are in flight than messages may be.
			case 'accepted':
				memory.rememberAccepted(this.message, result.record);
				background.push(this.keys.mark('accept'));
				return result;
			case 'uncertain':
				memory.rememberUncertain(this.message, result.failure);
				background.push(this.keys.mark('markUncertain'));
				return result;
			case 'rejected':
				return (await this.forget(result)) ?? result;
			case 'askedToWait':
				this.meetRateLimit(result);
				return (await this.forget(result)) ?? 'again';
			case 'notSent':
				return (await this.forget(result)) ?? (await this.reconnect(result.failure));
		}
	}

	/** The message certainly wasn't sent this time, and keeps no key. @returns how it ends if a key couldn't be released */
	private async forget(result?: {
		failure: Failure;
		isFatal?: boolean;
	}): Promise<Failed | undefined> {
		if (!this.wasSentBefore) this.sending.memory.delete(this.message);
		const notReleased = await this.keys.release(result?.failure);
		return notReleased && { ...notReleased, isFatal: result?.isFatal };
	}

	/** Pauses all messages. The service's own wait counts from each response; without one, a burst of rate limits pauses once. */
	private meetRateLimit({
		failure,
		retryAfterMs,
	}: Extract<SendResult, { delivery: 'askedToWait' }>) {
		const { rateLimiter } = this.sending;
		this.rateLimits += 1;
		this.lastRateLimit = failure;
		if (retryAfterMs !== undefined) {
			rateLimiter.pauseFor(Math.max(retryAfterMs, MIN_RETRY_PAUSE_MS));
		} else if (!rateLimiter.isPaused()) {
			rateLimiter.pauseFor(backoffMs(this.rateLimits));
		}
	}

	private async reconnect(failure: Failure): Promise<Outcome | 'again'> {
		this.failedConnections += 1;
		if (this.failedConnections === MAX_CONNECTION_ATTEMPTS)
			return { delivery: 'rejected', failure };
		await sleep(MIN_RETRY_PAUSE_MS * this.failedConnections);
		return 'again';
	}
}

/** @param rateLimit that the message itself met last; without one, it waited for the rate limits of others only */
function waitBudgetExceeded(rateLimit: Failure | undefined, sendAfter: string): Outcome {
	if (rateLimit !== undefined) {
		const title = `${rateLimit.title}. It kept asking to wait for longer than 'Rate Limit Wait (Seconds)'`;
		return { delivery: 'rejected', failure: { ...rateLimit, sendAfter, title } };
	}
	const text = twoLines`This message wasn't sent: the service kept asking to wait, for longer than 'Rate Limit Wait (Seconds)'
		Wait a while, then execute the workflow with only this row. To stay within the service's rate limit, set 'Messages per Second', or raise 'Rate Limit Wait (Seconds)'`;
	return failed('notAttempted', text, { sendAfter, n8nCause: { cause: 'rate-limited' } });
}
