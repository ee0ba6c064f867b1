import {
	type Message,
	type PlannedItem,
	isToSend,
	skipped,
	type SkipReason,
} from '../delivery/message';
import { type CheckFacts, type RecipientField, field } from '../parameters/field';
import { total } from '../delivery/nodeState';
import { sameCustomer } from '../recipients/sameCustomer';
import type { ExecutionState } from './executionState';

const TEST_MESSAGES = 3;

const TEST_RUN: SkipReason = {
	reason: 'testRun',
	hasMessage: false,
	forPeople: 'test run',
	forAgents: 'This is a test run, and its test messages have been sent.',
	forReviewers: 'This is a test run, and its test messages have been sent.',
};

/** Empty when messages go to their own recipients. */
export const testRecipient = field(
	'Test Recipient',
	'Your own phone number for templates, otherwise your customer ID. It gets the first three ' +
		'messages, and customers get none.',
	{
		placeholder: 'e.g. +15550100200',
		check: (value: unknown, { recipientField, countries }: CheckFacts) =>
			recipientField.check(value, countries),
	},
);

/**
 * Sends the first messages to the test recipient, and skips the others.
 * @param sendable without those that Send First skips
 */
export function sendAsTest(
	items: PlannedItem[],
	sendable: Set<Message>,
	testRecipient: string,
	{ body }: RecipientField,
	state: ExecutionState,
): PlannedItem[] {
	let left = TEST_MESSAGES - total(state.counts.sent);
	return items.map((item): PlannedItem => {
		if (!isToSend(item)) return item;
		const { message } = item;
		if (sendable.has(message)) left -= 1;
		if (left < 0) return { message, outcome: skipped(message, TEST_RUN, { testRecipient }) };
		return { message: withRecipient(message, body, testRecipient) };
	});
}

/** Without the key of the message to the item's own recipient. */
function withRecipient(message: Message, field: string, testRecipient: string): Message {
	const { url, body } = message.request;
	const request = { url, body: { ...body, [field]: testRecipient } };
	const recipient = sameCustomer(testRecipient);
	return { ...message, recipient, tested: message, request, sendOnceKey: undefined };
}
