import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { type InvalidValue, invalid } from '../validation/invalidValue';
import { explain } from './classifyResponse';
import { type Connection, connectionFrom } from './connection';
import { exchange } from './exchange';
import type { HttpResult } from './httpResult';
import { type Redact, redactor } from './redact';
import { meaningOf } from './statuses';

/** Any operation will do: nothing is sent, because the request has no content. */
const PROBE_PATH = '/stable/open/customers/send-text-message';
const TIMEOUT_MS = 10_000;
/** A key that no service has given to anyone. */
const WRONG_KEY = 'wrong-key-of-a-credential-test';

type LegacyRequest = ICredentialTestFunctions['helpers']['request'];

/**
 * Tests the credential without sending a message: one without content is posted. A wrong key is
 * rejected with 401 (specification 5), a right one lets it through to the check of its fields,
 * which rejects it with another 4xx. A server that rejects both keys alike has not looked at the
 * key. Every other response proves nothing, and says what to fix.
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
		requireRightKey(await probe(request, connection), redact);
		requireWrongKeyRejected(await probe(request, { ...connection, apiKey: WRONG_KEY }), redact);
	} catch (error) {
		const { title, description } = error as InvalidValue;
		return { status: 'Error', message: `${title}. ${description}` };
	}
	return { status: 'OK', message: 'The service accepted the API key' };
}

/** Posts a message without content. */
async function probe(request: LegacyRequest, connection: Connection) {
	const url = connection.baseUrl + PROBE_PATH;
	const options = {
		method: 'POST' as const,
		uri: url,
		headers: { [connection.headerName]: connection.apiKey, Accept: 'application/json' },
		timeout: TIMEOUT_MS,
		followRedirect: false,
		resolveWithFullResponse: true,
		simple: false,
		useStream: true,
	};
	// This helper of n8n takes no signal: the connection is closed by way of the body.
	return await exchange(url, TIMEOUT_MS, async () => await request(options));
}

/** @throws InvalidValue that says what speaks against the key, unless the service let it through */
function requireRightKey(result: HttpResult, redact: Redact) {
	const { meaning, complete } = explain(result, redact);
	if (meaning.judgesMessage) return;
	const { title, description } = { ...meaning, ...meaning.test };
	throw invalid`${complete(title)}
		${description}`;
}

/**
 * @throws InvalidValue when a wrong key isn't rejected as the service rejects one: then the
 *   test proves nothing
 */
function requireWrongKeyRejected(result: HttpResult, redact: Redact) {
	const { status } = result;
	if (status === 401) return;
	if (status < 400 || meaningOf(status).verdict !== 'rejected') requireRightKey(result, redact);
	throw invalid`The service responded to a wrong key with ${status} instead of 401, so \
			the key couldn't be tested
		Check that 'Base URL' is the URL of the messaging service, and that 'API Key Header' is the \
			exact header name from its API documentation`;
}
