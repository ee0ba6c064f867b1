import type { IDataObject } from 'n8n-workflow';

import type { ErrorText } from '../common/errorText';
import type { Failure } from '../common/failure';

export interface Accepted {
	delivery: 'accepted';
	/** The service's message result record, untouched. */
	record: IDataObject;
	/** It was so before this try, which didn't send it. */
	isFromBefore?: boolean;
	contentChanged?: boolean;
}

export interface Failed {
	delivery: 'rejected' | 'uncertain' | 'notAttempted';
	failure: Failure;
	/** No other message of this run can be accepted either, e.g. because the API key is wrong. */
	isFatal?: boolean;
	/** It was so before this try, which didn't send it. */
	isFromBefore?: boolean;
	/** Another execution left it so. */
	isElsewhere?: boolean;
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
	why: SkipReason;
	details: IDataObject;
	/** Another retry of this execution has sent it, so it counts as one of its messages. */
	isOfExecution?: boolean;
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
export interface MessageRequest {
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
