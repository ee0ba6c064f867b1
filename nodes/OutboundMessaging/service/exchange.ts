import type { Deadlines, InFlight } from './deadlines';
import type { HttpResult } from './httpResult';
import { type NetworkError, chainOf, classifyNetworkError, isProxyResponse } from './networkError';
import { readBody } from './readBody';

/** A response whose body is still to be read. */
export interface ResponseHead {
	statusCode?: unknown;
	headers?: Record<string, unknown>;
	/** A stream; anything else is taken as the body itself. */
	body: unknown;
	/** Node's request, where n8n hands it on. */
	request?: NetworkError['request'];
}

/**
 * One request and its response, from start to end.
 * @param request sends it, until the signal aborts it at the latest
 * @returns always, in the time that the deadlines give; never rejects
 */
export async function exchange(
	deadlines: Deadlines,
	url: string,
	request: (signal: AbortSignal) => Promise<ResponseHead>,
): Promise<HttpResult> {
	return await new Promise((resolve) => {
		const controller = new AbortController();
		let head: ResponseHead | undefined;
		const inFlight: InFlight = {
			deadline: 0,
			abort: () => {
				controller.abort();
				// axios listens to the signal no longer once it has thrown for a status.
				head?.request?.destroy();
			},
			giveUp: (code) => resolve(cutShort(head, '', code)),
		};
		const run = async (): Promise<HttpResult> => {
			try {
				head = await request(controller.signal);
			} catch (error) {
				const chain = chainOf(error);
				head = responseIn(chain);
				if (head === undefined) return classifyNetworkError(chain, inFlight.abortCode);
			}
			if (isProxyResponse(url, head)) {
				inFlight.abort();
				return { kind: 'proxyRefused', status: validStatus(head.statusCode) };
			}
			const { text, code } = await readBody(head.body, inFlight.abort);
			if (code === undefined) return answered(head, text);
			return cutShort(head, text, inFlight.abortCode ?? code);
		};
		deadlines.add(inFlight);
		void run()
			.catch(() => cutShort(head, '', 'unknown'))
			.then((result) => {
				deadlines.remove(inFlight);
				resolve(result);
			});
	});
}

/** The response that an error carries, when it was thrown for its status. */
function responseIn(chain: NetworkError[]): ResponseHead | undefined {
	for (const { response, request } of chain) {
		if (response === undefined) continue;
		return { statusCode: response.status, headers: response.headers, body: response.data, request };
	}
	return undefined;
}

function answered({ statusCode, headers = {} }: ResponseHead, text: string): HttpResult {
	return { kind: 'answered', status: validStatus(statusCode), headers, text };
}

/** A response that did not come to its end: a status of 3xx or 4xx decides, any other proves nothing. */
function cutShort(head: ResponseHead | undefined, text: string, code: string): HttpResult {
	const status = validStatus(head?.statusCode);
	if (head && status >= 300 && status < 500) return answered(head, text);
	return { kind: 'failed', code, notSent: false };
}

function validStatus(status: unknown): number {
	return typeof status === 'number' && status >= 100 && status < 600 ? status : 0;
}
