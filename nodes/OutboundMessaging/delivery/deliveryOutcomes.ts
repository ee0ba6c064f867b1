import { errorMessage, twoLines } from '../common/errorText';
import type { MessageEntry } from '../n8n/nodeState';
import { type Message, contentOf, skipped } from './message';
import type { Accepted, Failed, Failure, Outcome, Skipped, SkipReason } from './outcome';
import { CHECK_FIRST, ONLY_THIS_ROW, failed, isFailed } from './outcome';
import type { OnUncertainDelivery } from './sending';

/** The outcome of a message that an earlier try sent. @param message of this try, whose content is compared */
export function fromMemory(
	entry: MessageEntry | undefined,
	message?: Message,
): Accepted | Failed | undefined {
	if (entry === undefined) return undefined;
	const { record, failure } = entry;
	if (record && entry.askedIn !== message?.askedIn) return failed('notAttempted', ASKED_EARLIER);
	if (record) {
		const contentChanged = message !== undefined && contentOf(message) !== entry.content;
		return { delivery: 'accepted', record, fromPreviousTry: true, contentChanged };
	}
	const title = `An earlier try got no clear response, so this message wasn't sent again${failure ? `. ${failure.title}` : ''}`;
	const uncertain = failed('uncertain', { title, description: CHECK_FIRST }, failure);
	return { ...uncertain, fromPreviousTry: true };
}

const ASKED_EARLIER = twoLines`An earlier execution asked this question, and its link only leads to that execution
	Run the workflow again: a new execution asks again`;

/** Whether what an earlier try left means that the message isn't sent now. */
export const isFinal = ({ delivery }: Outcome, onUncertainDelivery: OnUncertainDelivery) =>
	delivery !== 'uncertain' || onUncertainDelivery === 'doNotResend';

/** The outcome of an item that can't become a message now. @param earlier what an earlier try did with it, which stays so */
export const rejectedUnlessSent = (failure: Failure, earlier?: MessageEntry): Outcome =>
	fromMemory(earlier) ?? { delivery: 'rejected', failure };

/**
 * How a message ends that an earlier try, step or execution may have sent: it stays uncertain, whatever kept it from being
 * sent again, unless the customer has got it by now, or another one.
 */
export function endedAfterUncertain(outcome: Outcome): Outcome {
	if (outcome.delivery === 'accepted' || outcome.delivery === 'uncertain') return outcome;
	if (isFailed(outcome)) return stillUncertain(outcome);
	if (outcome.why.hasOther) return outcome;
	return stillUncertain(failed('notAttempted', inWords(outcome)));
}

const inWords = ({ why }: Skipped) => twoLines`It was skipped: ${why.forPeople}
	While that safeguard applies, it isn't sent again`;

/**
 * A message that was to be sent again by choice, and certainly wasn't. If it wasn't even attempted, the uncertainty is the
 * earlier try's, and isn't counted as a failure of this one.
 */
function stillUncertain({ delivery, failure, isFatal }: Failed): Failed {
	const text = twoLines`An earlier try may have sent this message, and it couldn't be resent. ${failure.title}
		Check the service's dashboard for the earlier try. ${failure.description}${delivery === 'rejected' ? `. To send it, ${ONLY_THIS_ROW}` : ''}`;
	const uncertain = failed('uncertain', text, { ...failure, isUnsent: false });
	return { ...uncertain, isFatal, fromPreviousTry: delivery === 'notAttempted' };
}

/** @param stopReason what ended the run; undefined when the execution was canceled */
export function notAttempted(stopReason?: Failed): Failed {
	if (stopReason === undefined) return failed('notAttempted', CANCELED);
	const { title, description, reason, n8nCause } = stopReason.failure;
	const text = { title: `This message wasn't sent: the step ended first. ${title}`, description };
	return failed('notAttempted', text, { reason, n8nCause });
}

const CANCELED = twoLines`This message wasn't sent: the execution was canceled first
	To send it, ${ONLY_THIS_ROW}`;

/** An exception inside the node. */
export function unexpected(error: unknown, entry: MessageEntry | undefined): Failed {
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
	forPeople: 'already sent',
	forAgents: 'A message with this send-once key was already sent to this customer.',
	forReviewers: 'This question was asked before.',
	hasOther: true,
};

/** @param isByRetry whether another retry of this execution has sent it, and not an earlier execution */
export function alreadySent(message: Message, isByRetry = false): Skipped {
	const { sendOnceKey } = message;
	const details = sendOnceKey === undefined ? {} : { sendOnceKey };
	return { ...skipped(message, ALREADY_SENT, details), isByRetry };
}

/** Its key is claimed, and nothing says how the message that it was claimed for ended. */
export function maybeSentElsewhere({ sendOnceKey }: Message): Failed {
	const title =
		sendOnceKey === undefined
			? 'Another execution may have sent this message'
			: 'A message with this send-once key may have been sent before';
	return { ...failed('uncertain', { title, description: CHECK_FIRST }), fromPreviousTry: true };
}
