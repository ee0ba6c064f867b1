import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { InvalidValue } from '../validation/invalidValue';
import type { Connection } from './connection';
import { connectionFrom } from './connection';
import { shownTarget } from './classifyResponse';
import { extractServiceError } from './serviceError';

/** Any operation will do: nothing is sent, because the request has no content. */
const PATH = '/stable/open/customers/send-text-message';
const TIMEOUT = 10_000;

/**
 * Tests the credential without sending a message. The service has nothing to read, so a message without content is
 * posted: a wrong key is refused with 401 (specification 5), a right one lets the request through to the check of its
 * fields, which refuses it with another 4xx. Every other answer proves nothing, and says what to mend.
 */
export async function outboundMessagingApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	// The only way to the network that n8n gives a credential test.
	const { request } = this.helpers;
	try {
		const connection = connectionFrom(credential.data ?? {});
		const { statusCode, headers, body } = await request({
			method: 'POST',
			uri: connection.baseUrl + PATH,
			headers: { [connection.headerName]: connection.apiKey, Accept: 'application/json' },
			timeout: TIMEOUT,
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
		});
		return verdict(Number(statusCode), headers?.location, body, connection);
	} catch (error) {
		return failed(error instanceof InvalidValue ? refusal(error) : unreachable(error));
	}
}

function verdict(
	status: number,
	location: unknown,
	body: unknown,
	{ apiKey }: Connection,
): INodeCredentialTestResult {
	const { text } = extractServiceError(parsed(body), apiKey);
	const said = text === undefined ? '' : ` It said: ${text}`;
	if (status === 401 || status === 403) {
		return failed(
			`The service did not accept the API key (${status}). Check API Key and API Key Header: the name of the header carries the name of the maker of the service.${said}`,
		);
	}
	if (status === 404 || status === 405) {
		return failed(
			`There is no messaging service at this Base URL (${status}). Check its path: it stands before /stable/open.${said}`,
		);
	}
	if (status >= 300 && status < 400) {
		const target = shownTarget(typeof location === 'string' ? location : undefined, apiKey);
		return failed(
			`This Base URL redirects (${status})${target}. Enter the final address, with https://`,
		);
	}
	if (status === 429) {
		return failed(
			`The service asks to slow down (429), so the key could not be tested. Wait a minute and test again.${said}`,
		);
	}
	if (status === 407 || status === 408 || status >= 500) {
		return failed(
			`The service is not working properly right now (${status}), so the key could not be tested. Try again later, or check Base URL.${said}`,
		);
	}
	if (status < 400) {
		return failed(
			`Something answers at this Base URL (${status}), but not the messaging service. Check its host and path.${said}`,
		);
	}
	return { status: 'OK', message: 'The service accepted the API key' };
}

function failed(message: string): INodeCredentialTestResult {
	return { status: 'Error', message };
}

function refusal({ message, fix: mend }: InvalidValue): string {
	return `${message}. ${mend}`;
}

function unreachable(error: unknown): string {
	const { code, cause } = error as { code?: string; cause?: { code?: string } };
	const network = code ?? cause?.code;
	if (network === 'ENOTFOUND' || network === 'EAI_AGAIN') {
		return 'The host of this Base URL is not known. Check its spelling';
	}
	if (network === 'ECONNREFUSED') {
		return 'Nothing answers at this Base URL: the connection was refused. Check host and port, or try again when the service is up';
	}
	if (network === 'ECONNABORTED' || network === 'ETIMEDOUT') {
		return 'The service did not answer within 10 seconds. Check Base URL, or try again later';
	}
	return `The service could not be reached${network === undefined ? '' : ` (${network})`}. Check Base URL, and that n8n can reach it`;
}

/** The old request helper leaves JSON as text unless it is told to send JSON as well. */
function parsed(body: unknown): unknown {
	if (typeof body !== 'string') return body;
	try {
		return JSON.parse(body);
	} catch {
		return body;
	}
}
