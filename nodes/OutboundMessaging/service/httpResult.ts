/** What came back for a request: a response, or the reason why there is none. */
export type HttpResult =
	/** `status` is 0 for a response without a valid HTTP status. */
	| { kind: 'answered'; status: number; headers: Record<string, unknown>; text: string }
	/** No (complete) response. `notSent` when it is certain that no byte of the request has left. */
	| { kind: 'failed'; code: string; notSent: boolean }
	/** A proxy didn't connect n8n to the service; nothing was sent. */
	| { kind: 'proxyRefused'; status: number }
	/** Stopped before it left: by n8n, e.g. because of the credential's allowed domains, or by the credential. */
	| { kind: 'blocked'; reason: string; fix: string };

/** The code of a response that is longer than what is read of one; the others are n8n's and Node's own. */
export const TOO_LARGE = 'RESPONSE_TOO_LARGE';
export const TIMED_OUT = 'ECONNABORTED';
export const CANCELED = 'ERR_CANCELED';
