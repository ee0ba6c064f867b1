import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
	Icon,
} from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { connectionFrom, isForService } from '../nodes/OutboundMessaging/service/connection';

/** The name of the header, which is no secret: the user has to see it to get it right. */
const apiKeyHeader: INodeProperties = {
	displayName: 'API Key Header',
	name: 'apiKeyHeader',
	type: 'string',
	required: true,
	default: 'X-Service-Api-Key',
	description:
		'The name of the header that carries the key. The live service puts the name of its maker in place of Service',
};

/**
 * A redirect would take the key along to wherever it leads: to another host, or out of https. n8n can stop it at other
 * hosts only, and its older releases not even there. The options of both of n8n's request helpers.
 */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	maxRedirects: 0,
};

/** Supplies the API key header (specification 5). The node tests it: see service/credentialTest.ts. */
export class OutboundMessagingApi implements ICredentialType {
	name = 'outboundMessagingApi';

	displayName = 'Outbound Messaging API';

	icon: Icon = {
		light: 'file:../icons/outboundMessaging.svg',
		dark: 'file:../icons/outboundMessaging.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-outbound-messaging/n8n-nodes-outbound-messaging#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description: 'The address of the messaging service, without /stable/open',
		},
		apiKeyHeader,
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'The key from the dashboard of the messaging service',
		},
	];

	/**
	 * Adds the key to a request, and only to one that goes to the service's own host: the HTTP Request node can
	 * use this credential with any URL. A function, because expressions would double the cost of a send.
	 */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions & { uri?: string },
	): Promise<IHttpRequestOptions> => {
		const connection = connectionFrom(credentials);
		const url = request.url ?? request.uri ?? '';
		if (!isForService(connection, request.baseURL ? new URL(url, request.baseURL).href : url)) {
			throw new UserError('The API key is only sent to the host of its Base URL', {
				description: `This request does not go to ${connection.baseUrl}. Use a URL of that host, or another credential.`,
			});
		}
		request.headers = { ...request.headers, [connection.headerName]: connection.apiKey };
		return Object.assign(request, NO_REDIRECTS);
	};
}
