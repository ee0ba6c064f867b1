import { sleep } from 'n8n-workflow';

import { twoLines, type Failure } from '../common/failure';
import { withMutex } from '../common/mutex';
import { MessageKeys } from './keys/messageKeys';
import { type Message, type Outcome, failed } from './message';
import { backoffMs } from './rateLimiter';
import type { Sending } from './sending';

/**
 * How often a request is tried that doesn't get through: its connection fails before it's sent, or
 * a 425 comes back.
 */
const MAX_NOT_SENT = 3;
/** The shortest time between two requests of one message, whatever the service asks for. */
const MIN_PAUSE_MS = 1000;
/** How often a message that waits for others checks whether it may go on, in milliseconds. */
const PLACE_POLL_MS = 20;
/**
 * After a slower claim, a message waits for a new slot, but only the first time. Otherwise, all
 * that waited for the key store would start together.
 */
const MAX_CLAIM_MS = 1000;

type Ended = Outcome | 'stopped';

/**
 * Sends one message. Each attempt waits for its slot, claims the keys and makes the request.
 * Another one follows only if the message was certainly not sent: after a rate limit, and after a
 * request that didn't get through. The keys are held while a request is under way, and not
 * between two of them.
 *
 * this try             before          outcome                           ledger     its keys
 * accepted                             accepted                          accepted   accepted
 * maybe sent                           uncertain                         uncertain  uncertain
 * finds its key taken                  skipped, uncertain, or rejected:  as before  see MessageKeys
 *                                      see MessageKeys
 * kept back                            as the safeguard says             as before  as before
 * certainly not sent   didn't send it  rejected or not attempted         nothing    free
 * certainly not sent   maybe sent it   the same, shown as uncertain      as before  uncertain
 *
 * What a message has for a request, and until when:
 *
 * slot                    until the request starts, or giveBack() if none does
 * keys                    until the attempt ends: see attempt()
 * place of Max Messages   until the message ends: see ExecutionState.count()
 * turn as the only one    until the attempt or the message ends: see FirstRequest.end()
 *
 * @returns how it ended; `stopped` when the run stopped before that
 */
export async function sendMessage(message: Message, sending: Sending): Promise<Ended> {
	const attempts = new Attempts(message, sending, new MessageKeys(message, sending));
	for (;;) {
		const ended = (await attempts.waitForSlot()) ?? (await attempts.attempt());
		if (ended !== 'again') return ended;
	}
}

class Attempts {
	private rateLimits = 0;
	private lastRateLimit?: Failure;
	/** When it has waited long enough since the first rate limit of its own. */
	private giveUpAt?: number;
	private timesNotSent = 0;
	/** How long this message alone waits before its next slot. */
	private pauseMs = 0;
	private maxClaimMs = MAX_CLAIM_MS;
	/** Whether it waits for the first request of the run before it claims its keys. */
	private waitsForFirst: boolean;

	constructor(
		private readonly message: Message,
		private readonly sending: Sending,
		private readonly keys: MessageKeys,
	) {
		// A message with a key may have been sent before, which doesn't take a request.
		this.waitsForFirst = sending.ledger.keysOf(message).length === 0;
	}

	/** @returns why there is none, or undefined */
	async waitForSlot(): Promise<Ended | undefined> {
		const { firstRequest, mustWait, rateLimiter, rateLimitWait, shouldStop } = this.sending;
		if (mustWait(this.message)) {
			// One after the other, so that the list's order decides.
			await withMutex(this.sending, async () => {
				while (mustWait(this.message) && !shouldStop()) await sleep(PLACE_POLL_MS);
			});
		}
		if (this.waitsForFirst) await firstRequest.wait(this.message);
		if (this.pauseMs > 0) await sleep(this.pauseMs);
		this.pauseMs = 0;
		// Until it has met a rate limit itself, it may wait this long for each pause
		// that others caused.
		const latest = () => this.giveUpAt ?? performance.now() + rateLimitWait;
		const denied = await rateLimiter.acquire(latest);
		if (denied !== 'waitBudgetExceeded') return denied;
		return waitBudgetExceeded(this.lastRateLimit, rateLimiter.pauseEnd());
	}

	/** Uses a slot, or gives it back. Between two requests, the message has no key. */
	async attempt(): Promise<Ended | 'again'> {
		const { background, firstRequest, rateLimiter } = this.sending;
		try {
			const notRequested = await this.prepare();
			if (notRequested !== undefined) rateLimiter.giveBack();
			const ended = notRequested ?? (await this.request());
			// Otherwise once it's counted: by that, others know whether the service works.
			if (ended === 'again') firstRequest.end(this.message);
			return ended;
		} finally {
			// Not waited for: the key store writes this together with the next claims of others.
			background.push(this.keys.end());
		}
	}

	/** What comes before a request, in this order. @returns why none is made now, or undefined */
	private async prepare(): Promise<Ended | 'again' | undefined> {
		const { message } = this;
		const askedAt = performance.now();

		const endedWhenDue = this.sending.endedBy(message, 'due');
		if (endedWhenDue) return endedWhenDue;

		const notClaimed = await this.keys.claim();
		if (notClaimed) return notClaimed;

		return this.begin(askedAt);
	}

	/** Right before the request. Nothing is awaited here: no other message comes in between. */
	private begin(askedAt: number): Outcome | 'again' | undefined {
		const { message } = this;
		const { endedBy, firstRequest, mustWait } = this.sending;

		const isSlotOver = this.isLate(askedAt) || mustWait(message);
		if (isSlotOver) return 'again';

		const endedWhenClaimed = endedBy(message, 'claimed');
		if (endedWhenClaimed) return endedWhenClaimed;

		this.waitsForFirst = !firstRequest.begin(message);
		return this.waitsForFirst ? 'again' : undefined;
	}

	/**
	 * A slot can be over once the keys are claimed: by the time that took, or by what
	 * has happened since.
	 */
	private isLate(askedAt: number): boolean {
		const { rateLimiter, shouldStop } = this.sending;
		const hasWaited = performance.now() - askedAt > this.maxClaimMs;
		if (hasWaited) this.maxClaimMs = Infinity;
		return hasWaited || rateLimiter.isPaused() || shouldStop();
	}

	private async request(): Promise<Outcome | 'again'> {
		const { message } = this;
		const { ledger, send } = this.sending;
		const undo = ledger.begin(message);
		const result = await send(message.request);
		if (result.delivery === 'accepted' || result.delivery === 'uncertain') {
			ledger.note(message, result.delivery === 'accepted' ? { record: result.record } : result);
			return result;
		}
		// It certainly wasn't sent this time, so what was known before holds.
		undo();
		switch (result.delivery) {
			case 'askedToWait':
				this.meetRateLimit(result.failure, result.retryAfterMs);
				return 'again';
			case 'notSent':
				this.timesNotSent += 1;
				this.pauseMs = MIN_PAUSE_MS * this.timesNotSent;
				if (this.timesNotSent < MAX_NOT_SENT) return 'again';
				return { delivery: 'rejected', failure: result.failure };
			default:
				return result;
		}
	}

	/**
	 * Pauses all messages. The service's own wait counts from each response; without one, a burst of
	 * rate limits pauses once.
	 */
	private meetRateLimit(failure: Failure, retryAfterMs?: number): void {
		const { rateLimiter, rateLimitWait } = this.sending;
		this.rateLimits += 1;
		this.lastRateLimit = failure;
		this.giveUpAt ??= performance.now() + rateLimitWait;
		if (retryAfterMs !== undefined) {
			rateLimiter.pauseFor(Math.max(retryAfterMs, MIN_PAUSE_MS));
		} else if (!rateLimiter.isPaused()) {
			rateLimiter.pauseFor(backoffMs(this.rateLimits));
		}
	}
}

/**
 * @param rateLimit that the message itself met last; without one, it waited for the rate
 *   limits of others only
 */
function waitBudgetExceeded(rateLimit: Failure | undefined, sendAfter: string): Outcome {
	if (rateLimit !== undefined) {
		const title =
			rateLimit.title + ". It asked to wait for longer than 'Rate Limit Wait (Seconds)'";
		return { delivery: 'rejected', failure: { ...rateLimit, sendAfter, title } };
	}
	const text = twoLines`The service asked to wait for longer than 'Rate Limit Wait (Seconds)'
		Wait a while. To stay within the service's rate limit, set 'Messages per Second', or raise \
			'Rate Limit Wait (Seconds)'`;
	const more = { isUnsent: true, sendAfter, n8nCause: { cause: 'rate-limited' } } as const;
	return failed('notAttempted', text, more);
}
