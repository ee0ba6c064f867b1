import { type Field, field, list } from '../fields/field';
import { allowedHours } from './allowedHours';
import { doNotContact } from './doNotContact';
import { dryRun } from './dryRun';
import { maxMessages } from './maxMessages';
import { repeatedRecipients } from './repeatedRecipients';
import { stopAfterFailures } from './stopAfterFailures';
import { testRecipient } from './testRecipient';

/** What was sent before, whoever sent it, is no rule of a list: delivery/ asks the memory and the keys for each message. */
const onUncertainDelivery = {
	field: list(
		'If Delivery Is Uncertain',
		'Whether to resend when the service never confirmed the first try',
		{
			doNotResend: ["Don't Resend", "A retry doesn't send it again, and it may not have arrived"],
			resend: [
				'Resend',
				'Each retry, and each execution at the same time, sends it again: the customer may get it several times',
			],
		},
	),
};
const sendOnceKey = {
	field: field(
		'Send Once Key',
		'What the message is about, e.g. an order. This node sends each customer one message per key, in later executions too, for its newest 20,000 keys.',
		{ placeholder: 'e.g. {{ $json.date }}-reminder', isPerItem: true },
	),
};

/**
 * Every safeguard: a new one is a file like theirs, and an entry here. The first five judge in this order, each message
 * first, then the whole list (see safeguard.ts); what was sent earlier is settled before any of them. Each one acts with
 * the value that the editor stores when it's added: one that was added and does nothing would let a whole list out.
 */
export const safeguards = {
	doNotContact,
	repeatedRecipients,
	allowedHours,
	testRecipient,
	maxMessages,
	stopAfterFailures,
	onUncertainDelivery,
	sendOnceKey,
	dryRun,
};

type Fields = { [K in keyof typeof safeguards]: (typeof safeguards)[K]['field'] };

/** Their fields, by their names. */
export const safeguardFields = Object.fromEntries(
	Object.entries(safeguards).map(([name, { field }]): [string, Field] => [name, field]),
) as unknown as Fields;
