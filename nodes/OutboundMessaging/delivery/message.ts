import { hash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { Outcome, Skipped, SkipReason, MessageRequest } from './outcome';

/** When a message may be sent: from one minute of the day until before another one, if need be of the next day. */
export interface AllowedHours {
	from: number;
	until: number;
	/** Days on which a window may begin; 0 is Sunday. */
	days: Set<number>;
	timezone: string;
}

/** One message that passed all checks. */
export interface Message {
	itemIndex: number;
	/** Names the customer, however the phone number or the ID is written: only to be compared. */
	recipient: string;
	givenRecipient?: string;
	/** In a test run, the message of the item: this one goes to the test recipient instead. */
	tested?: Message;
	request: MessageRequest;
	/** What the customer will read, where the node knows it. */
	text?: string;
	/** The expressions inside its texts that found nothing, e.g. `{{ $json.name }}`. */
	emptyPaths?: string[];
	/** Of the text with the real link in it, which is longer than the sample in `text`. */
	length?: number;
	sendOnceKey?: string;
	allowedHours?: AllowedHours;
	/** Of a question: the execution that its link leads to. */
	askedIn?: string;
	/** An earlier step left it uncertain, and the user wants it sent again. */
	isResent?: boolean;
}

/** The phone number or customer ID that a message is sent to. */
export const sentTo = ({ request: { body } }: Message) =>
	String(body.customer_phone ?? body.customer_id);

/** The name of a send-once key, of which the user writes the occasion only. A test service's keys don't count for the real one. */
export const ownKey = ({ sendOnceKey, recipient, request }: Message): string | undefined =>
	sendOnceKey && `${new URL(request.url).origin} ${recipient} ${sendOnceKey}`;

const contents = new WeakMap<Message, string>();

/** A fingerprint of what a message says and to whom, made once. */
export function contentOf(message: Message): string {
	const known = contents.get(message);
	if (known !== undefined) return known;
	const { recipient, request } = message;
	// One customer, however the number or the ID is written.
	const written = { customer_id: undefined, customer_phone: undefined };
	const content = fingerprintOf(JSON.stringify({ ...request.body, ...written, recipient }));
	contents.set(message, content);
	return content;
}

/** A fingerprint of what the customer reads; undefined where the node doesn't know it. */
export const textOf = ({ text }: Message) => (text === undefined ? undefined : fingerprintOf(text));

/** Short, and as good as the text itself for comparing. */
export const fingerprintOf = (text: string) => hash('sha256', text, 'base64').slice(0, 16);

/** @param more what the output item says besides the recipient */
export function skipped(message: Message, why: SkipReason, more?: IDataObject): Skipped {
	return { delivery: 'skipped', why, details: { recipient: sentTo(message), ...more } };
}

/** An item as it's about to be sent, with what an earlier try left, which can settle it; or how it ended before that. */
export type PlannedItem =
	| { message: Message; earlier?: Outcome; isSettled?: boolean }
	| { outcome: Outcome };

/** The messages that this try sends. */
export const toSend = (items: PlannedItem[]) =>
	messagesOf(items.filter((item) => 'message' in item && !item.isSettled));

/** The messages of a list that also has items without one. */
export const messagesOf = (items: Array<{ message: Message } | object>): Message[] =>
	items.flatMap((item) => ('message' in item ? [item.message] : []));
