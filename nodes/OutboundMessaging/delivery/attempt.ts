import { sleep } from 'n8n-workflow';

import type { Answer } from '../service/answer';
import type { Failure } from '../service/failure';
import type { Verdict } from '../service/verdict';
import type { Gate } from './gate';
import type { Failed, Outcome } from './outcome';
import { backoffMs, retryAfterMs } from './retryAfter';

const CONNECTION_TRIES = 3;
const CONNECTION_PAUSE = 500;

/** How one message is sent. */
export interface Attempt {
	gate: Gate;
	send(): Promise<Answer>;
	judge(answer: Answer): Verdict;
	/** Milliseconds that the message may wait in all while the service asks to slow down. */
	rateLimitWait: number;
	/** Called right before a request leaves. */
	leaving(): void;
}

type Sent = Extract<Outcome, { delivery: 'accepted' }> | Failed;

/**
 * Sends one message. A request goes again only when it is certain that the message was not taken: after a rate limit,
 * and after a connection that was never made.
 * @returns how it ended; undefined when the run was halted before a request could go (again)
 */
export async function attempt(message: Attempt): Promise<Sent | undefined> {
	let patience = message.rateLimitWait;
	let rateLimits = 0;
	let connections = 0;
	let slowDown: Failure = OUTLASTED;
	for (;;) {
		const waited = await message.gate.pass(patience);
		if (waited === 'halted') return undefined;
		if (waited === 'outlasted') return { delivery: 'rejected', failure: slowDown };
		patience -= waited;

		message.leaving();
		const verdict = message.judge(await message.send());
		if (verdict.delivery === 'later') {
			const asked = retryAfterMs(verdict.retryAfter, Date.now());
			slowDown = {
				...verdict.failure,
				error: `${verdict.failure.error}, for longer than Rate Limit Wait`,
				cause: { cause: 'rate-limited', ...(asked && { retryAfterMs: Math.ceil(asked) }) },
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
function shutGate(gate: Gate, asked: number | undefined, rateLimits: number): void {
	if (asked !== undefined) gate.shut(asked);
	else if (!gate.isShut()) gate.shut(backoffMs(rateLimits));
}

const OUTLASTED: Failure = {
	error: 'The service asked everyone to slow down, for longer than Rate Limit Wait',
	message:
		'Nothing was sent to this customer. Set Messages per Second under Options to what the service allows, or raise Rate Limit Wait (Seconds)',
	cause: { cause: 'rate-limited' },
};
