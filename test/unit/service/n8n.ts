import {
	// What gives n8n's nodes their requests: n8n-core doesn't export it.
	getRequestHelperFunctions,
} from 'n8n-core/dist/execution-engine/node-execution-context/utils/request-helper-functions';
import type * as n8n from 'n8n-workflow';

import { OutboundMessagingApi } from '../../../credentials/OutboundMessagingApi.credentials';
import { httpPoster } from '../../../nodes/OutboundMessaging/service/http';
import type { HttpResult } from '../../../nodes/OutboundMessaging/service/httpResult';
import { KEY } from '../help';

type Fields = n8n.ICredentialDataDecryptedObject;

const node = { name: 'Outbound Messaging', typeVersion: 1, parameters: {} } as unknown as n8n.INode;

/**
 * What n8n's own helper does for a credential without a token to refresh: it asks the
 * credential's function.
 */
const credentialsHelper = {
	getParentTypes: () => [],
	preAuthentication: async () => undefined,
	authenticate: async (data: Fields, _: string, request: n8n.IHttpRequestOptions) =>
		await new OutboundMessagingApi().authenticate(data, request),
};

/**
 * n8n's real request helpers, so that no test is kinder than n8n; `request` is for
 * credential tests.
 */
export const helpers = getRequestHelperFunctions({ id: '1' } as n8n.Workflow, node, {
	credentialsHelper,
} as never);

/** What a node has of n8n when it sends. */
export const executeFunctions = (signal?: AbortSignal) =>
	({
		helpers,
		getNode: () => node,
		getExecutionCancelSignal: () => signal,
	}) as unknown as n8n.IExecuteFunctions;

export const credentialFor = (baseUrl: string, more: Fields = {}): Fields => {
	return { baseUrl, apiKeyHeader: 'X-Service-Api-Key', apiKey: KEY, ...more };
};

export const PATH = '/stable/open/customers/send-text-message';

/** Sends a message as the node does. */
export async function send(
	baseUrl: string,
	timeout = 5000,
	more: Fields = {},
	context = executeFunctions(),
): Promise<HttpResult> {
	const post = httpPoster(context, credentialFor(baseUrl, more), timeout);
	return await post({ url: baseUrl + PATH, body: { customer_id: '42', text: 'Hello' } });
}
