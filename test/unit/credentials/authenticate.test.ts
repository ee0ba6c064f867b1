import type { IHttpRequestOptions } from 'n8n-workflow';

import { OutboundMessagingApi } from '../../../credentials/OutboundMessagingApi.credentials';
import { KEY } from '../help';

const credential = {
	baseUrl: 'https://api.example.com/messaging/',
	apiKeyHeader: ' X-Service-Api-Key ',
	apiKey: ` ${KEY}\n`,
};
type AnyRequest = Partial<IHttpRequestOptions> & { uri?: string };
const authenticate = async (request: AnyRequest) =>
	await new OutboundMessagingApi().authenticate(credential, request as IHttpRequestOptions);

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
		['no URL', {}],
		['a path alone', { url: '/stable' }],
		['something else', { url: 'not a URL' }],
	])('%s', async (_, request) => {
		const error = await authenticate(request).then(
			() => undefined,
			(reason: Error & { description?: string }) => reason,
		);
		expect(error?.message).toBe('The API key is only sent to the host of its Base URL');
		expect(error?.description).toBe(
			'This request does not go to https://api.example.com/messaging. Use a URL of that host, or another credential.',
		);
		expect(JSON.stringify([error, request])).not.toContain(KEY);
	});

	it('a credential that cannot be right', async () => {
		const request = { url: 'https://api.example.com/' };
		await expect(
			new OutboundMessagingApi().authenticate({ ...credential, apiKey: 'a\r\nb' }, request),
		).rejects.toThrow('API Key has blanks, line breaks or special letters in it');
		expect(request).toEqual({ url: 'https://api.example.com/' });
	});
});
