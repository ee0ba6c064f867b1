import { getRequestHelperFunctions } from 'n8n-core/dist/execution-engine/node-execution-context/utils/request-helper-functions';
import type {
	ICredentialDataDecryptedObject as Fields,
	IExecuteFunctions,
	IHttpRequestOptions,
	INode,
	Workflow,
} from 'n8n-workflow';
import nock from 'nock';

import { OutboundMessagingApi } from '../../../credentials/OutboundMessagingApi.credentials';
import { httpPoster } from '../../../nodes/OutboundMessaging/service/http';
import type { HttpResult } from '../../../nodes/OutboundMessaging/service/exchange';
import { KEY } from '../help';

const node = { name: 'Outbound Messaging', typeVersion: 1, parameters: {} } as unknown as INode;

/** What n8n's own helper does for a credential without a token to refresh: it asks the credential's function. */
const credentialsHelper = {
	getParentTypes: () => [],
	preAuthentication: async () => undefined,
	authenticate: async (data: Fields, _: string, request: IHttpRequestOptions) =>
		await new OutboundMessagingApi().authenticate(data, request),
};

const additionalData = { credentialsHelper } as never;
const helpers = getRequestHelperFunctions({ id: '1' } as Workflow, node, additionalData);

/** What a node has of n8n when it sends: n8n's real request helper, so that no test is kinder than n8n. */
export function executeFunctions(signal?: AbortSignal): IExecuteFunctions {
	return {
		helpers,
		getNode: () => node,
		getExecutionCancelSignal: () => signal,
		getCredentials: async () => {
			throw new Error('The credential is read once for the whole run, not per request');
		},
	} as unknown as IExecuteFunctions;
}

/** What a credential test has of n8n: its real request helper, of the old kind. */
export const credentialTestFunctions = { helpers };

export const credentialFor = (baseUrl: string, more: Fields = {}): Fields => ({
	...{ baseUrl, apiKeyHeader: 'X-Service-Api-Key', apiKey: KEY },
	...more,
});

export const HOST = 'https://api.example.com';
export const PATH = '/stable/open/customers/send-text-message';
export const body = { customer_id: '42', text: 'Hello' };

/** What the service answers to the next request. */
export const answers = (status: number, said?: nock.Body, headers = {}): nock.Scope =>
	nock(HOST).post(PATH).reply(status, said, headers);

/** Sends a message as the node does. */
export async function send(
	baseUrl: string,
	timeout = 5000,
	more: Fields = {},
	context = executeFunctions(),
): Promise<HttpResult> {
	const post = httpPoster(context, credentialFor(baseUrl, more), timeout);
	return await post({ url: baseUrl + PATH, body });
}
