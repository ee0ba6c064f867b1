/** What came back for a request: an answer of the service, or the reason why there is none. */
export type HttpResult =
	| { kind: 'answered'; status: number; headers: Record<string, unknown>; body: unknown }
	/** The connection failed; `neverLeft` when no byte of the request can have arrived. */
	| { kind: 'failed'; code: string; notSent: boolean }
	/** n8n itself did not let the request out, e.g. because of the credential's allowed domains. */
	| { kind: 'blocked'; reason: string };
