import { errorMessage, twoLines } from '../common/errorText';
import type { LedgerEntry } from './nodeState';
import { type Message, skipped } from './message';
import type { Failed, Skipped, SkipReason } from './outcome';
import { CHECK_FIRST, failed } from './outcome';

/** @param stopReason what ended the run; undefined when the execution was canceled */
export function notAttempted(stopReason?: Failed): Failed {
	if (stopReason === undefined) return failed('notAttempted', CANCELED, { isUnsent: true });
	const { title, description, reason, n8nCause } = stopReason.failure;
	const text = {
		title: `This message wasn't sent now: the step ended first. ${title}`,
		description,
	};
	return failed('notAttempted', text, { reason, n8nCause });
}

const CANCELED = twoLines`The execution was canceled before this message's turn came
	Its row is as it was before`;

/** An exception inside the node. @param entry the ledger's, if its request was in flight */
export function unexpected(error: unknown, entry: LedgerEntry | undefined): Failed {
	const said = errorMessage(error);
	const defect = { n8nCause: { cause: 'node-defect' } } as const;
	if (entry && !entry.record) {
		const title = `Something unexpected happened while this message was being sent: ${said}`;
		return failed('uncertain', { title, description: CHECK_FIRST }, defect);
	}
	const text = twoLines`Something unexpected happened before this message was sent: ${said}
		If it happens again, report it to the maintainers of this node`;
	return failed('rejected', text, { ...defect, isUnsent: true });
}

export const ALREADY_SENT: SkipReason = {
	reason: 'alreadySent',
	hasMessage: true,
	forPeople: 'already sent',
	forAgents: 'A message with this send-once key was already sent to this customer.',
	forReviewers: 'This question was asked before.',
};

/**
 * @param isOfExecution whether another retry of this execution has sent it, and not an
 *   earlier execution
 */
export function alreadySent(message: Message, isOfExecution = false): Skipped {
	const { sendOnceKey } = message;
	const details = sendOnceKey === undefined ? {} : { sendOnceKey };
	return { ...skipped(message, ALREADY_SENT, details), isOfExecution };
}

/** Another retry has sent this customer a message in the place of this one, with other content. */
export const OTHER_SENT: Failed = failed(
	'rejected',
	twoLines`Another retry of this execution sent this customer a message, and \
			this one says something else
		Look for that message in the service's dashboard. Send this one only if the \
			customer needs it, too`,
	{ reason: 'sentByOtherRetry' },
);

/** Its key is claimed, and nothing says how the message that it was claimed for ended. */
export function maybeSentElsewhere(isOfRetry: boolean): Failed {
	const title = isOfRetry
		? 'Another retry of this execution may have sent this message'
		: 'A message with this send-once key may have been sent before';
	const uncertain = failed('uncertain', { title, description: CHECK_FIRST });
	return { ...uncertain, isFromBefore: true, isElsewhere: !isOfRetry };
}
