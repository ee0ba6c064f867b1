import type { NodeApiError } from 'n8n-workflow';

/** The first sentence of a fix, without its period, for a message that was certainly not sent. */
export const NOT_SENT = 'Nothing was sent to this customer';

/** What the node itself can have against a message. In the output it takes the place of the service's code. */
export type FailureReason =
	| 'invalidInput'
	| 'maxMessages'
	| 'outsideAllowedHours'
	| 'repeatedRecipient'
	| 'stopAfterFailures'
	| 'toolCall'
	| 'uncertainDelivery';

/** Why a message was not accepted, in words for the user and in marks for the next step. */
export interface Failure {
	/** What happened, in the service's own words where it gave any. */
	title: string;
	/** How to fix it. */
	description: string;
	/** The name of the parameter whose value a check rejected. */
	parameter?: string;
	/** Where in the parameter the value is, if it has several. */
	path?: string;
	statusCode?: number;
	/** The code that the service or the network gave. */
	code?: string;
	/** The node's own name for what happened; missing where the service or the network decided. */
	reason?: FailureReason;
	/** What n8n itself is told about the cause. */
	n8nCause?: NodeApiError['failure'];
}
