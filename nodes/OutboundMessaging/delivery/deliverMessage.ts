import type { Delivery } from './delivery';
import { fromMemory, maybeSentElsewhere, settledBefore, stillUncertain } from './deliveryOutcomes';
import type { Message } from './message';
import { MessageKeys } from './messageKeys';
import type { Outcome } from './outcome';
import type { RateLimiter } from './rateLimiter';
import { sendWithRetries } from './sendWithRetries';

/**
 * Delivers one message: consults the memory, sends it while it holds its keys, and remembers how that ended.
 * @param inBackground takes what must end before the run does, but not before the next message starts
 * @returns undefined when the run stopped before the message was sent
 */
export async function deliverMessage(
	message: Message,
	run: Delivery,
	rateLimiter: RateLimiter,
	shouldStop: () => boolean,
	inBackground: (work: Promise<void>) => void,
): Promise<Outcome | undefined> {
	const { memory } = run;
	const settled = settledBefore(message, run);
	if (settled) return settled;
	const known = memory.get(message);

	const keys = new MessageKeys(message, run, shouldStop);
	const outcome = await sendWithRetries(message, keys, run, rateLimiter);
	if (outcome?.delivery === 'accepted') {
		memory.accepted(message, outcome.record);
		// Written together with the claim of the next message, so no more keys are in flight than messages may be.
		inBackground(keys.markAccepted());
		return outcome;
	}
	if (outcome?.delivery === 'uncertain') {
		if (!keys.isHeld) return outcome;
		memory.uncertain(message, outcome.failure);
		await keys.markUncertain();
		return outcome;
	}
	// Another execution has sent it, which also answers what an earlier try left open.
	if (outcome?.delivery === 'skipped') return outcome;

	// Certainly not sent in this try. Whether an earlier one, or another execution, sent it is as open as before.
	const notReleased = keys.isHeld ? await keys.release(outcome?.failure) : undefined;
	const earlier =
		fromMemory(known, message) ?? (keys.isResent ? maybeSentElsewhere(message) : undefined);
	if (earlier) {
		memory.uncertain(message, known?.failure);
		return outcome ? stillUncertain(outcome) : earlier;
	}
	memory.delete(message);
	return notReleased ? { ...notReleased, ...outcome, failure: notReleased.failure } : outcome;
}
