import { sleep } from 'n8n-workflow';

import type { HttpResult } from '../service/httpResult';
import type { Failure } from './failure';
import type { Verdict } from '../service/classifyResponse';
import type { RateLimiter } from './rateLimiter';
import type { Failed, Outcome } from './outcome';
import { backoffMs, retryAfterMs } from './retryAfter';

const CONNECTION_TRIES = 3;
const CONNECTION_PAUSE = 500;

/** How one message is sent. */
export interface Attempt {
	gate: RateLimiter;
	send(): Promise<HttpResult>;
	judge(answer: HttpResult): Verdict;
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
		const waited = await message.gate.acquire(patience);
		if (waited === 'halted') return undefined;
		if (waited === 'outlasted') return { delivery: 'rejected', failure: slowDown };
		patience -= waited;

		message.markInFlight();
		const verdict = message.judge(await message.send());
		if (verdict.delivery === 'later') {
			const asked = retryAfterMs(verdict.retryAfter, Date.now());
			slowDown = {
				...verdict.failure,
				title: `${verdict.failure.title}, for longer than Rate Limit Wait`,
				n8nCause: { cause: 'rate-limited', ...(asked && { retryAfterMs: Math.ceil(asked) }) },
			};
			shutGate(message.gate, asked, ++rateLimits);
		} else if (verdict.delivery === 'unreachable') {
			if (++connections === CONNECTION_TRIES)
				return { delivery: 'rejected', failure: verdict.failure };
			await sleep(CONNECTION_PAUSE * connections);
		} else {
			return verdict;
		}
	}
}

/** The service's own wait counts from each answer; without one, the burst that ran into the limit waits once. */
function shutGate(gate: RateLimiter, asked: number | undefined, rateLimits: number): void {
	if (asked !== undefined) gate.pauseFor(asked);
	else if (!gate.isPaused()) gate.pauseFor(backoffMs(rateLimits));
}

const OUTLASTED: Failure = {
	title: 'The service asked everyone to slow down, for longer than Rate Limit Wait',
	description:
		'Nothing was sent to this customer. Set Messages per Second under Options to what the service allows, or raise Rate Limit Wait (Seconds)',
	n8nCause: { cause: 'rate-limited' },
};
