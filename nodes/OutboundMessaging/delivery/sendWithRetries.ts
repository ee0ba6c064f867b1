import { sleep } from 'n8n-workflow';

import { twoLines } from '../common/twoLines';
import { backoffMs, type RateLimiter } from './rateLimiter';
import type { Sending } from './delivery';
import { type Failure, type Outcome, failed } from './outcome';
import type { Message } from './message';
import type { MessageKeys } from './keys/messageKeys';

/** Tries of a connection that fails before the request is sent. */
const MAX_CONNECTION_TRIES = 3;
/** The shortest time between two requests of one message, whatever the service asks for. */
const MIN_RETRY_PAUSE_MS = 1000;

/** A claim that takes longer needs a new slot: after a wait for the key store, all would start at once. */
const MAX_CLAIM_MS = 1000;

/**
 * Sends one message. The same request is sent again only if the message was certainly not sent: after a rate limit, and
 * after a connection that failed before the request was sent. Its keys are held while a request is under way, and not
 * between two of them.
 * @param run `rateLimitWait`: how long the message may wait in total because of rate limits, from the first one it meets
 * @returns how it ended, with its keys held if a request was sent; undefined when the run stopped before that
 */
export async function sendWithRetries(
	message: Message,
	keys: MessageKeys,
	{ beforeRequest, memory, rateLimitWait, rateLimiter, send, shouldStop }: Sending,
): Promise<Outcome | undefined> {
	const wasSentBefore = memory.get(message) !== undefined;
	let remainingWaitMs = rateLimitWait;
	let rateLimit: Failure | undefined;
	let rateLimits = 0;
	let connectionTries = 0;
	let wasLate = false;
	for (;;) {
		const waited = await rateLimiter.acquire(remainingWaitMs, rateLimits > 0);
		if (waited === 'stopped') return undefined;
		if (waited === 'waitBudgetExceeded')
			return waitBudgetExceeded(rateLimit, rateLimiter.pauseEnd());
		if (rateLimits > 0) remainingWaitMs -= waited;

		const asked = performance.now();
		const claim = beforeRequest(message) ?? (await keys.claim());
		if (claim !== 'claimed') {
			rateLimiter.giveBack();
			return claim === 'stopped' ? undefined : claim;
		}
		// Meanwhile a rate limit may have been met, the run ended, or the time to send it; and others have had their turns.
		const isLate: boolean = !wasLate && performance.now() - asked > MAX_CLAIM_MS;
		if (isLate || rateLimiter.isPaused() || shouldStop() || beforeRequest(message)) {
			wasLate ||= isLate;
			const notReleased = await keys.release();
			if (notReleased) return notReleased;
			continue;
		}

		memory.markInFlight(message);
		const result = await send(message.request);
		if (result.delivery !== 'askedToWait' && result.delivery !== 'notSent') return result;
		const { failure } = result;
		if (result.delivery === 'askedToWait') {
			rateLimit = failure;
			pauseAll(rateLimiter, result.retryAfterMs, ++rateLimits);
		} else if (++connectionTries === MAX_CONNECTION_TRIES) {
			return { delivery: 'rejected', failure };
		}
		if (!wasSentBefore) memory.delete(message);
		const notReleased = await keys.release(failure);
		if (notReleased) return notReleased;
		if (result.delivery === 'notSent') await sleep(MIN_RETRY_PAUSE_MS * connectionTries);
	}
}

/** The service's own wait counts from each response; without one, a burst of rate limits pauses once. */
function pauseAll(rateLimiter: RateLimiter, retryAfterMs: number | undefined, rateLimits: number) {
	if (retryAfterMs !== undefined) rateLimiter.pauseFor(Math.max(retryAfterMs, MIN_RETRY_PAUSE_MS));
	else if (!rateLimiter.isPaused()) rateLimiter.pauseFor(backoffMs(rateLimits));
}

/** @param rateLimit of the message itself; without one, it waited for the rate limits of others only */
function waitBudgetExceeded(rateLimit: Failure | undefined, sendAfter: string): Outcome {
	if (rateLimit !== undefined) {
		const title = `${rateLimit.title}. It kept asking to wait for longer than 'Rate Limit Wait (Seconds)'`;
		return { delivery: 'rejected', failure: { ...rateLimit, sendAfter, title } };
	}
	const text = twoLines`This message wasn't sent: the service kept asking to wait, for longer than 'Rate Limit Wait (Seconds)'
		Wait a while, then execute the workflow with only this row. To stay within the service's rate limit, set 'Messages per Second', or raise 'Rate Limit Wait (Seconds)'`;
	return failed('notAttempted', text, { sendAfter, n8nCause: { cause: 'rate-limited' } });
}
