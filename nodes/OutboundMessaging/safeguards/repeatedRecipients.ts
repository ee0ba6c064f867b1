import { type Message, sentTo, skipped } from '../delivery/message';
import { type Failed, type SkipReason, failed } from '../delivery/outcome';
import { twoLines } from '../common/errorText';
import { list } from '../parameters/field';
import type { FirstItem } from './executionState';
import type { Judging, Safeguard } from './safeguard';

const REPEATED: SkipReason = {
	reason: 'repeatedRecipient',
	hasMessage: true,
	forPeople: 'repeated recipient',
	forAgents: 'This customer may already have a message of this execution, and gets only one.',
	forReviewers: 'The person who approves was already asked in this execution.',
};

export const repeatedRecipients = {
	...list(
		'Repeated Recipients',
		'What to do with several items for the same recipient in one execution',
		{
			reject: ['Reject', 'A repeated recipient is an error in the list'],
			sendAll: ['Send All', 'Each item is a message, e.g. one per order'],
			sendFirst: [
				'Send First',
				"Each recipient gets the first item only; with 'Send Once Key', the first one that " +
					'this execution sends',
			],
		},
		{ default: 'sendFirst', off: 'sendAll' },
	),
	keepsRecipients: true,
	judges: {
		planned(message, value, judging) {
			if (judgesWhenDue(value, judging)) return undefined;
			const outcome = requireFirst(message, value, judging);
			if (outcome === undefined) judging.state.plan(message);
			return outcome;
		},
		due(message, value, judging) {
			return judgesWhenDue(value, judging) ? requireFirst(message, value, judging) : undefined;
		},
	},
} satisfies Safeguard<Value>;

type Value = 'sendFirst' | 'reject';

/**
 * What a key skips doesn't use up the customer's turn: with keys, the first one is
 * known when it's due.
 */
const judgesWhenDue = (value: Value, { claimsKeys }: Judging) =>
	value === 'sendFirst' && claimsKeys;

function requireFirst(message: Message, value: Value, judging: Judging) {
	const first = judging.state.earlierItemFor(message);
	if (first === undefined) return undefined;
	if (value === 'reject') return rejectRepeated(message, first, judging);
	return skipped(message, REPEATED, { ...first });
}

function rejectRepeated(message: Message, first: FirstItem, { recipientField }: Judging): Failed {
	const text = twoLines`'${recipientField.label}' is ${sentTo(message)}, the same as \
			in ${itemInWords(first)}
		Remove the repeated recipient from the list, or set 'Repeated Recipients' to \
			'Send First' or 'Send All'`;
	return failed('rejected', text, {
		reason: 'repeatedRecipient',
		n8nCause: { cause: 'configuration-invalid' },
		forAgents: {
			error: REPEATED.forAgents,
			step: "Don't call this tool again for this customer.",
		},
	});
}

const itemInWords = ({ firstItemIndex, firstRunIndex }: FirstItem): string =>
	firstRunIndex === undefined
		? `item ${firstItemIndex} (n8n counts items from 0)`
		: `item ${firstItemIndex} of run ${firstRunIndex + 1} (n8n counts items ` +
			'from 0, and runs from 1)';
