import { twoLines } from '../common/errorText';
import type { LedgerEntry } from './nodeState';
import { type Before, type Message, contentOf } from './message';
import { CHECK_FIRST, type Failed, ONLY_THIS_ROW, type Outcome, failed, isFailed } from './outcome';
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
		return { delivery: 'accepted', record, isFromBefore: true, contentChanged };
	}

	const { failure } = entry;
	const said = failure ? `. ${failure.title}` : '';
	const title = `An earlier try got no clear response, so this message wasn't sent again${said}`;
	const uncertain = failed('uncertain', { title, description: CHECK_FIRST }, failure);
	return { ...uncertain, isFromBefore: true };
}

const ASKED_EARLIER = twoLines`An earlier execution asked this question, and its link \
		only leads to that execution
	Run the workflow again: a new execution asks again`;

/** A message that wasn't attempted now is no failure of this try. */
function stillUncertain({ delivery, failure, isFatal }: Failed): Failed {
	const only = delivery === 'rejected' ? `. To send it, ${ONLY_THIS_ROW}` : '';
	const text = twoLines`An earlier try may have sent this message, and it couldn't be \
			resent. ${failure.title}
		Check the service's dashboard for the earlier try. ${failure.description}${only}`;
	const uncertain = failed('uncertain', text, { ...failure, isUnsent: false });
	return { ...uncertain, isFatal, isFromBefore: delivery === 'notAttempted' };
}
