import type { IDataObject } from 'n8n-workflow';

import type { Failure } from './outcome';

/** The request of one message, without the key: where it goes, and its JSON body. */
export interface MessageRequest {
	url: string;
	body: IDataObject;
}

/**
 * What became of one request. After `rateLimited` and `notSent` the message is certainly not sent, so the same request
 * may go again; after `uncertain` it may have been sent.
 */
export type SendResult =
	| { delivery: 'accepted'; record: IDataObject }
	/** `isFatal`: no other message of this run can be accepted either, e.g. because the API key is wrong. */
	| { delivery: 'rejected'; failure: Failure; isFatal?: boolean }
	| { delivery: 'uncertain'; failure: Failure }
	/** `retryAfterMs`: how long the service asks to wait; undefined when it doesn't say. */
	| { delivery: 'rateLimited'; failure: Failure; retryAfterMs?: number }
	| { delivery: 'notSent'; failure: Failure };

/** The port that delivery sends through: posts one request, exactly once. The service folder implements it. */
export type Send = (request: MessageRequest) => Promise<SendResult>;
