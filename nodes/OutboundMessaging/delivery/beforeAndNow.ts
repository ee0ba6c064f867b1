import { twoLines, errorMessage } from '../common/failure';
import type { LedgerEntry } from './nodeState';
import {
	type Before,
	type Message,
	contentOf,
	CHECK_FIRST,
	type Failed,
	ONLY_THIS_ROW,
	type Origin,
	type Outcome,
	failed,
	isFailed,
	skipped,
	type Skipped,
	type SkipReason,
} from './message';
import type { OnUncertainDelivery } from './sending';

/**
 * How a message ends that this try was to send, by what was known before it and by what it did:
 *
 * before     this try                                             ends as
 * nothing    anything                                             this try says
 * uncertain  accepted, or uncertain                               this try says
 * uncertain  skipped: the customer has it, or another one         skipped
 * uncertain  certainly not sent, skipped for another reason, or   uncertain
 *            ended before its turn
 *
 * What the ledger has as accepted isn't sent: see endKnown().
 */
export function endOf(before: Before | undefined, now: Outcome): Outcome {
	if (before === undefined || now.delivery === 'accepted' || now.delivery === 'uncertain') {
		return now;
	}
	if (isFailed(now)) return stillUncertain(now);
	if (now.why.hasMessage) return now;

	return stillUncertain(
		failed(
			'notAttempted',
			twoLines`It was skipped: ${now.why.forPeople}
				While that safeguard applies, it isn't sent again`,
		),
	);
}

/**
 * How an item ends that can't become a message, or whose run is rejected as a whole:
 *
 * before                ends as
 * nothing               this try says
 * accepted, uncertain   as the ledger has it: see endKnown()
 * uncertain, by item    this try says, with a code by which later steps know it
 */
export function endUnread(before: Before | undefined, now: Failed): Outcome {
	if (before?.by === 'ledger') return endKnown(before.entry);
	if (before === undefined) return now;
	return { ...now, failure: { ...now.failure, reason: 'uncertainDelivery' } };
}

/** Whether what was known before means that a message isn't sent now. */
export const isFinal = ({ record }: LedgerEntry, onUncertainDelivery: OnUncertainDelivery) =>
	record !== undefined || onUncertainDelivery === 'doNotResend';

/**
 * How a message ends that this try doesn't send, since the ledger has it:
 *
 * before                                   ends as
 * accepted                                 accepted
 * accepted, asked by another execution     not attempted: the link leads to that one
 * uncertain                                uncertain
 */
export function endKnown({ record, ...entry }: LedgerEntry, message?: Message): Outcome {
	if (record && entry.askedIn !== message?.askedIn) return failed('notAttempted', ASKED_EARLIER);
	if (record) {
		const contentChanged = message !== undefined && contentOf(message) !== entry.content;
		return { delivery: 'accepted', record, origin: 'earlierTry', contentChanged };
	}

	const { failure } = entry;
	const said = failure ? `. ${failure.title}` : '';
	const title = `An earlier try got no clear response, so this message wasn't sent again${said}`;
	const uncertain = failed('uncertain', { title, description: CHECK_FIRST }, failure);
	return { ...uncertain, origin: 'earlierTry' };
}

const ASKED_EARLIER = twoLines`An earlier execution asked this question, and its link \
		only leads to that execution
	Run the workflow again: a new execution asks again`;

/**
 * Whether the customer may have the message, though nothing says so for certain; also if an earlier
 * step left it so, and this one rejected it for that.
 */
export const mayHaveArrived = (outcome: Outcome): boolean =>
	outcome.delivery === 'uncertain' ||
	(outcome.delivery === 'rejected' && outcome.failure.reason === 'uncertainDelivery');

/** A message that wasn't attempted now is no failure of this try. */
function stillUncertain({ delivery, failure, isFatal }: Failed): Failed {
	const only = delivery === 'rejected' ? `. To send it, ${ONLY_THIS_ROW}` : '';
	const text = twoLines`An earlier try may have sent this message, and it couldn't be \
			resent. ${failure.title}
		Check the service's dashboard for the earlier try. ${failure.description}${only}`;
	const uncertain = failed('uncertain', text, { ...failure, isUnsent: false });
	return { ...uncertain, isFatal, origin: delivery === 'notAttempted' ? 'earlierTry' : undefined };
}

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
	if (entry) {
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

/** A message with this key was sent. */
export function alreadySent(message: Message, origin?: Origin): Skipped {
	const { sendOnceKey } = message;
	const details = sendOnceKey === undefined ? {} : { sendOnceKey };
	return { ...skipped(message, ALREADY_SENT, details), origin };
}

/**
 * Another retry has sent this customer a message in the place of this one, with other content.
 * That's no failure of this try: the others are sent.
 */
export const OTHER_SENT: Failed = {
	...failed(
		'rejected',
		twoLines`Another retry of this execution sent this customer a message, and \
				this one says something else
			Look for that message in the service's dashboard. Send this one only if the \
				customer needs it, too`,
		{ reason: 'sentByOtherRetry' },
	),
	origin: 'otherRetry',
};

/** Its key is claimed, and nothing says how the message that it was claimed for ended. */
export function maybeSent(origin: Origin): Failed {
	const title =
		origin === 'otherRetry'
			? 'Another retry of this execution may have sent this message'
			: 'A message with this send-once key may have been sent before';
	return { ...failed('uncertain', { title, description: CHECK_FIRST }), origin };
}
