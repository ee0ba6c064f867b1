import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
} from 'n8n-workflow';

import type { MessageRequest } from '../delivery/port';
import type { HttpResult } from './httpResult';
import type { Connection } from './connection';

const CREDENTIAL = 'outboundMessagingApi';

/** Reads the credential once for the whole run: reading it per request would cost a database access each. */
export async function readCredential(
	context: IExecuteFunctions,
): Promise<ICredentialDataDecryptedObject> {
	return await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL);
}

/** The URL of an operation below the base URL. */
export function urlOf({ baseUrl }: Connection, path: string): string {
	return baseUrl + path;
}

/**
 * The one place that talks HTTP. Statuses are judged here and not by n8n, which would send a request again
 * after a 401 and put stock texts in place of the service's words; redirects are not followed, because a followed POST can
 * become a GET, and the key header would travel along.
 * @param timeout in milliseconds
 * @returns posts one request, exactly once; never rejects
 */
export function sender(
	context: IExecuteFunctions,
	credential: ICredentialDataDecryptedObject,
	timeout: number,
): (request: MessageRequest) => Promise<HttpResult> {
	const authentication = {
		credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data: credential },
	};
	// The credential's own list of allowed domains holds for this node as well.
	const allowedDomains =
		credential.allowedHttpRequestDomains === 'domains'
			? String(credential.allowedDomains ?? '')
			: undefined;

	return async ({ url, body }) => {
		const options: IHttpRequestOptions = {
			method: 'POST',
			url,
			body,
			json: true,
			timeout,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			allowedDomains,
		};
		try {
			const response = await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL,
				options,
				authentication,
			);
			return {
				kind: 'answered',
				status: response.statusCode,
				headers: response.headers,
				body: response.body,
			};
		} catch (error) {
			return failedAnswer(error);
		}
	};
}

/** Codes of a connection that never came about: no byte of the request can have arrived. */
const NEVER_LEFT = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'CERT_HAS_EXPIRED',
	'CERT_NOT_YET_VALID',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** n8n wraps the error of the network; what tells the cause is on the wrapping or on one of its causes. */
function failedAnswer(error: unknown): HttpResult {
	const chain: NetworkError[] = [];
	for (let link = error as NetworkError | undefined; link && chain.length < 5; link = link.cause) {
		chain.push(link);
	}
	const block = chain.find(({ name, message }) => BLOCKED.test(`${name}: ${message}`));
	if (block) return { kind: 'blocked', reason: String(block.message) };

	const codes = chain.flatMap(({ code, httpCode }) => [code, httpCode]).filter(isCode);
	const duringConnect = chain.some(({ syscall }) => syscall === 'connect');
	return {
		kind: 'failed',
		code: codes[0] ?? 'unknown',
		notSent: duringConnect || codes.some((code) => NEVER_LEFT.has(code)),
	};
}

/** n8n's protection of its own network, and the allowed domains of a credential: both act before anything is sent. */
const BLOCKED = /^Ssrf|^[A-Za-z]*Error: Domain not allowed/;

interface NetworkError {
	name?: unknown;
	message?: unknown;
	code?: unknown;
	httpCode?: unknown;
	syscall?: unknown;
	cause?: NetworkError;
}

function isCode(value: unknown): value is string {
	return typeof value === 'string' && /^[A-Z][A-Z_]+$/.test(value);
}
