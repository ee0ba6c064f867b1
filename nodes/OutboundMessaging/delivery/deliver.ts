import { yieldIfDue } from '../common/eventLoop';
import { endOf, notAttempted, unexpected } from './beforeAndNow';
import { FirstRequest } from './firstRequest';
import {
	type EndedItem,
	type Message,
	type PlannedItem,
	isToSend,
	messagesToSend,
	type Failed,
	type Outcome,
	isFailed,
} from './message';
import { runPool } from './pool';
import { RateLimiter } from './rateLimiter';
import type { SendSettings, Sending } from './sending';
import { sendMessage } from './attempts';

/**
 * Delivers the messages of a run, each at most once.
 * @returns the items in their order, as they ended
 */
export async function deliver(items: PlannedItem[], delivery: SendSettings): Promise<EndedItem[]> {
	const outcomes = new Map<Message, Outcome>();
	let stopReason = delivery.stopReason();
	const shouldStop = () => stopReason !== undefined || delivery.isCanceled();
	const rateLimiter = new RateLimiter(delivery.messagesPerSecond, shouldStop, delivery.pace);
	const firstRequest = new FirstRequest(delivery.isServiceUp, shouldStop);
	const sending: Sending = {
		...delivery,
		rateLimiter,
		firstRequest,
		shouldStop,
		background: [],
	};
	const work = async (message: Message) => {
		await yieldIfDue();
		const outcome = await sendMessage(message, sending).catch((error: unknown) =>
			unexpected(error, delivery.ledger.get(message)),
		);
		if (outcome !== 'stopped') {
			outcomes.set(message, outcome);
			// Always told, even when the run has already ended: what it counts must be complete.
			const reason = delivery.onOutcome(outcome, message);
			stopReason ??= isFailed(outcome) && endsRun(outcome, delivery) ? outcome : reason;
		}
		firstRequest.end(message);
	};
	await runPool(messagesToSend(items), work, delivery.maxConcurrency);
	await Promise.all(sending.background);
	await delivery.keyStore?.idle;
	const rest = notAttempted(stopReason);
	return items.map((item) => {
		if (!isToSend(item)) return item;
		const { message } = item;
		// This try alone was counted. The item shows it together with what was known before.
		return { message, outcome: endOf(message.before, outcomes.get(message) ?? rest) };
	});
}

/**
 * What became uncertain in an earlier try, what another retry sent, and what wasn't attempted
 * don't keep the others from being sent.
 */
function endsRun({ isFatal, origin, delivery }: Failed, { stopOnFailure }: SendSettings) {
	return isFatal || (stopOnFailure && !origin && delivery !== 'notAttempted');
}
