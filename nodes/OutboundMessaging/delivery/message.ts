import { hash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { LedgerEntry } from './nodeState';
import type { ErrorText, Failure } from '../common/failure';

/**
 * One message that passed all checks. How it's compared with others:
 *
 * by              equal are                                        for
 * recipient       the spellings of one customer                    safeguards, the pool's order
 * destinationOf   the same customer, service and operation         retries' numbers
 * contentOf       the same customer and words                      the ledger, two with one key
 * ownKey          the same customer, service and Send Once Key     keys: see keyStates.ts
 *
 * A message goes to sentTo(), as the item has it. The ledger compares the URL as well.
 */
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

/** The message to the item's own recipient: in a test run, it isn't the one that is sent. */
export const ownMessage = (message: Message) => message.tested ?? message;

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

/**
 * Who made a message end so, if not this try: an earlier try of its run, another retry of its
 * execution, or another execution.
 */
export type Origin = 'earlierTry' | 'otherRetry' | 'otherExecution';

export interface Accepted {
	delivery: 'accepted';
	origin?: Origin;
	/** The service's message result record, untouched. */
	record: IDataObject;
	contentChanged?: boolean;
}

export interface Failed {
	delivery: 'rejected' | 'uncertain' | 'notAttempted';
	origin?: Origin;
	failure: Failure;
	/** No other message of this run can be accepted either, e.g. because the API key is wrong. */
	isFatal?: boolean;
}

/** Why a message was skipped, in words for whoever reads it. */
export interface SkipReason {
	reason: string;
	/** Whether the customer has it already, or another message in its place. */
	hasMessage: boolean;
	/** In a hint, after a number, e.g. "3 already sent". */
	forPeople: string;
	forAgents: string;
	/** For the agent whose call a person should have reviewed. */
	forReviewers: string;
}

/**
 * A message that one of the user's settings kept from being sent. `details`: what the output item
 * says after the reason.
 */
export interface Skipped {
	delivery: 'skipped';
	/** Who sent it, if it was sent. */
	origin?: Origin;
	why: SkipReason;
	details: IDataObject;
}

export type Outcome = Accepted | Skipped | Failed;

/** @param more what else the failure says; its words are replaced */
export function failed(delivery: Failed['delivery'], text: ErrorText, more?: Partial<Failure>) {
	return { delivery, failure: { ...more, ...text } } satisfies Failed;
}

export const isFailed = (outcome: Outcome): outcome is Failed =>
	outcome.delivery !== 'accepted' && outcome.delivery !== 'skipped';

/** How to send one message: n8n has no button for it. */
export const ONLY_THIS_ROW =
	'execute the workflow with only this row, and without steps that have sent to this customer';

/**
 * What to do about a message that may have been sent: later steps may still have some
 * for this customer.
 */
export const CHECK_FIRST =
	"Look for the message in the service's dashboard. If it's there, there's nothing more to send. " +
	"If it isn't, execute only this row, without the steps that already sent to it, and with " +
	"another 'Send Once Key' this once";

/** The request of one message, without the API key: where it goes, and its JSON body. */
interface MessageRequest {
	url: string;
	body: IDataObject;
}

/**
 * What became of one request. After `askedToWait` and `notSent`, it may go again: the message was
 * certainly not sent.
 */
export type SendResult =
	| Accepted
	| Failed
	/** `retryAfterMs`: missing when the service doesn't say how long to wait. */
	| { delivery: 'askedToWait'; failure: Failure; retryAfterMs?: number }
	| { delivery: 'notSent'; failure: Failure };

/**
 * The port that delivery sends through: posts one request, at most once. The service folder
 * implements it, and a tool's call ends it in time.
 * @param mostMs how long its response may take, if that's less than 'Timeout (Milliseconds)'
 */
export type Send = (request: MessageRequest, mostMs?: number) => Promise<SendResult>;
