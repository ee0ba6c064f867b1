import type { MessageRequest } from './port';

/** One message that passed all checks. */
export interface Message {
	itemIndex: number;
	/** Phone number or customer ID: messages to the same recipient keep their order. */
	recipient: string;
	request: MessageRequest;
	sendOnceKey?: string;
}
