import type { Outcome } from './outcome';
import type { MessageRequest } from './port';

/** One message that passed all checks. */
export interface Message {
	itemIndex: number;
	/** Phone number or customer ID: messages to the same recipient keep their order. */
	recipient: string;
	/** As the item has it, if that isn't the recipient as it's sent. */
	givenRecipient?: string;
	/** In a test run, the recipient of the item: the message goes to the test recipient instead. */
	testedRecipient?: string;
	request: MessageRequest;
	/** What the customer will read, where the node knows it. */
	text?: string;
	sendOnceKey?: string;
	/** An earlier step left it uncertain, and the user wants it sent again. */
	isResent?: boolean;
}

/** An item as it's about to be sent, or how it ended before that. */
export type PlannedItem = { message: Message } | { outcome: Outcome };
