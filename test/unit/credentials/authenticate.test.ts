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

describe('the key goes along', () => {
	it.each<[string, AnyRequest]>([
		['as url', { url: 'https://api.example.com/messaging/stable' }],
		['as uri', { uri: 'https://api.example.com/messaging/stable' }],
		['outside the path of the Base URL', { url: 'https://api.example.com/' }],
		['with the default port', { url: 'https://api.example.com:443/' }],
		['in capitals', { url: 'HTTPS://API.EXAMPLE.COM/' }],
		['below a baseURL', { baseURL: 'https://api.example.com', url: '/stable' }],
		['as a baseURL alone', { baseURL: 'https://api.example.com', url: '' }],
		[
			'absolute, whatever the baseURL',
			{ baseURL: 'https://a.example', url: 'https://api.example.com/' },
		],
	])('%s', async (_, request) => {
		const { headers } = await authenticate(request);
		expect(headers).toEqual({ 'X-Service-Api-Key': KEY });
	});

	it('beside the headers that are there', async () => {
		const headers = { accept: 'text/plain', 'X-Service-Api-Key': 'old' };
		const request = await authenticate({ url: 'https://api.example.com/', headers });
		expect(request.headers).toEqual({ accept: 'text/plain', 'X-Service-Api-Key': KEY });
		expect(headers['X-Service-Api-Key']).toBe('old');
	});

	it('and the request stays what it is', async () => {
		const body = { a: 1 };
		const given: AnyRequest = { url: 'https://api.example.com/', method: 'POST', body, timeout: 5 };
		await expect(authenticate(given)).resolves.toMatchObject({
			url: 'https://api.example.com/',
			method: 'POST',
			body,
			timeout: 5,
		});
	});

	it("the caller's request is never changed: n8n shows it in errors and to expressions", async () => {
		const given = { url: URL_OF_SERVICE, headers: { accept: 'text/plain' }, maxRedirects: 5 };
		const request = await authenticate(given);
		expect(request).not.toBe(given);
		expect(given).toEqual({
			url: URL_OF_SERVICE,
			headers: { accept: 'text/plain' },
			maxRedirects: 5,
		});
	});

	it('in place of a header of the same name in other letters', async () => {
		const headers = { 'x-service-api-KEY': 'old', accept: 'text/plain' };
		const request = await authenticate({ url: URL_OF_SERVICE, headers });
		expect(request.headers).toEqual({ accept: 'text/plain', 'X-Service-Api-Key': KEY });
	});

	it.each<[string, AnyRequest]>([
		['certificates checked', { rejectUnauthorized: true, skipSslCertificateValidation: false }],
		['no proxy', { proxy: '' }],
		['a certificate of a client', { agentOptions: { cert: 'x' } as never }],
		['its own host in a header', { headers: { Host: 'api.example.com' } }],
	])('with %s', async (_, more) => {
		const { headers } = await authenticate({ url: URL_OF_SERVICE, ...more });
		expect(headers).toMatchObject({ 'X-Service-Api-Key': KEY });
	});

	it('the fields of a run are looked at once', async () => {
		let reads = 0;
		const counted = {
			...credential,
			get apiKey() {
				reads++;
				return KEY;
			},
		};
		const type = new OutboundMessagingApi();
		for (let index = 0; index < 3; index++) {
			await type.authenticate(counted, { url: URL_OF_SERVICE });
		}
		expect(reads).toBe(1);
	});

	it("n8n's list of allowed domains stays", async () => {
		const request = { url: 'https://api.example.com/', allowedDomains: 'api.example.com' };
		expect((await authenticate(request)).allowedDomains).toBe('api.example.com');
	});

	it('and no redirect is followed with it, whatever the request says', async () => {
		const request = {
			url: 'https://api.example.com/',
			disableFollowRedirect: false,
			maxRedirects: 5,
		};
		await expect(authenticate(request)).resolves.toMatchObject({
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
			maxRedirects: 0,
		});
	});
});

describe('the key stays here', () => {
	it.each<[string, AnyRequest]>([
		['another host', { url: 'https://evil.example/' }],
		['a host that ends alike', { url: 'https://evil-api.example.com/' }],
		['a host that begins alike', { url: 'https://api.example.com.evil.example/' }],
		['plain http', { url: 'http://api.example.com/' }],
		['another port', { url: 'https://api.example.com:8443/' }],
		['a user name that looks like the host', { url: 'https://api.example.com@evil.example/' }],
		['another uri', { uri: 'https://evil.example/' }],
		['url counts before uri', { url: 'https://evil.example/', uri: 'https://api.example.com/' }],
		['another baseURL', { baseURL: 'https://evil.example', url: '/api.example.com' }],
		[
			'absolute over the baseURL',
			{ baseURL: 'https://api.example.com', url: 'https://evil.example' },
		],
		[
			'without a scheme over the baseURL',
			{ baseURL: 'https://api.example.com', url: '//evil.example' },
		],
		[
			'backslashes over the baseURL',
			{ baseURL: 'https://api.example.com', url: '\\\\evil.example' },
		],
		['a baseURL that is none', { baseURL: 'api.example.com', url: '/' }],
		['no URL', {}],
		['a path alone', { url: '/stable' }],
		['something else', { url: 'not a URL' }],
	])('%s', async (_, request) => {
		const error = await refusal(request);
		expect(error.message).toBe(
			"The API key is only sent to the host of the credential's 'Base URL'",
		);
		expect(error.description).toBe('Use a URL of that host, or another credential');
	});

	const PROXY = "The API key isn't sent through a proxy that is set in a node";
	const CERTIFICATE = "The API key is only sent when the service's certificate is checked";
	const HOST = "The API key isn't sent with a 'Host' header of another host";
	it.each<[string, AnyRequest]>([
		[PROXY, { proxy: 'http://evil.example:8080' }],
		[PROXY, { proxy: { host: 'evil.example', port: 8080 } }],
		[CERTIFICATE, { rejectUnauthorized: false }],
		[CERTIFICATE, { skipSslCertificateValidation: true }],
		[CERTIFICATE, { agentOptions: { rejectUnauthorized: false } as never }],
		[HOST, { headers: { Host: 'evil.example' } }],
		[HOST, { headers: { host: 'evil.example' } }],
		[HOST, { headers: { ' HOST ': 'evil.example' } }],
		[HOST, { headers: { Host: 'api.example.com:8443' } }],
	])('%s: %j', async (message, more) => {
		const error = await refusal({ url: URL_OF_SERVICE, ...more });
		expect(error.message).toBe(message);
		expect(error.description).toMatch(/^(Remove|Turn off) .*'/);
	});

	/** The error of a request that is not let out; it shows no value of the credential. */
	async function refusal(request: AnyRequest): Promise<Error & { description?: string }> {
		const before = JSON.stringify(request);
		const error = await authenticate(request).then(
			() => undefined,
			(reason: Error & { description?: string }) => reason,
		);
		if (error === undefined) throw new Error('The key went along');
		expect(`${error.message} ${error.description}`).not.toMatch(/example\.com|Service-Api|sk-/);
		expect(JSON.stringify(request)).toBe(before);
		return error;
	}

	it('a credential that cannot be right: the error keeps its fix', async () => {
		const request = { url: URL_OF_SERVICE };
		await expect(
			new OutboundMessagingApi().authenticate({ ...credential, apiKey: 'a\r\nb' }, request),
		).rejects.toMatchObject({
			message: "'API Key' has spaces, line breaks or other characters that aren't allowed",
			description: "Copy the key again from the service's dashboard, and only the key",
		});
		expect(request).toEqual({ url: URL_OF_SERVICE });
	});
});
