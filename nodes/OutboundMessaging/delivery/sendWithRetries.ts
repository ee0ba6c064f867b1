import { sleep } from 'n8n-workflow';

import { backoffMs } from './backoff';
import type { Failure } from './failure';
import type { Outcome } from './outcome';
import type { SendResult } from './port';
import type { RateLimiter } from './rateLimiter';

/** Tries of a connection that fails before the request is sent, and the pause after the first of them. */
const MAX_CONNECTION_TRIES = 3;
/** The shortest time between two requests of one message, whatever the service asks for. */
const MIN_RETRY_PAUSE_MS = 1000;

/** How one message is sent. */
export interface Attempt {
	rateLimiter: RateLimiter;
	/** Called once, when the first request may start. An outcome means that nothing may be sent. */
	claim(): Promise<Outcome | 'claimed' | 'stopped'>;
	/** Asked right before each request. An outcome means that the message must not be sent (any more). */
	beforeRequest(): Outcome | undefined;
	/** Posts the request once. */
	send(): Promise<SendResult>;
	/** How long the message may wait in total because of rate limits, from the first one it meets, in milliseconds. */
	rateLimitWait: number;
}

/**
 * Sends one message. The same request is sent again only if the message was certainly not sent: after a rate limit, and
 * after a connection that failed before the request was sent.
 * @returns how it ended; undefined when the run stopped before the request could be sent (again)
 */
export async function sendWithRetries(message: Attempt): Promise<Outcome | undefined> {
	const { rateLimiter } = message;
	let remainingWaitMs = message.rateLimitWait;
	let rateLimit: Failure | undefined;
	let rateLimits = 0;
	let connectionTries = 0;
	let isClaimed = false;
	for (;;) {
		const waited = await rateLimiter.acquire(remainingWaitMs, rateLimits > 0);
		if (waited === 'stopped') return undefined;
		if (waited === 'waitBudgetExceeded') return waitBudgetExceeded(rateLimit);
		if (rateLimits > 0) remainingWaitMs -= waited;

		if (!isClaimed) {
			const claim = await message.claim();
			if (claim === 'stopped') return undefined;
			if (claim !== 'claimed') return claim;
			isClaimed = true;
			// Claiming takes time, in which another message may have met a rate limit.
			if (rateLimiter.isPaused()) continue;
		}

		// Pacing, rate limits and keys may have taken long.
		const refusal = message.beforeRequest();
		if (refusal) return refusal;
		const result = await message.send();
		if (result.delivery === 'rateLimited') {
			const { failure, retryAfterMs } = result;
			rateLimit = {
				...failure,
				n8nCause: {
					cause: 'rate-limited',
					...(retryAfterMs && { retryAfterMs: Math.ceil(retryAfterMs) }),
				},
			};
			pauseAll(rateLimiter, retryAfterMs, ++rateLimits);
		} else if (result.delivery === 'notSent') {
			const { failure } = result;
			if (++connectionTries === MAX_CONNECTION_TRIES) return { delivery: 'rejected', failure };
			await sleep(MIN_RETRY_PAUSE_MS * connectionTries);
		} else {
			return result;
		}
	}
}

/** The service's own wait counts from each response; without one, a burst of rate limits pauses once. */
function pauseAll(rateLimiter: RateLimiter, retryAfterMs: number | undefined, rateLimits: number) {
	if (retryAfterMs !== undefined) rateLimiter.pauseFor(Math.max(retryAfterMs, MIN_RETRY_PAUSE_MS));
	else if (!rateLimiter.isPaused()) rateLimiter.pauseFor(backoffMs(rateLimits));
}

/** @param rateLimit of the message itself; without one, it waited for the rate limits of others only */
function waitBudgetExceeded(rateLimit: Failure | undefined): Outcome {
	if (rateLimit === undefined) return { delivery: 'notAttempted', failure: NOT_REQUESTED };
	return {
		delivery: 'rejected',
		failure: {
			...rateLimit,
			title: `${rateLimit.title}. It kept limiting requests for longer than 'Rate Limit Wait (Seconds)'`,
		},
	};
}

const NOT_REQUESTED: Failure = {
	title:
		"This message wasn't sent: the service was limiting requests, for longer than 'Rate Limit Wait (Seconds)'",
	description:
		"Run this item again later. To stay within the service's rate limit, set 'Messages per Second', or raise 'Rate Limit Wait (Seconds)'",
	n8nCause: { cause: 'rate-limited' },
};
