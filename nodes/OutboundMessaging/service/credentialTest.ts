import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import type { InvalidValue } from '../validation/invalidValue';
import { CONNECTION_ERRORS, isTimeout, redirectTarget } from './classifyResponse';
import { type Connection, connectionFrom } from './connection';
import { type HttpResult, exchange, TOO_LARGE } from './exchange';
import { type Redact, redactor } from './redact';
import { extractServiceError } from './serviceError';
import { meaningOf } from './statuses';

/** Any operation will do: nothing is sent, because the request has no content. */
const PROBE_PATH = '/stable/open/customers/send-text-message';
const TIMEOUT_MS = 10_000;
/** A key that no service has given to anyone. */
const WRONG_KEY = 'wrong-key-of-a-credential-test';

type LegacyRequest = ICredentialTestFunctions['helpers']['request'];

/**
 * Tests the credential without sending a message. The service has nothing to read, so a message without content is
 * posted: a wrong key is rejected with 401 (specification 5), a right one lets the request through to the check of its
 * fields, which rejects it with another 4xx. A server that rejects both keys alike has not looked at the key. Every
 * other response proves nothing, and says what to fix.
 */
export async function outboundMessagingApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	// The only way to the network that n8n gives a credential test.
	const { request } = this.helpers;
	try {
		const connection = connectionFrom(credential.data ?? {});
		const redact = redactor(connection.apiKey);
		const problem =
			problemWithKey(await probe(request, connection), redact) ??
			problemWithWrongKey(await probe(request, { ...connection, apiKey: WRONG_KEY }), redact);
		if (problem !== undefined) return { status: 'Error', message: problem };
	} catch (error) {
		// From connectionFrom: nothing else throws.
		const { message, fix } = error as InvalidValue;
		return { status: 'Error', message: `${message}. ${fix}` };
	}
	return { status: 'OK', message: 'The service accepted the API key' };
}

/** Posts a message without content. */
async function probe(request: LegacyRequest, connection: Connection): Promise<HttpResult> {
	const url = connection.baseUrl + PROBE_PATH;
	return await exchange(url, TIMEOUT_MS, async (signal) => {
		const response = await request({
			method: 'POST',
			uri: url,
			headers: { [connection.headerName]: connection.apiKey, Accept: 'application/json' },
			timeout: TIMEOUT_MS,
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
			useStream: true,
		});
		// This helper of n8n takes no signal: the connection is closed by way of the body.
		signal.addEventListener('abort', () => response.body?.destroy?.());
		return response;
	});
}

/** @returns what speaks against the key, and how to fix it; undefined when the service let it through */
function problemWithKey(result: HttpResult, redact: Redact): string | undefined {
	if (result.kind === 'failed') return connectionProblem(result.code);
	if (result.kind === 'blocked') return `${result.title}. ${result.description}`;
	const { status, headers, text } = result;
	if (status >= 300 && status < 400) {
		const target = redirectTarget(headers.location, redact);
		return `This 'Base URL' redirects (${status})${target}. Enter the final URL, starting with https://`;
	}
	const meaning = meaningOf(status).test?.replace(
		'…',
		String(status || 'without a valid HTTP status'),
	);
	const words = extractServiceError(text, redact).text;
	return meaning && (words === undefined ? meaning : `${meaning} It said: ${words}`);
}

/** @returns why the test proves nothing, when a wrong key isn't rejected as the service rejects one */
function problemWithWrongKey(result: HttpResult, redact: Redact): string | undefined {
	const status = result.kind === 'answered' ? result.status : 0;
	if (status === 401) return undefined;
	if (status < 400 || meaningOf(status).verdict !== 'rejected')
		return problemWithKey(result, redact);
	return `The service responded to a wrong key with ${status} instead of 401, so the key couldn't be tested. Check that 'Base URL' is the URL of the messaging service, and that 'API Key Header' is the exact header name from its API documentation`;
}

function connectionProblem(code: string): string {
	if (isTimeout(code)) {
		return "The service didn't respond within 10 seconds. Check 'Base URL', or try again later";
	}
	if (code === TOO_LARGE) {
		return "Something responds at this 'Base URL' with more than 1 MB, so it isn't the messaging service. Check its host and path";
	}
	const why = CONNECTION_ERRORS.get(code) ?? (code === 'unknown' ? '' : code);
	return `n8n couldn't connect to the service${why && `: ${why}`}. Check 'Base URL', and that n8n can reach it`;
}
