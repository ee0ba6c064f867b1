import type { IHttpRequestOptions } from 'n8n-workflow';

import { OutboundMessagingApi } from '../../../credentials/OutboundMessagingApi.credentials';
import { KEY } from '../help';

const credential = {
	baseUrl: 'https://api.example.com/messaging/',
	apiKeyHeader: ' X-Service-Api-Key ',
	apiKey: ` ${KEY}\n`,
};
type AnyRequest = Omit<Partial<IHttpRequestOptions>, 'proxy'> & {
	uri?: string;
	proxy?: unknown;
	rejectUnauthorized?: boolean;
};
const authenticate = async (request: AnyRequest) =>
	await new OutboundMessagingApi().authenticate(credential, request as IHttpRequestOptions);

const URL_OF_SERVICE = 'https://api.example.com/';
const baseURL = 'https://api.example.com';

it('the names that stored credentials have; the editor hides the key', () => {
	const { name, displayName, icon, properties } = new OutboundMessagingApi();
	expect([name, displayName]).toEqual(['outboundMessagingApi', 'Outbound Messaging API']);
	const file = 'file:../icons/outboundMessaging';
	const required = true;
	expect(icon).toEqual({ light: `${file}.svg`, dark: `${file}.dark.svg` });
	expect(properties).toMatchObject([
		{ name: 'baseUrl', displayName: 'Base URL', required },
		{ name: 'apiKeyHeader', displayName: 'API Key Header', required, default: 'X-Service-Api-Key' },
		{ name: 'apiKey', displayName: 'API Key', required, typeOptions: { password: true } },
	]);
});

describe('the key goes along', () => {
	const url = `${URL_OF_SERVICE}messaging/stable`;
	it.each<AnyRequest>([
		{ url },
		{ uri: url },
		// Outside the path of the Base URL, with the default port, in capitals.
		{ url: 'HTTPS://API.EXAMPLE.COM:443/' },
		{ baseURL, url: '/stable' },
		{ baseURL, url: '' },
		{ url, rejectUnauthorized: true, skipSslCertificateValidation: false, proxy: '' },
		{ url, agentOptions: { cert: 'x' } as never },
	])('%j', async (request) =>
		expect((await authenticate(request)).headers).toEqual({ 'X-Service-Api-Key': KEY }),
	);

	it("without redirects, and the caller's request, which n8n shows, isn't changed", async () => {
		const kept = { accept: 'text/plain', Host: 'api.example.com' };
		const given = (): AnyRequest => ({
			...{ url: URL_OF_SERVICE, method: 'POST', body: { a: 1 }, timeout: 5 },
			...{ maxRedirects: 5, disableFollowRedirect: false, allowedDomains: 'api.example.com' },
			headers: { ...kept, 'x-service-api-KEY': 'old' },
		});
		const own = given();
		await expect(authenticate(own)).resolves.toEqual({
			...given(),
			headers: { ...kept, 'X-Service-Api-Key': KEY },
			...{ disableFollowRedirect: true, followRedirect: false, followAllRedirects: false },
			maxRedirects: 0,
		});
		expect(own).toEqual(given());
	});
});

describe('the key stays here', () => {
	const ELSEWHERE = "The API key is only sent to the host of the credential's 'Base URL'";
	const PROXY = "The API key isn't sent through a proxy that is set in a node";
	const CERTIFICATE = "The API key is only sent when the service's certificate is checked";
	const HOST = "The API key isn't sent with a 'Host' header of another host";
	const TRACE = "The API key isn't sent with TRACE, which has the server repeat it";
	const url = URL_OF_SERVICE;
	const EVIL = [
		'https://evil.example/',
		'https://evil-api.example.com/',
		'https://api.example.com.evil.example/',
		'http://api.example.com/',
		'https://api.example.com:8443/',
		'https://api.example.com@evil.example/',
		'https://evil.example/https://api.example.com/',
		'https://evil.example\\@api.example.com/',
		'//api.example.com/',
		'/stable',
		'file:///stable',
		'null',
	];

	it.each<[string, AnyRequest]>([
		...EVIL.map((evil): [string, AnyRequest] => [ELSEWHERE, { url: evil }]),
		[ELSEWHERE, { uri: 'https://evil.example/' }],
		// The url counts before the uri, and an absolute one before the baseURL.
		[ELSEWHERE, { url: 'https://evil.example/', uri: url }],
		[ELSEWHERE, { baseURL: 'https://evil.example', url: '/api.example.com' }],
		[ELSEWHERE, { baseURL, url: 'https://evil.example' }],
		[ELSEWHERE, { baseURL, url: '//evil.example' }],
		[ELSEWHERE, { baseURL, url: '\\\\evil.example' }],
		[ELSEWHERE, { baseURL: 'api.example.com', url: '/' }],
		[ELSEWHERE, {}],
		[PROXY, { url, proxy: 'http://evil.example:8080' }],
		[PROXY, { url, proxy: { host: 'evil.example', port: 8080 } }],
		[CERTIFICATE, { url, rejectUnauthorized: false }],
		[CERTIFICATE, { url, skipSslCertificateValidation: true }],
		[CERTIFICATE, { url, agentOptions: { rejectUnauthorized: false } as never }],
		[TRACE, { url, method: 'TRACE' as never }],
		[TRACE, { url, method: ' trace ' as never }],
		[HOST, { url, headers: { Host: 'evil.example' } }],
		[HOST, { url, headers: { ' HOST ': 'api.example.com:8443' } }],
	])('%s: %j', async (message, request) => {
		const before = JSON.stringify(request);
		const error = await authenticate(request).catch((thrown: unknown) => thrown);
		expect(error).toMatchObject({ message, description: expect.any(String) as string });
		expect(JSON.stringify(request)).toBe(before);
	});
});
