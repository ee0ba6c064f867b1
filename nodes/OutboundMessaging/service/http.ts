import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
} from 'n8n-workflow';

import type { Send } from '../delivery/message';
import { classifyResponse } from './classifyResponse';
import type { Connection } from './connection';
import { CREDENTIAL } from './credential';
import { cancelDeadline, exchange } from './exchange';
import type { HttpResult } from './httpResult';
import { redactor } from './redact';

/**
 * What delivery sends through: one request over HTTP, and what its response means for the message.
 */
export function serviceSender(
	context: IExecuteFunctions,
	credential: ICredentialDataDecryptedObject,
	{ apiKey }: Connection,
	timeout: number,
): Send {
	const post = httpPoster(context, credential, timeout);
	const redact = redactor(apiKey);
	return async (request, mostMs) => classifyResponse(await post(request, mostMs), redact);
}

/**
 * The one place that sends messages over HTTP. Statuses are judged here, since n8n would put stock
 * texts in place of the service's words, and so are redirects, which the credential keeps
 * n8n from following.
 * @param timeoutMs for the whole response: n8n would read one that never ends
 * @returns posts one request, exactly once; always ends, never rejects
 */
export function httpPoster(
	context: IExecuteFunctions,
	credential: ICredentialDataDecryptedObject,
	timeoutMs: number,
): (...args: Parameters<Send>) => Promise<HttpResult> {
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data: credential };
	// The credential's own list of allowed domains holds for this node as well.
	const isRestricted = credential.allowedHttpRequestDomains === 'domains';
	const allowedDomains = isRestricted ? String(credential.allowedDomains ?? '') : undefined;
	const deadline = cancelDeadline(() => context.getExecutionCancelSignal?.()?.aborted === true);

	return async ({ url, body }, mostMs = timeoutMs) => {
		const timeout = Math.min(timeoutMs, mostMs);
		const options: IHttpRequestOptions = {
			method: 'POST',
			url,
			body,
			json: true,
			timeout,
			allowedDomains,
			returnFullResponse: true,
			encoding: 'stream',
			ignoreHttpStatusErrors: THROWN_EXCEPT_401,
		};
		const request = context.helpers.httpRequestWithAuthentication;
		const send = async (signal: AbortSignal) => {
			// n8n takes the execution's cancel signal from its context: here it's one that ends
			// slow requests too.
			const getExecutionCancelSignal = { value: () => signal };
			const own = Object.create(context, { getExecutionCancelSignal }) as IExecuteFunctions;
			return await request.call(own, CREDENTIAL, options, { credentialsDecrypted });
		};
		return await exchange(url, timeout, send, deadline);
	};
}

/**
 * n8n throws after 3xx to 5xx: its error tells whether a proxy responded. Not after a 401: n8n
 * would send the request again.
 */
const THROWN_EXCEPT_401 = {
	ignore: true as const,
	except: Array.from({ length: 300 }, (_, index) => 300 + index).filter((status) => status !== 401),
};
