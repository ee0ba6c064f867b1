import { type Message, failed } from '../delivery/message';
import { misconfigured, twoLines } from '../common/failure';
import { number } from '../parameters/field';
import { total } from '../delivery/nodeState';
import { type ExecutionState, wasCounted } from './executionState';
import type { Judging, Safeguard } from './safeguard';

/**
 * What counts is what is really sent. With send-once keys that is known when a message's turn
 * comes; without them the whole list is known before, and one message too many rejects it.
 */
export const maxMessages = {
	...number(
		'Max Messages',
		'The most messages that this node may send in one execution. If a step would exceed this, ' +
			"none of it is sent; with 'Send Once Key', the rest is kept back. 0 means no limit.",
		{ preset: 100, min: 0, max: 1000000, whole: true },
		{ off: 0, isOffAtZero: true },
	),
	judges: { claimed: requirePlace },
} satisfies Safeguard<number>;

/** With keys, only what's really sent counts: that's known once a message's keys are claimed. */
const needsPlace = (message: Message, { claimsKeys }: Judging) =>
	claimsKeys && !wasCounted(message);

/** Whether a message must wait: others hold all places, but may end without being sent. */
export const waitsForPlace = (message: Message, limit: number, judging: Judging) =>
	limit > 0 && needsPlace(message, judging) && judging.state.waitsForPlace(message, limit);

function requirePlace(message: Message, limit: number, judging: Judging) {
	if (!needsPlace(message, judging) || judging.state.takePlace(message, limit)) return undefined;
	const text = twoLines`'Max Messages' is ${limit}, and this execution has that many already: \
			this message is kept back
		Raise 'Max Messages' before a retry. A new execution sends it with the same key, and sends \
			again what other steps have sent without a key`;
	return failed('notAttempted', text, { reason: 'maxMessages' });
}

/**
 * Rejects a list with which the execution would send too many.
 * @param limit 0 for none.
 * @throws RunRejected
 */
export function requireWithinLimit(messages: Message[], limit: number, state: ExecutionState) {
	const count = messages.filter((message) => !wasCounted(message)).length;
	const sent = total(state.counts.sent);
	if (limit === 0 || count === 0 || sent + count <= limit) return;
	const before = sent === 0 ? '' : ` after ${sent} earlier in this execution`;
	const text = twoLines`'Max Messages' is ${limit}, and this step would send ${count}${before}
		Check that the list is the one you mean. To send all of it, raise 'Max Messages', and leave \
			out what has been sent already`;
	throw misconfigured(text, 'maxMessages');
}
