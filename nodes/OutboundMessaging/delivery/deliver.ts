import { yieldIfDue } from '../common/eventLoop';
import {
	endedAfterUncertain,
	fromMemory,
	isFinal,
	notAttempted,
	unexpected,
} from './deliveryOutcomes';
import type { EndedItem, Message, PlannedItem } from './message';
import { isToSend, messagesToSend } from './message';
import { type Failed, type Outcome, isFailed } from './outcome';
import { runPool } from './pool';
import { RateLimiter } from './rateLimiter';
import type { Delivery, Sending } from './sending';
import { sendWithRetries } from './sendWithRetries';

/** Delivers the messages of a run, each at most once. @returns the items in their order, as they ended */
export async function deliver(items: PlannedItem[], delivery: Delivery): Promise<EndedItem[]> {
	const { memory } = delivery;
	const outcomes = new Map<Message, Outcome>();
	let stopReason = delivery.stopReason();
	const shouldStop = () => stopReason !== undefined || delivery.isCanceled();
	const rateLimiter = new RateLimiter(delivery.messagesPerSecond, shouldStop, delivery.pace);
	const sending: Sending = { ...delivery, rateLimiter, shouldStop, background: [] };
	const work = async (message: Message) => {
		await yieldIfDue();
		const outcome = await deliverMessage(message, sending).catch((error: unknown) =>
			unexpected(error, memory.get(message)),
		);
		if (outcome === 'stopped') return;
		outcomes.set(message, outcome);
		// Always told, even when the run has already ended: what it counts must be complete.
		const reason = delivery.onOutcome(outcome, message);
		stopReason ??= isFailed(outcome) && endsRun(outcome, delivery) ? outcome : reason;
	};
	await runPool(messagesToSend(items), work, delivery.maxConcurrency);
	await Promise.all(sending.background);
	await delivery.keyStore?.lastTurn;
	const rest = notAttempted(stopReason);
	return items.map((item) => {
		if (!isToSend(item)) return item;
		const { message } = item;
		const known = memory.get(message);
		const outcome = outcomes.get(message) ?? fromMemory(known, message) ?? rest;
		// What counts is how this try ended. What's shown is what's known, this try included.
		return { message, outcome: message.isResent || known ? endedAfterUncertain(outcome) : outcome };
	});
}

/** What became uncertain in an earlier try, or wasn't attempted, doesn't keep the others from being sent. */
function endsRun({ isFatal, fromPreviousTry, delivery }: Failed, { stopOnFailure }: Delivery) {
	return isFatal || (stopOnFailure && !fromPreviousTry && delivery !== 'notAttempted');
}

/**
 * Delivers one message, unless an earlier try has ended it.
 *
 *   this try           an earlier try, or execution   outcome                       memory      its keys
 *   accepted                                          accepted                      accepted    accepted
 *   maybe sent                                        uncertain                     uncertain   uncertain
 *   not allowed to     has its key                    skipped or uncertain          as before   as before, or uncertain
 *   kept back          -                              as the safeguard says         as before   as before
 *   certainly not      didn't send it                 rejected or not attempted     nothing     free
 *   certainly not      maybe sent it                  the same, shown as uncertain  as before   uncertain
 *
 * @returns `stopped` when the run stopped before the message was sent
 */
export async function deliverMessage(message: Message, sending: Sending) {
	const known = fromMemory(sending.memory.get(message), message);
	// Another call of an agent's tool may have sent it since it was planned.
	if (known && isFinal(known, sending.onUncertainDelivery)) return known;
	return await sendWithRetries(message, sending);
}
