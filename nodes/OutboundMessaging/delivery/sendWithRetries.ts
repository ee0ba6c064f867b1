import { sleep } from 'n8n-workflow';

import { backoffMs } from './backoff';
import type { Failure } from './failure';
import type { Failed, Outcome } from './outcome';
import type { SendResult } from './port';
import type { RateLimiter } from './rateLimiter';

const CONNECTION_TRIES = 3;
const CONNECTION_PAUSE = 500;

/** How one message is sent. */
export interface Attempt {
	rateLimiter: RateLimiter;
	send(): Promise<SendResult>;
	/** Milliseconds that the message may wait in all while the service asks to slow down. */
	rateLimitWait: number;
	/** Called right before a request leaves. */
	markInFlight(): void;
}

type Sent = Extract<Outcome, { delivery: 'accepted' }> | Failed;

/**
 * Sends one message. A request goes again only when it is certain that the message was not taken: after a rate limit,
 * and after a connection that was never made.
 * @returns how it ended; undefined when the run was halted before a request could go (again)
 */
export async function sendWithRetries(message: Attempt): Promise<Sent | undefined> {
	let patience = message.rateLimitWait;
	let rateLimits = 0;
	let connections = 0;
	let slowDown: Failure = OUTLASTED;
	for (;;) {
		const waited = await message.rateLimiter.acquire(patience);
		if (waited === 'halted') return undefined;
		if (waited === 'outlasted') return { delivery: 'rejected', failure: slowDown };
		patience -= waited;

		message.markInFlight();
		const result = await message.send();
		if (result.delivery === 'rateLimited') {
			const asked = result.retryAfterMs;
			slowDown = {
				...result.failure,
				title: `${result.failure.title}, for longer than Rate Limit Wait`,
				n8nCause: { cause: 'rate-limited', ...(asked && { retryAfterMs: Math.ceil(asked) }) },
			};
			pauseAll(message.rateLimiter, asked, ++rateLimits);
		} else if (result.delivery === 'notSent') {
			if (++connections === CONNECTION_TRIES)
				return { delivery: 'rejected', failure: result.failure };
			await sleep(CONNECTION_PAUSE * connections);
		} else {
			return result;
		}
	}
}

/** The service's own wait counts from each answer; without one, the burst that ran into the limit waits once. */
function pauseAll(rateLimiter: RateLimiter, asked: number | undefined, rateLimits: number): void {
	if (asked !== undefined) rateLimiter.pauseFor(asked);
	else if (!rateLimiter.isPaused()) rateLimiter.pauseFor(backoffMs(rateLimits));
}

const OUTLASTED: Failure = {
	title: 'The service asked everyone to slow down, for longer than Rate Limit Wait',
	description:
		'Nothing was sent to this customer. Set Messages per Second under Options to what the service allows, or raise Rate Limit Wait (Seconds)',
	n8nCause: { cause: 'rate-limited' },
};
