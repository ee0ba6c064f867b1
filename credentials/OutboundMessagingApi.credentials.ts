import {
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IDataObject,
	type IHttpRequestOptions,
	type Icon,
	UserError,
} from 'n8n-workflow';

import { field, forEditor, requiredText } from '../nodes/OutboundMessaging/parameters/field';
import { type Connection, connectionFrom } from '../nodes/OutboundMessaging/service/connection';
import { httpUrl } from '../nodes/OutboundMessaging/validation/url';
import { invalid, InvalidValue } from '../nodes/OutboundMessaging/validation/invalidValue';

/**
 * A redirect would take the key along, to another host or out of https. The options of both of
 * n8n's request helpers.
 */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	maxRedirects: 0,
};

/**
 * Supplies the API key header (specification 5). The node tests it: see service/credentialTest.ts.
 */
export class OutboundMessagingApi implements ICredentialType {
	name = 'outboundMessagingApi';

	displayName = 'Outbound Messaging API';

	icon: Icon = {
		light: 'file:../icons/outboundMessaging.svg',
		dark: 'file:../icons/outboundMessaging.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-outbound-messaging/n8n-nodes-outbound-messaging#credentials';

	properties = forEditor({
		baseUrl: requiredText(
			'Base URL',
			'Everything before /stable/open in the URL of the messaging service',
			'https://api.example.com',
		),
		// No secret: the user has to see it to get it right.
		apiKeyHeader: field(
			'API Key Header',
			'The name of the HTTP header for the key. Copy the exact header name from the ' +
				"service's API documentation.",
			{ required: true, default: 'X-Service-Api-Key' },
		),
		apiKey: field('API Key', "The key from the service's dashboard", {
			required: true,
			typeOptions: { password: true },
		}),
	});

	/**
	 * Adds the key to a request, and only to one that goes to the service's own host by the way that
	 * n8n chooses: the HTTP Request node can use this credential with any URL and any option. A
	 * function, because expressions would double the cost of a send. The caller's request stays as it
	 * is: n8n shows it in errors and to expressions.
	 */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		request: Request,
	): Promise<IHttpRequestOptions> => {
		try {
			const connection = connectionFrom(credentials);
			rejectUnsafe(request, connection);
			return { ...request, ...NO_REDIRECTS, headers: withKey(request.headers, connection) };
		} catch (error) {
			const { title, description } = error as InvalidValue;
			// By the cause, service/httpResult.ts knows that nothing was sent.
			throw new UserError(title, { description, cause: error });
		}
	};
}

/** A request as either of n8n's helpers takes it. */
type Request = IHttpRequestOptions & { uri?: string; rejectUnauthorized?: boolean };

/**
 * Whoever may use the credential, but not read it, could otherwise have the key sent to
 * their own server.
 * @throws InvalidValue
 */
function rejectUnsafe(request: Request, { baseUrl }: Connection) {
	const url = httpUrl(request.url ?? request.uri ?? '', request.baseURL || undefined);
	if (url?.origin !== new URL(baseUrl).origin) {
		throw invalid`The API key is only sent to the host of the credential's 'Base URL'
			Use a URL of that host, or another credential`;
	}
	if (String(request.method).trim().toLowerCase() === 'trace') {
		throw invalid`The API key isn't sent with TRACE, which has the server repeat it
			Use another method`;
	}
	if (request.proxy) {
		throw invalid`The API key isn't sent through a proxy that is set in a node
			Remove 'Proxy' from the node's options. A proxy that your n8n admin set \
				up for n8n still works`;
	}
	const checks = [request.rejectUnauthorized, request.agentOptions?.rejectUnauthorized];
	if (request.skipSslCertificateValidation === true || checks.includes(false)) {
		throw invalid`The API key is only sent when the service's certificate is checked
			Turn off 'Ignore SSL Issues (Insecure)' in the node's options`;
	}
	const isOtherHost = ([name, value]: [string, unknown]) =>
		name.trim().toLowerCase() === 'host' && value !== url.host;
	if (Object.entries(request.headers ?? {}).some(isOtherHost)) {
		throw invalid`The API key isn't sent with a 'Host' header of another host
			Remove the 'Host' header from the node`;
	}
}

/**
 * The request's headers and the key; a header of the same name in other letters would
 * be sent as well.
 */
function withKey(headers: IDataObject = {}, { headerName, apiKey }: Connection): IDataObject {
	const own = headerName.toLowerCase();
	const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== own);
	return { ...Object.fromEntries(others), [headerName]: apiKey };
}
