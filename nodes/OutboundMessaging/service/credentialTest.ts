import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { InvalidValue } from '../validation/invalidValue';
import { CONNECTION_ERRORS, hasGatewayGivenUp, redirectTarget } from './classifyResponse';
import { type Connection, connectionFrom } from './connection';
import { type HttpResult, exchange, TIMED_OUT, TOO_LARGE } from './exchange';
import { type Redact, redactor } from './redact';
import { extractServiceError } from './serviceError';

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
	const connection = tidied(credential.data ?? {});
	if (connection instanceof InvalidValue) return failed(`${connection.message}. ${connection.fix}`);
	const redact = redactor(connection.apiKey);
	const problem =
		problemWithKey(await probe(request, connection), redact) ??
		problemWithWrongKey(await probe(request, { ...connection, apiKey: WRONG_KEY }), redact);
	if (problem !== undefined) return failed(problem);
	return { status: 'OK', message: 'The service accepted the API key' };
}

function failed(message: string): INodeCredentialTestResult {
	return { status: 'Error', message };
}

function tidied(fields: ICredentialDataDecryptedObject): Connection | InvalidValue {
	try {
		return connectionFrom(fields);
	} catch (error) {
		return error as InvalidValue;
	}
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
	if (result.kind === 'blocked') return `${result.reason}. ${result.fix}`;
	const { status, headers, text } = result;
	const words = extractServiceError(text, redact).text;
	const said = words === undefined ? '' : ` It said: ${words}`;
	if (status === 401) {
		return `The service didn't accept the API key (401). Check 'API Key', and that 'API Key Header' is the exact header name from the service's API documentation.${said}`;
	}
	if (status === 403) {
		return `The service denied access (403), so the key couldn't be tested. Check 'API Key' and 'API Key Header', and that the key may send messages.${said}`;
	}
	if (status === 404 || status === 405) {
		return `There is no messaging service at this 'Base URL' (${status}). Check its path: it ends where /stable/open begins.${said}`;
	}
	if (status === 407) {
		return `A proxy between n8n and the service asks for a sign-in (407). Ask your n8n admin to check the proxy settings of n8n.${said}`;
	}
	if (status === 429) {
		return `The service is limiting requests (429), so the key couldn't be tested. Wait a minute, then test again.${said}`;
	}
	if (hasGatewayGivenUp(status) || status >= 500) {
		return `The service isn't working properly right now (${status}), so the key couldn't be tested. Try again later, or check 'Base URL'.${said}`;
	}
	if (status >= 300 && status < 400) {
		const target = redirectTarget(headers.location, redact);
		return `This 'Base URL' redirects (${status})${target}. Enter the final URL, starting with https://`;
	}
	if (status < 400) {
		const what = status === 0 ? 'without a valid HTTP status' : String(status);
		return `Something responds at this 'Base URL' (${what}), but not the messaging service. Check its host and path.${said}`;
	}
	return undefined;
}

/** @returns why the test proves nothing, when a wrong key isn't rejected as the service rejects one */
function problemWithWrongKey(result: HttpResult, redact: Redact): string | undefined {
	if (result.kind === 'answered') {
		const { status } = result;
		if (status === 401) return undefined;
		if (status >= 400 && status < 500 && status !== 429 && !hasGatewayGivenUp(status)) {
			return `The service responded to a wrong key with ${status} instead of 401, so the key couldn't be tested. Check that 'Base URL' is the URL of the messaging service, and that 'API Key Header' is the exact header name from its API documentation`;
		}
	}
	return problemWithKey(result, redact);
}

function connectionProblem(code: string): string {
	if (code === TIMED_OUT || code === 'ETIMEDOUT') {
		return "The service didn't respond within 10 seconds. Check 'Base URL', or try again later";
	}
	if (code === TOO_LARGE) {
		return "Something responds at this 'Base URL' with more than 1 MB, so it isn't the messaging service. Check its host and path";
	}
	const why = CONNECTION_ERRORS.get(code) ?? (code === 'unknown' ? '' : code);
	return `n8n couldn't connect to the service${why && `: ${why}`}. Check 'Base URL', and that n8n can reach it`;
}
