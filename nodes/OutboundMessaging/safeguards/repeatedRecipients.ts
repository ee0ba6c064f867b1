import {
	type Message,
	sentTo,
	skipped,
	type Failed,
	type SkipReason,
	failed,
} from '../delivery/message';
import { twoLines } from '../common/failure';
import { list } from '../parameters/field';
import type { ExecutionState, FirstItem } from './executionState';
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
			sendFirst: ['Send First', 'Each recipient gets only the first item that can be sent'],
		},
		{ default: 'sendFirst', off: 'sendAll' },
	),
	keepsRecipients: true,
	judges: {
		planned(message, value, judging) {
			if (value !== 'reject') return undefined;
			const first = judging.state.earlierItemFor(message);
			if (first) return rejectRepeated(message, first, judging);
			judging.state.plan(message);
			return undefined;
		},
		// What was rejected, or skipped by its key, is no first message: only now is that known.
		due(message, value, { state }) {
			const first = value === 'sendFirst' ? state.earlierItemFor(message) : undefined;
			return first && skipped(message, REPEATED, { ...first });
		},
	},
} satisfies Safeguard<'sendFirst' | 'reject'>;

/** The first message to each recipient who has none in this execution yet. */
export function firstOfEach(messages: Message[], state: ExecutionState): Message[] {
	const recipients = new Set<string>();
	return messages.filter((message) => {
		if (recipients.has(message.recipient) || state.earlierItemFor(message)) return false;
		recipients.add(message.recipient);
		return true;
	});
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
