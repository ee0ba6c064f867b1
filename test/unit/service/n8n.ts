import { getRequestHelperFunctions } from 'n8n-core/dist/execution-engine/node-execution-context/utils/request-helper-functions';
import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IExecuteFunctions,
	IHttpRequestOptions,
	INode,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';

import { OutboundMessagingApi } from '../../../credentials/OutboundMessagingApi.credentials';
import { KEY } from '../help';

const node: INode = {
	id: 'node-1',
	name: 'Outbound Messaging',
	type: 'n8n-nodes-outbound-messaging.outboundMessaging',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** What n8n's own helper does for a credential without a token to refresh: it asks the credential's function. */
const credentialsHelper = {
	getParentTypes: () => [],
	preAuthentication: async () => undefined,
	authenticate: async (
		data: ICredentialDataDecryptedObject,
		_: string,
		request: IHttpRequestOptions,
	) => await new OutboundMessagingApi().authenticate(data, request),
};

const helpers = getRequestHelperFunctions({ id: 'workflow-1' } as Workflow, node, {
	credentialsHelper,
} as unknown as IWorkflowExecuteAdditionalData);

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
export const credentialTestFunctions = { helpers } as unknown as ICredentialTestFunctions;

export const credentialFor = (
	baseUrl: string,
	more: ICredentialDataDecryptedObject = {},
): ICredentialDataDecryptedObject => ({
	baseUrl,
	apiKeyHeader: 'X-Service-Api-Key',
	apiKey: KEY,
	...more,
});
