import { sentTo, skipped } from '../delivery/message';
import { type SkipReason, failed } from '../delivery/outcome';
import { twoLines } from '../common/twoLines';
import { list } from '../fields/field';
import type { FirstItem } from './executionState';
import type { Safeguard } from './safeguard';

const REPEATED: SkipReason = {
	reason: 'repeatedRecipient',
	forPeople: 'repeated recipient',
	forAgents: 'This customer already got a message in this execution, and gets only one.',
	forReviewers: 'The person who approves was already asked in this execution.',
};

export const repeatedRecipients = {
	field: list(
		'Repeated Recipients',
		"What to do when one execution has several items for the same recipient. If you add it before a retry, earlier batches of a loop don't count.",
		{
			reject: ['Reject', 'A repeated recipient is an error in the list'],
			sendAll: ['Send All', 'Each item is a message, e.g. one per order'],
			sendFirst: [
				'Send First',
				'Each recipient gets the first item only. If that one is rejected, a later step can send one.',
			],
		},
		{ default: 'sendFirst', off: 'sendAll' },
	),
	before(message, value, { state, firstItems, recipientField }) {
		const { itemIndex, recipient, isResent } = message;
		if (value === 'sendAll' || isResent) return undefined;
		const index = firstItems.get(recipient);
		const earlier = state.earlierItemFor(recipient, itemIndex);
		const first: FirstItem | undefined = index === undefined ? earlier : { firstItemIndex: index };
		if (first === undefined) return undefined;
		if (value === 'sendFirst') return skipped(message, REPEATED, { ...first });
		const text = twoLines`'${recipientField.label}' is ${sentTo(message)}, the same as in ${nameOf(first)}
			Remove the repeated recipient from the list, or set 'Repeated Recipients' to 'Send First' or 'Send All'`;
		return failed('rejected', text, {
			reason: 'repeatedRecipient',
			n8nCause: { cause: 'configuration-invalid' },
			forAgents: {
				error: REPEATED.forAgents,
				step: "Don't call this tool again for this customer.",
			},
		});
	},
} satisfies Safeguard<'sendAll' | 'sendFirst' | 'reject'>;

const nameOf = ({ firstItemIndex, firstRunIndex }: FirstItem): string =>
	firstRunIndex === undefined
		? `item ${firstItemIndex} (n8n counts items from 0)`
		: `item ${firstItemIndex} of run ${firstRunIndex + 1} (n8n counts items from 0, and runs from 1)`;
