import { yieldIfDue } from '../common/eventLoop';
import {
	fromMemory,
	isAlreadySent,
	isSettled,
	maybeSentElsewhere,
	notAttempted,
	stillUncertain,
	unexpected,
} from './deliveryOutcomes';
import { settledWithKey } from './keys/keyStore';
import { MessageKeys } from './keys/messageKeys';
import { type Message, type PlannedItem, isToSend, messagesToSend, ownKey } from './message';
import { type Failed, type Outcome, isFailed } from './outcome';
import { runPool } from './pool';
import { RateLimiter } from './rateLimiter';
import type { Delivery, Sending } from './sending';
import { sendWithRetries } from './sendWithRetries';

/** Delivers the messages of a run, each at most once. @returns how each item ended, in their order */
export async function deliver(items: PlannedItem[], delivery: Delivery): Promise<Outcome[]> {
	const { memory } = delivery;
	const messages = messagesToSend(items);
	const outcomes = new Map<Message, Outcome>();
	let stopReason = delivery.stopReason();
	const shouldStop = () => stopReason !== undefined || delivery.isCanceled();
	const rateLimiter = new RateLimiter(delivery.messagesPerSecond, shouldStop, delivery.pace);
	const sending: Sending = { ...delivery, rateLimiter, shouldStop, background: [] };
	sending.background.push(...markSettled(items, sending));

	await yieldIfDue();
	await runPool({
		// Messages to one recipient are sent one after the other.
		keys: messages.map(({ recipient }) => recipient),
		maxConcurrency: delivery.maxConcurrency,
		shouldStop,
		work: async (position) => {
			await yieldIfDue();
			const message = messages[position];
			const outcome = await deliverMessage(message, sending).catch((error: unknown) =>
				unexpected(error, memory.get(message)),
			);
			if (outcome === undefined) return;
			outcomes.set(message, outcome);
			if (isFailed(outcome) && endsRun(outcome, delivery)) stopReason ??= outcome;
			// Always told, even when the run has already ended: what it counts must be complete.
			const reason = delivery.onOutcome(outcome, message);
			stopReason ??= reason;
		},
	});
	await Promise.all(sending.background);
	const rest = notAttempted(stopReason);
	return items.map((item) => {
		if (!isToSend(item)) return item.outcome;
		const { message } = item;
		return outcomes.get(message) ?? fromMemory(memory.get(message), message) ?? rest;
	});
}

/** What an earlier try settled may have been sent without the keys that it has now: the next execution would send it again. */
function markSettled(items: PlannedItem[], sending: Sending): Array<Promise<void>> {
	return settledWithKey(items, sending.memory).map(async ({ message, outcome }) => {
		const keys = new MessageKeys(message, [ownKey(message)!], sending);
		await keys.mark(outcome.delivery === 'accepted' ? 'accept' : 'markUncertain');
	});
}

/** What became uncertain in an earlier try, or is kept back for now, doesn't keep the others from being sent. */
function endsRun({ isFatal, fromPreviousTry, isKeptBack }: Failed, { stopOnFailure }: Delivery) {
	const isOwnCase = fromPreviousTry === true || isKeptBack === true;
	return isFatal === true || (stopOnFailure && !isOwnCase);
}

/**
 * Delivers one message, unless an earlier try has settled it.
 *
 *   this try           an earlier try, or execution   outcome                       memory      its keys
 *   accepted                                          accepted                      accepted    accepted
 *   maybe sent                                        uncertain                     uncertain   uncertain
 *   not allowed to     has its key                    skipped or uncertain          as before   as before
 *   certainly not      didn't send it                 rejected or not attempted     nothing     free
 *   certainly not      maybe sent it                  uncertain, as it was before   uncertain   as before
 *
 * @returns undefined when the run stopped before the message was sent
 */
export async function deliverMessage(message: Message, sending: Sending) {
	const { memory, onUncertainDelivery } = sending;
	const known = memory.get(message);
	const earlier = fromMemory(known, message);
	// Another call of an agent's tool may have settled it since it was planned.
	if (earlier && isSettled(earlier, onUncertainDelivery)) return earlier;

	const keys = new MessageKeys(message, sending.keyStore ? memory.keysOf(message) : [], sending);
	const result = await sendWithRetries(message, keys, sending);
	// A safeguard that skips it now doesn't change that an earlier try may have sent it.
	if (result?.delivery === 'skipped') return isAlreadySent(result) ? result : (earlier ?? result);
	if (result?.delivery === 'accepted' || result?.delivery === 'uncertain') return result;
	const open = earlier ?? (keys.wasUncertain ? maybeSentElsewhere(message) : undefined);
	if (open === undefined) return result;
	memory.rememberUncertain(message, known?.failure);
	return result ? stillUncertain(result) : open;
}
