import { sleep } from 'n8n-workflow';

import { twoLines } from '../common/twoLines';
import type { MessageKeys } from './keys/messageKeys';
import type { Message } from './message';
import { type Failure, type Outcome, type SendResult, failed } from './outcome';
import { type RateLimiter, backoffMs } from './rateLimiter';
import type { Sending } from './sending';

/** Tries of a connection that fails before the request is sent. */
const MAX_CONNECTION_TRIES = 3;
/** The shortest time between two requests of one message, whatever the service asks for. */
const MIN_RETRY_PAUSE_MS = 1000;
/** A claim that takes longer needs a new slot, once: after a wait for the key store, all would start at once. */
const MAX_CLAIM_MS = 1000;

/**
 * Sends one message in three phases: it waits for its slot, claims its keys, and makes the request. They begin again only if
 * the message was certainly not sent: after a rate limit, and after a connection that failed before that. Its keys are held
 * while a request is under way, and not between two of them.
 * @returns how it ended; undefined when the run stopped before that
 */
export async function sendWithRetries(
	message: Message,
	keys: MessageKeys,
	sending: Sending,
): Promise<Outcome | undefined> {
	const { beforeRequest, memory, rateLimiter, shouldStop } = sending;
	const wasSentBefore = memory.get(message) !== undefined;
	let remainingWaitMs = sending.rateLimitWait;
	let rateLimit: Failure | undefined;
	let rateLimits = 0;
	let connectionTries = 0;
	let gotNewSlot = false;
	for (;;) {
		// Slot
		const hasMetLimit = rateLimits > 0;
		const waited = await rateLimiter.acquire(remainingWaitMs, hasMetLimit);
		if (waited === 'stopped') return undefined;
		if (waited === 'waitBudgetExceeded')
			return waitBudgetExceeded(rateLimit, rateLimiter.pauseEnd());
		if (hasMetLimit) remainingWaitMs -= waited;

		// Claim
		const asked = performance.now();
		const claim = beforeRequest(message) ?? (await keys.claim());
		if (claim !== 'claimed') {
			rateLimiter.giveBack();
			return claim === 'stopped' ? undefined : claim;
		}
		const needsNewSlot: boolean = !gotNewSlot && performance.now() - asked > MAX_CLAIM_MS;
		gotNewSlot ||= needsNewSlot;
		const mayStillStart =
			!needsNewSlot && !rateLimiter.isPaused() && !shouldStop() && !beforeRequest(message);

		// Request
		const result = mayStillStart ? await request(message, keys, sending) : undefined;
		const mayHaveArrived = result?.delivery === 'accepted' || result?.delivery === 'uncertain';
		if (mayHaveArrived) return result;
		if (result?.delivery === 'askedToWait') {
			rateLimit = result.failure;
			pauseAll(rateLimiter, result.retryAfterMs, ++rateLimits);
		}
		// It certainly wasn't sent now, and waits without its keys.
		if (!wasSentBefore) memory.delete(message);
		const notReleased = await keys.release(result?.failure);
		const isRejected = result?.delivery === 'rejected';
		if (notReleased) return { ...notReleased, isFatal: isRejected && result.isFatal };
		if (isRejected) return result;
		if (result?.delivery !== 'notSent') continue;
		if (++connectionTries === MAX_CONNECTION_TRIES) return { ...result, delivery: 'rejected' };
		await sleep(MIN_RETRY_PAUSE_MS * connectionTries);
	}
}

/** Makes the request, and remembers what may have arrived. */
async function request(message: Message, keys: MessageKeys, sending: Sending): Promise<SendResult> {
	const { background, memory, send } = sending;
	memory.markInFlight(message);
	const result = await send(message.request);
	// Keys are marked together with the claim of the next message, so no more are in flight than messages may be.
	if (result.delivery === 'accepted') {
		memory.rememberAccepted(message, result.record);
		background.push(keys.mark('accept'));
	} else if (result.delivery === 'uncertain') {
		memory.rememberUncertain(message, result.failure);
		background.push(keys.mark('markUncertain'));
	}
	return result;
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
