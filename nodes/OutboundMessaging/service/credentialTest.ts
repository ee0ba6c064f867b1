import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import type { ErrorText } from '../common/twoLines';
import { explain, NO_RESPONSE, notConnected } from './classifyResponse';
import { type Connection, connectionFrom } from './connection';
import { type HttpResult, exchange } from './exchange';
import { type Redact, redactor } from './redact';
import { meaningOf, TRY_LATER } from './statuses';

/** Any operation will do: nothing is sent, because the request has no content. */
const PROBE_PATH = '/stable/open/customers/send-text-message';
const TIMEOUT_MS = 10_000;
/** A key that no service has given to anyone. */
const WRONG_KEY = 'wrong-key-of-a-credential-test';

type LegacyRequest = ICredentialTestFunctions['helpers']['request'];

/**
 * Tests the credential without sending a message: one without content is posted. A wrong key is rejected with 401
 * (specification 5), a right one lets it through to the check of its fields, which rejects it with another 4xx. A server
 * that rejects both keys alike has not looked at the key. Every other response proves nothing, and says what to fix.
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
		return { status: 'Error', message: asOne(error as ErrorText) };
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
	if (result.kind === 'blocked') return asOne(result);
	if (result.kind === 'failed') {
		const title = NO_RESPONSE.get(result.code);
		return asOne(title ? { title, description: TRY_LATER } : notConnected(result.code).failure);
	}
	const { meaning, complete } = explain(result, redact);
	if (meaning.provesKey) return undefined;
	const isTemporary = meaning.verdict !== 'rejected';
	const own = isTemporary ? { ...meaning, description: TRY_LATER } : meaning;
	const { title, description } = { ...own, ...meaning.test };
	return asOne({ title: complete(title), description });
}

/** @returns why the test proves nothing, when a wrong key isn't rejected as the service rejects one */
function problemWithWrongKey(result: HttpResult, redact: Redact): string | undefined {
	const status = result.kind === 'answered' ? result.status : 0;
	if (status === 401) return undefined;
	if (status < 400 || meaningOf(status).verdict !== 'rejected')
		return problemWithKey(result, redact);
	return `The service responded to a wrong key with ${status} instead of 401, so the key couldn't be tested. Check that 'Base URL' is the URL of the messaging service, and that 'API Key Header' is the exact header name from its API documentation`;
}

const asOne = ({ title, description }: ErrorText) => `${title}. ${description}`;
