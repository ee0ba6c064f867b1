import type { IDataObject } from 'n8n-workflow';

import type { Failure } from './failure';

/** A message that was not accepted. */
export interface Failed {
	delivery: 'rejected' | 'uncertain' | 'notAttempted';
	failure: Failure;
	/** No further message can succeed either, e.g. because the API key is wrong. */
	isFatal?: boolean;
	/** It failed in an earlier try and was left alone in this one. */
	fromPreviousTry?: boolean;
}

/** How one message ended. */
export type Outcome =
	| { delivery: 'accepted'; record: IDataObject }
	| { delivery: 'skipped'; sendOnceKey: string }
	| Failed;

export function isFailed(outcome: Outcome): outcome is Failed {
	return outcome.delivery !== 'accepted' && outcome.delivery !== 'skipped';
}
