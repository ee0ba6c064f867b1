import type { IDataObject } from 'n8n-workflow';

import type { Failure } from './failure';

export interface Accepted {
	delivery: 'accepted';
	/** The service's message result record, untouched. */
	record: IDataObject;
	/** An earlier try sent it, and this one didn't send it again. */
	fromPreviousTry?: boolean;
	/** The earlier try sent a content other than this one would have sent. */
	contentChanged?: boolean;
}

/** A message that was not accepted. */
export interface Failed {
	delivery: 'rejected' | 'uncertain' | 'notAttempted';
	failure: Failure;
	/** No other message of this run can be accepted either, e.g. because the API key is wrong. */
	isFatal?: boolean;
	/** It became uncertain in an earlier try or execution, and this try didn't send it. */
	fromPreviousTry?: boolean;
	/** An earlier try may have sent it, and sending it again certainly failed. */
	notResent?: boolean;
}

const SKIP_REASONS = ['alreadySent', 'doNotContact', 'repeatedRecipient', 'testRun'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export function isSkipReason(value: unknown): value is SkipReason {
	return SKIP_REASONS.some((reason) => reason === value);
}

/** A message that one of the user's settings kept from being sent. */
export interface Skipped {
	delivery: 'skipped';
	reason: SkipReason;
	/** What else the output item says, after the reason, e.g. the send-once key. */
	details: IDataObject;
}

/** How one message ended. */
export type Outcome = Accepted | Skipped | Failed;

export function isFailed(outcome: Outcome): outcome is Failed {
	return outcome.delivery !== 'accepted' && outcome.delivery !== 'skipped';
}
