import { hash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { oncePerObject } from '../common/oncePerObject';
import type { LedgerEntry } from '../n8n/nodeState';
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
	/** The link of a question. Each execution has its own, so it's ignored where messages are compared. */
	link?: string;
	sendOnceKey?: string;
	/** In a retry, its name for all retries of the execution. */
	retryKey?: string;
	/** The values of the safeguards that can differ between items, by their names. */
	safeguards?: Record<string, unknown>;
	/** The execution that the link of a question leads to. */
	askedIn?: string;
	/** What was known of it before this try. */
	before?: Before;
}

/**
 * What was known of a message before this try: its entry in the ledger, or that it may have been sent,
 * as a key says, or an item that comes from an earlier step.
 */
export type Before = { by: 'ledger'; entry: LedgerEntry } | { by: 'key' | 'item' };

/** A customer of one operation of one service: for another one, it's another message. */
export const customerOf = (recipient: string, url: string) => `${recipient} ${url}`;

/** The phone number or customer ID that a message is sent to. */
export const sentTo = ({ request: { body } }: Message) =>
	String(body.customer_phone ?? body.customer_id);

/** The name of a send-once key, of which the user writes the occasion only. A test service's keys don't count for the real one. */
export const ownKey = ({ sendOnceKey, recipient, request }: Message): string | undefined =>
	sendOnceKey && `${new URL(request.url).origin} ${recipient} ${sendOnceKey.normalize('NFC')}`;

/** The keys of a message. The one for retries comes first: if another retry has sent it, the outcome says so. */
export const keysOf = (message: Message): string[] =>
	[message.retryKey, ownKey(message)].filter((key) => key !== undefined);

/** A fingerprint of what a message says and to whom. */
export const contentOf = oncePerObject((message: Message): string => {
	const { recipient, request } = message;
	// One customer, however the number or the ID is written.
	const written = { customer_id: undefined, customer_phone: undefined };
	const text = JSON.stringify({ ...request.body, ...written, recipient });
	return fingerprintOf(withoutLink(text, message));
});

const withoutLink = (text: string, { link }: Message) =>
	link === undefined ? text : text.replaceAll(link, '');

/** Short, and as good as the text itself for comparing. */
export const fingerprintOf = (text: string) => hash('sha256', text, 'base64').slice(0, 16);

/** @param more what the output item says besides the recipient */
export function skipped(message: Message, why: SkipReason, more?: IDataObject): Skipped {
	return { delivery: 'skipped', why, details: { recipient: sentTo(message), ...more } };
}

/**
 * An item before anything is sent. `outcome`: how it ended before its turn; without one, its message is to be sent.
 */
export type PlannedItem = ToSend | EndedItem;
export type EndedItem = { message?: Message; outcome: Outcome };
type ToSend = { message: Message; outcome?: undefined };

/** Whether an item's message is to be sent. */
export const isToSend = (item: PlannedItem): item is ToSend => item.outcome === undefined;

export const messagesToSend = (items: PlannedItem[]): Message[] =>
	items.filter(isToSend).map(({ message }) => message);
