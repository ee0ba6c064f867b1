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
	const url = `${URL_OF_SERVICE}messaging/stable`;
	const baseURL = 'https://api.example.com';
	it.each<AnyRequest>([
		{ url },
		{ uri: url },
		// Outside the path of the Base URL, with the default port, in capitals.
		{ url: URL_OF_SERVICE },
		{ url: 'https://api.example.com:443/' },
		{ url: 'HTTPS://API.EXAMPLE.COM/' },
		{ baseURL, url: '/stable' },
		{ baseURL, url: '' },
		{ baseURL: 'https://a.example', url },
		{ url, rejectUnauthorized: true, skipSslCertificateValidation: false },
		{ url, proxy: '' },
		{ url, agentOptions: { cert: 'x' } as never },
	])('%j', async (request) => {
		const { headers } = await authenticate(request);
		expect(headers).toEqual({ 'X-Service-Api-Key': KEY });
	});

	it.each<[Record<string, string>, Record<string, string>]>([
		[{ accept: 'text/plain', 'X-Service-Api-Key': 'old' }, { accept: 'text/plain' }],
		[{ 'x-service-api-KEY': 'old', accept: 'text/plain' }, { accept: 'text/plain' }],
		[{ Host: 'api.example.com' }, { Host: 'api.example.com' }],
	])('beside the headers %j', async (headers, kept) => {
		const request = await authenticate({ url: URL_OF_SERVICE, headers });
		expect(request.headers).toEqual({ ...kept, 'X-Service-Api-Key': KEY });
	});

	it("and the caller's request is never changed: n8n shows it in errors and to expressions", async () => {
		const given = (): AnyRequest => ({
			...{ url: URL_OF_SERVICE, method: 'POST', body: { a: 1 }, timeout: 5, maxRedirects: 5 },
			headers: { accept: 'text/plain', 'X-Service-Api-Key': 'old' },
			allowedDomains: 'api.example.com',
		});
		const own = given();
		const { headers, maxRedirects } = await authenticate(own);
		expect([headers?.accept, maxRedirects]).toEqual(['text/plain', 0]);
		const { url, method, body, timeout, allowedDomains } = given();
		expect(await authenticate(own)).toMatchObject({ url, method, body, timeout, allowedDomains });
		expect(own).toEqual(given());
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
	const baseURL = 'https://api.example.com';
	it.each<AnyRequest>([
		{ url: 'https://evil.example/' },
		{ url: 'https://evil-api.example.com/' },
		{ url: 'https://api.example.com.evil.example/' },
		{ url: 'http://api.example.com/' },
		{ url: 'https://api.example.com:8443/' },
		{ url: 'https://api.example.com@evil.example/' },
		{ uri: 'https://evil.example/' },
		// The url counts before the uri, and an absolute one before the baseURL.
		{ url: 'https://evil.example/', uri: URL_OF_SERVICE },
		{ baseURL: 'https://evil.example', url: '/api.example.com' },
		{ baseURL, url: 'https://evil.example' },
		{ baseURL, url: '//evil.example' },
		{ baseURL, url: '\\\\evil.example' },
		{ baseURL: 'api.example.com', url: '/' },
		{},
		{ url: '/stable' },
		{ url: 'not a URL' },
	])('%j', async (request) => {
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
