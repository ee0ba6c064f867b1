import { hash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { LedgerEntry } from './nodeState';
import type { MessageRequest, Outcome, SkipReason, Skipped } from './outcome';

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
	/** What people read besides: the buttons of a question. */
	labels?: string[];
	/** The expressions inside its texts that found nothing, e.g. `{{ $json.name }}`. */
	gaps?: string[];
	/**
	 * The link of a question. Each execution has its own, so it's ignored where
	 * messages are compared.
	 */
	link?: string;
	sendOnceKey?: string;
	/** The values of the safeguards that can differ between items, by their names. */
	safeguards?: Record<string, unknown>;
	/** The execution that the link of a question leads to. */
	askedIn?: string;
	/** What was known of it before this try. */
	before?: Before;
}

/**
 * What was known of a message before this try: its entry in the ledger, or that it may have been
 * sent, as a key says, or an item that comes from an earlier step.
 */
export type Before = { by: 'ledger'; entry: LedgerEntry } | { by: 'key' | 'item' };

/** The phone number or customer ID that a message is sent to. */
export const sentTo = ({ request: { body } }: Message) =>
	String(body.customer_phone ?? body.customer_id);

const contents = new WeakMap<Message, string>();

/**
 * A fingerprint of what a message says and to whom; kept, since a message is compared with many.
 */
export function contentOf(message: Message): string {
	const content = contents.get(message) ?? fingerprintOf(comparedText(message));
	contents.set(message, content);
	return content;
}

function comparedText({ recipient, request, link }: Message): string {
	// One customer, however the number or the ID is written.
	const written = { customer_id: undefined, customer_phone: undefined };
	const text = JSON.stringify({ ...request.body, ...written, recipient });
	return link === undefined ? text : text.replaceAll(link, '');
}

/** A customer of one service and operation. */
export const destinationOf = ({ recipient, request }: Message) => `${recipient} ${request.url}`;

/** Short, and as good as the text itself for comparing. */
export const fingerprintOf = (text: string) => hash('sha256', text, 'base64').slice(0, 16);

/** @param more what the output item says besides the recipient */
export function skipped(message: Message, why: SkipReason, more?: IDataObject): Skipped {
	return { delivery: 'skipped', why, details: { recipient: sentTo(message), ...more } };
}

/**
 * An item before anything is sent. `outcome`: how it ended before its turn; without one, its
 * message is to be sent.
 */
export type PlannedItem = ToSend | EndedItem;
export type EndedItem = { message?: Message; outcome: Outcome };
type ToSend = { message: Message; outcome?: undefined };

/** Whether an item's message is to be sent. */
export const isToSend = (item: PlannedItem): item is ToSend => item.outcome === undefined;

export const messagesToSend = (items: PlannedItem[]): Message[] =>
	items.filter(isToSend).map(({ message }) => message);
