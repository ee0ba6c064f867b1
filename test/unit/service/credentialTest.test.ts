import type { ICredentialsDecrypted, INodeCredentialTestResult } from 'n8n-workflow';
import nock from 'nock';

import { outboundMessagingApiTest } from '../../../nodes/OutboundMessaging/service/credentialTest';
import { KEY } from '../help';
import { credentialFor, credentialTestFunctions } from './n8n';
import { closedPort, loopbackOnly, rawServer, recordingServer } from './server';

const HOST = 'https://api.example.com';
const PATH = '/stable/open/customers/send-text-message';
const OK = { status: 'OK', message: 'The service accepted the API key' };

const test = async (data: ICredentialsDecrypted['data']): Promise<INodeCredentialTestResult> =>
	await outboundMessagingApiTest.call(credentialTestFunctions, {
		id: '1',
		name: 'Test',
		type: 'outboundMessagingApi',
		data: data as never,
	});

loopbackOnly();

it('posts a message without content, once, with the key', async () => {
	const { url, arrived } = await recordingServer();
	await expect(test(credentialFor(`${url}/`))).resolves.toEqual(OK);
	expect(arrived).toHaveLength(1);
	const [{ method, url: path, headers, body }] = arrived;
	expect([method, path, body]).toEqual(['POST', PATH, '']);
	expect(headers.filter((value) => value === KEY)).toHaveLength(1);
	expect(headers[headers.indexOf(KEY) - 1]).toBe('X-Service-Api-Key');
});

const redirected = 'Enter the final address, with https://';
const slowDown = 'so the key could not be tested. Wait a minute and test again.';
const later = 'so the key could not be tested. Try again later, or check Base URL.';
const wrongKey =
	'Check API Key and API Key Header: the name of the header carries the name of the maker of the service.';
const wrongPath = 'Check its path: it stands before /stable/open.';
const wrongHost = 'but not the messaging service. Check its host and path.';

describe('each answer', () => {
	it.each([400, 402, 409, 415, 422])('%i: the key was accepted', async (status) => {
		nock(HOST).post(PATH).reply(status, { error: 'text is missing', code: 'x', success: false });
		await expect(test(credentialFor(HOST))).resolves.toEqual(OK);
	});

	it.each([
		[401, wrongKey],
		[403, wrongKey],
		[404, wrongPath],
		[405, wrongPath],
		[200, wrongHost],
		[204, wrongHost],
		[301, redirected],
		[302, redirected],
		[307, redirected],
		[308, redirected],
		[407, later],
		[408, later],
		[429, slowDown],
		[500, later],
		[502, later],
		[503, later],
	])('%i: %s', async (status, mend) => {
		let requests = 0;
		const elsewhere = nock('https://evil.example').post('/').reply(400);
		nock(HOST)
			.post(PATH)
			.times(5)
			.reply(() => {
				requests++;
				return [status, '', { Location: 'https://evil.example/' }];
			});
		const result = await test(credentialFor(HOST));
		expect(result.status).toBe('Error');
		expect(result.message).toContain(`(${status})`);
		expect(result.message).toContain(mend);
		expect(requests).toBe(1);
		expect(elsewhere.isDone()).toBe(false);
	});

	it('the host of a redirect is named', async () => {
		nock(HOST)
			.post(PATH)
			.reply(302, '', { Location: `https://login.example.com/?k=${KEY}` });
		await expect(test(credentialFor(HOST))).resolves.toEqual({
			status: 'Error',
			message:
				'This Base URL redirects (302) to login.example.com. Enter the final address, with https://',
		});
	});

	it.each<[string, string, string]>([
		['JSON', '{"detail":"Invalid API key provided"}', ' It said: Invalid API key provided'],
		['a page', '<title>Sign in</title>', ' It said: Sign in'],
		['text', 'Go away', ' It said: Go away'],
	])('the words of the service: %s', async (_, sent, said) => {
		nock(HOST).post(PATH).reply(401, sent);
		const { message } = await test(credentialFor(HOST));
		expect(message).toBe(`The service did not accept the API key (401). ${wrongKey}${said}`);
	});

	it.each([200, 301, 400, 401, 403, 404, 405, 407, 429, 500, 503])(
		'%i that repeats the key does not show it',
		async (status) => {
			for (const sent of [`{"detail":"Wrong key ${KEY}"}`, `<title>${KEY}</title>`, KEY]) {
				nock(HOST)
					.post(PATH)
					.reply(status, sent, { Location: `https://example.com/${KEY}` });
				expect((await test(credentialFor(HOST))).message).not.toContain(KEY);
			}
		},
	);
});

describe('no answer', () => {
	it('refused', async () => {
		await expect(test(credentialFor(await closedPort()))).resolves.toEqual({
			status: 'Error',
			message:
				'Nothing answers at this Base URL: the connection was refused. Check host and port, or try again when the service is up',
		});
	});

	it('a host that is not known', async () => {
		await expect(test(credentialFor('http://nowhere.invalid'))).resolves.toEqual({
			status: 'Error',
			message: 'The host of this Base URL is not known. Check its spelling',
		});
	});

	it.each(['reset', ''])('a broken connection: %j', async (answer) => {
		const { url } = await rawServer(answer);
		const { status, message } = await test(credentialFor(url));
		expect(status).toBe('Error');
		expect(message).toMatch(
			/^The service could not be reached \(ECONNRESET\)\. Check Base URL, and that n8n can reach it$/,
		);
	});

	it.each(['ECONNABORTED', 'ETIMEDOUT'])('%s', async (code) => {
		nock(HOST)
			.post(PATH)
			.replyWithError(Object.assign(new Error('timeout'), { code }));
		await expect(test(credentialFor(HOST))).resolves.toEqual({
			status: 'Error',
			message: 'The service did not answer within 10 seconds. Check Base URL, or try again later',
		});
	});
});

describe('fields that cannot be right are refused before any request', () => {
	it.each([
		['no data', undefined, 'Base URL is empty. Enter the address'],
		['no fields', {}, 'Base URL is empty. Enter the address'],
		['a base URL that is none', credentialFor('api.example.com'), 'Base URL "api.example.com" is'],
		['a lone ?', credentialFor(`${HOST}/?`), 'Base URL has a ? or # in it. Take off'],
		['a header that is none', credentialFor(HOST, { apiKeyHeader: 'a b' }), 'API Key Header "a b"'],
		['no key', credentialFor(HOST, { apiKey: ' ' }), 'API Key is empty. Copy the key'],
		['a key with a line break', credentialFor(HOST, { apiKey: `${KEY}\n${KEY}` }), 'API Key has'],
	])('%s', async (_, data, words) => {
		const scope = nock(HOST).post(/.*/).reply(400);
		const { status, message } = await test(data);
		expect(status).toBe('Error');
		expect(message).toContain(words);
		expect(message).not.toContain(KEY);
		expect(scope.isDone()).toBe(false);
	});
});
