import type { Delivery } from './delivery';
import { deliverMessage } from './deliverMessage';
import { yieldIfDue } from './eventLoop';
import { type Message, type PlannedItem, messagesOf } from './message';
import { fromMemory, notAttempted, unexpected } from './deliveryOutcomes';
import { type Failed, type Outcome, isFailed } from './outcome';
import { runPool } from './pool';
import { RateLimiter } from './rateLimiter';

/**
 * Delivers the messages of a run, each at most once. Never rejects: whatever goes wrong becomes the outcome of its
 * message.
 * @returns how each item ended, in the order of the items
 */
export async function deliver(items: PlannedItem[], run: Delivery): Promise<Outcome[]> {
	const messages = messagesOf(items);
	const outcomes: Outcome[] = [];
	const background: Array<Promise<void>> = [];
	let { stopReason } = run;
	const shouldStop = () => stopReason !== undefined || run.isCanceled();
	const rateLimiter = new RateLimiter(run.messagesPerSecond, shouldStop, run.pace);

	await yieldIfDue();
	await runPool({
		keys: messages.map(orderingKeys),
		maxInFlight: run.maxInFlight,
		shouldStop,
		run: async (position) => {
			await yieldIfDue();
			const message = messages[position];
			const outcome = await deliverMessage(
				message,
				run,
				rateLimiter,
				shouldStop,
				(work) => void background.push(work),
			).catch((error: unknown) => unexpected(error, run.memory.get(message)));
			if (outcome === undefined) return;
			outcomes[position] = outcome;
			if (isFailed(outcome) && shouldEndRun(outcome, run)) stopReason ??= outcome;
			// Always told, even when the run has already ended: what it counts must be complete.
			const reason = run.onOutcome(outcome, message);
			stopReason ??= reason;
		},
	});
	await Promise.all(background);
	let next = 0;
	return items.map((item) => {
		if ('outcome' in item) return item.outcome;
		const known = outcomes[next++] ?? fromMemory(run.memory.get(item.message), item.message);
		return known ?? notAttempted(stopReason);
	});
}

/** Messages to one recipient, and messages with one send-once key, are sent one after the other. */
function orderingKeys({ recipient, sendOnceKey }: Message): string[] {
	return sendOnceKey === undefined
		? [`to ${recipient}`]
		: [`to ${recipient}`, `key ${sendOnceKey}`];
}

/** What became uncertain in an earlier try, or is outside its own hours, doesn't keep the others from being sent. */
function shouldEndRun(failed: Failed, { stopOnFailure }: Delivery): boolean {
	const { isFatal, fromPreviousTry, failure } = failed;
	const isOwnCase = fromPreviousTry === true || failure.reason === 'outsideAllowedHours';
	return isFatal === true || (stopOnFailure && !isOwnCase);
}
