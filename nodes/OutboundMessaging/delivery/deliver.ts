import type { Delivery, Sending } from './delivery';
import { yieldIfDue } from '../common/eventLoop';
import { type Message, type PlannedItem, messagesOf } from './message';
import {
	fromMemory,
	notAttempted,
	unexpected,
	maybeSentElsewhere,
	settledBefore,
	stillUncertain,
} from './deliveryOutcomes';
import { type Failed, type Outcome, isFailed } from './outcome';
import { runPool } from './pool';
import { RateLimiter } from './rateLimiter';
import { MessageKeys } from './keys/messageKeys';
import { sendWithRetries } from './sendWithRetries';

/**
 * Delivers the messages of a run, each at most once. Never rejects: whatever goes wrong becomes the outcome of its
 * message.
 * @returns how each item ended, in the order of the items
 */
export async function deliver(items: PlannedItem[], run: Delivery): Promise<Outcome[]> {
	const messages = messagesOf(items);
	const outcomes: Outcome[] = [];
	const background: Array<Promise<void>> = [];
	const inBackground = (work: Promise<void>) => void background.push(work);
	let stopReason = run.stopReason();
	const shouldStop = () => stopReason !== undefined || run.isCanceled();
	const rateLimiter = new RateLimiter(run.messagesPerSecond, shouldStop, run.pace);
	const sending: Sending = { ...run, rateLimiter, shouldStop, inBackground };

	await yieldIfDue();
	await runPool({
		// Messages to one recipient are sent one after the other.
		keys: messages.map(({ recipient }) => recipient),
		maxInFlight: run.maxInFlight,
		shouldStop,
		run: async (position) => {
			await yieldIfDue();
			const message = messages[position];
			const outcome = await deliverMessage(message, sending).catch((error: unknown) =>
				unexpected(error, run.memory.get(message)),
			);
			if (outcome === undefined) return;
			outcomes[position] = outcome;
			if (isFailed(outcome) && shouldEndRun(outcome, run)) stopReason ??= outcome;
			// Always told, even when the run has already ended: what it counts must be complete.
			const reason = run.onOutcome(outcome, message);
			stopReason ??= reason;
		},
	});
	await Promise.all(background);
	const rest = notAttempted(stopReason);
	let next = 0;
	return items.map((item) => {
		if ('outcome' in item) return item.outcome;
		return outcomes[next++] ?? fromMemory(run.memory.get(item.message), item.message) ?? rest;
	});
}

/** What became uncertain in an earlier try, or is outside its own hours, doesn't keep the others from being sent. */
function shouldEndRun(failed: Failed, { stopOnFailure }: Delivery): boolean {
	const { isFatal, fromPreviousTry, failure } = failed;
	const isOwnCase = fromPreviousTry === true || failure.reason === 'outsideAllowedHours';
	return isFatal === true || (stopOnFailure && !isOwnCase);
}

/**
 * Delivers one message: consults the memory, sends it while it holds its keys, and remembers how that ended.
 * @returns undefined when the run stopped before the message was sent
 */
export async function deliverMessage(message: Message, run: Sending): Promise<Outcome | undefined> {
	const { memory } = run;
	const settled = settledBefore(message, run);
	if (settled) return settled;
	const known = memory.get(message);

	const keys = new MessageKeys(message, run);
	const outcome = await sendWithRetries(message, keys, run);
	if (outcome?.delivery === 'accepted' || outcome?.delivery === 'uncertain') {
		// Another execution may have sent it, and this one didn't.
		if (!keys.isHeld) return outcome;
		const isAccepted = outcome.delivery === 'accepted';
		if (isAccepted) memory.accepted(message, outcome.record);
		else memory.uncertain(message, outcome.failure);
		// Written together with the claim of the next message, so no more keys are in flight than messages may be.
		run.inBackground(keys.mark(isAccepted ? 'accept' : 'markUncertain'));
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
