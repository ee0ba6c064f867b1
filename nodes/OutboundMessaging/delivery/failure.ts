import type { NodeApiError } from 'n8n-workflow';

/** The first sentence of a fix, without its period, for a message that was certainly not sent. */
export const NOT_SENT = 'Nothing was sent to this customer';

/** Why a message was not accepted, in words for the user and in marks for the next step. */
export interface Failure {
	/** What happened, in the service's own words where it gave any. */
	title: string;
	/** How to fix it. */
	description: string;
	/** The name of the parameter whose value a check rejected. */
	parameter?: string;
	statusCode?: number;
	/** The service's code of a rejection, or the node's own for a check. */
	code?: string;
	/** What n8n itself is told about the cause. */
	n8nCause?: NodeApiError['failure'];
}
