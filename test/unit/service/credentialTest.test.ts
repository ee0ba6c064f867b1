import type { ICredentialsDecrypted, INodeCredentialTestResult } from 'n8n-workflow';
import nock from 'nock';

import { outboundMessagingApiTest } from '../../../nodes/OutboundMessaging/service/credentialTest';
import { KEY } from '../help';
import { credentialFor, credentialTestFunctions } from './n8n';
import type { Arrived } from './server';
import { closedPort, loopbackOnly, rawServer, recordingServer } from './server';

const HOST = 'https://api.example.com';
const PATH = '/stable/open/customers/send-text-message';
const OK = { status: 'OK', message: 'The service accepted the API key' };

const test = async (
	data: ICredentialsDecrypted['data'],
	functions: unknown = credentialTestFunctions,
): Promise<INodeCredentialTestResult> =>
	await outboundMessagingApiTest.call(functions as never, {
		id: '1',
		name: 'Test',
		type: 'outboundMessagingApi',
		data: data as never,
	});

loopbackOnly();

/** The service, as the specification has it: it looks at the key before the fields. */
const service = async ({ headers }: Arrived): Promise<[number]> => [
	headers.includes(KEY) ? 400 : 401,
];

it('posts a message without content: with the key, and with one that is certainly wrong', async () => {
	const { url, arrived } = await recordingServer(service);
	await expect(test(credentialFor(`${url}/`))).resolves.toEqual(OK);
	expect(arrived.map(({ method, url: path, body }) => [method, path, body])).toEqual([
		['POST', PATH, ''],
		['POST', PATH, ''],
	]);
	const keys = arrived.map(({ headers }) => headers[headers.indexOf('X-Service-Api-Key') + 1]);
	expect(keys).toEqual([KEY, 'wrong-key-of-a-credential-test']);
	expect(arrived.flatMap(({ headers }) => headers).filter((value) => value === KEY)).toHaveLength(
		1,
	);
});

const redirected = 'Enter the final URL, starting with https://';
const slowDown = "so the key couldn't be tested. Wait a minute, then test again.";
const later = "so the key couldn't be tested. Try again later, or check 'Base URL'.";
const wrongKey =
	"Check 'API Key', and that 'API Key Header' is the exact header name from the service's API documentation.";
const noAccess = "Check 'API Key' and 'API Key Header', and that the key may send messages.";
const wrongPath = 'Check its path: it ends where /stable/open begins.';
const wrongHost = 'but not the messaging service. Check its host and path.';
const proxy = 'Ask your n8n admin to check the proxy settings of n8n.';

/** What each status means that is no proof. */
const NO_PROOF: Array<[number, string]> = [
	...[404, 405].map((status): [number, string] => [status, wrongPath]),
	...[200, 204].map((status): [number, string] => [status, wrongHost]),
	...[301, 302, 307, 308].map((status): [number, string] => [status, redirected]),
	[407, proxy],
	[429, slowDown],
	...[408, 500, 502, 503].map((status): [number, string] => [status, later]),
];

describe('each answer', () => {
	it.each([400, 402, 409, 415, 422])('%i, and 401 for a wrong key: OK', async (status) => {
		nock(HOST).post(PATH).reply(status, { error: 'text is missing', code: 'x', success: false });
		nock(HOST).post(PATH).reply(401);
		await expect(test(credentialFor(HOST))).resolves.toEqual(OK);
	});

	it.each([400, 403, 404, 422])(
		'%i for a wrong key as well: the server has not looked at the key',
		async (status) => {
			nock(HOST).post(PATH).reply(400);
			nock(HOST).post(PATH).reply(status);
			await expect(test(credentialFor(HOST))).resolves.toEqual({
				status: 'Error',
				message: `The service responded to a wrong key with ${status} instead of 401, so the key couldn't be tested. Check that 'Base URL' is the URL of the messaging service, and that 'API Key Header' is the exact header name from its API documentation`,
			});
		},
	);

	it.each([
		[200, wrongHost],
		[302, redirected],
		[429, slowDown],
		[503, later],
	])('%i for a wrong key: %s', async (status, fix) => {
		nock(HOST).post(PATH).reply(400);
		nock(HOST).post(PATH).reply(status, '', { Location: '/' });
		const result = await test(credentialFor(HOST));
		expect(result).toMatchObject({ status: 'Error', message: expect.stringContaining(fix) });
	});

	const NO_KEY: Array<[number, string]> = [
		[401, wrongKey],
		[403, noAccess],
	];
	it.each([...NO_KEY, ...NO_PROOF])('%i: %s', async (status, fix) => {
		const elsewhere = nock('https://evil.example').post('/').reply(400);
		const answer = [status, '', { Location: 'https://evil.example/' }] as const;
		const replies = jest.fn(() => answer as never);
		nock(HOST).post(PATH).times(5).reply(replies);
		const result = await test(credentialFor(HOST));
		expect(result.status).toBe('Error');
		expect(result.message).toContain(`(${status})`);
		expect(result.message).toContain(fix);
		expect(replies).toHaveBeenCalledTimes(1);
		expect(elsewhere.isDone()).toBe(false);
	});

	it.each([undefined, 0, 1000, '400'])('a status of %j proves nothing', async (statusCode) => {
		const request = async () => ({ statusCode, headers: {}, body: '' });
		await expect(test(credentialFor(HOST), { helpers: { request } })).resolves.toEqual({
			status: 'Error',
			message:
				"Something responds at this 'Base URL' (without a valid HTTP status), but not the messaging service. Check its host and path.",
		});
	});

	it('the host of a redirect is named', async () => {
		nock(HOST)
			.post(PATH)
			.reply(302, '', { Location: `https://login.example.com/?k=${KEY}` });
		await expect(test(credentialFor(HOST))).resolves.toEqual({
			status: 'Error',
			message:
				"This 'Base URL' redirects (302) to login.example.com. Enter the final URL, starting with https://",
		});
	});

	it.each([
		['{"detail":"Invalid API key provided"}', 'Invalid API key provided'],
		['<title>Sign in</title>', 'Sign in'],
		['Go away', 'Go away'],
	])("the service's words: %s", async (sent, said) => {
		nock(HOST).post(PATH).reply(401, sent);
		const { message } = await test(credentialFor(HOST));
		expect(message).toBe(
			`The service didn't accept the API key (401). ${wrongKey} It said: ${said}`,
		);
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
				"Nothing responds at this 'Base URL': the connection was refused. Check its host and port, or try again when the service is up",
		});
	});

	it('a host that is not known', async () => {
		await expect(test(credentialFor('https://nowhere.invalid'))).resolves.toEqual({
			status: 'Error',
			message: "The host of 'Base URL' wasn't found. Check its spelling",
		});
	});

	it.each(['reset', ''])('a broken connection: %j', async (answer) => {
		const { url } = await rawServer(answer);
		const { status, message } = await test(credentialFor(url));
		expect(status).toBe('Error');
		expect(message).toMatch(
			/^n8n couldn't connect to the service \(ECONNRESET\)\. Check 'Base URL', and that n8n can reach it$/,
		);
	});

	it.each(['ECONNABORTED', 'ETIMEDOUT'])('%s', async (code) => {
		nock(HOST)
			.post(PATH)
			.replyWithError(Object.assign(new Error('timeout'), { code }));
		await expect(test(credentialFor(HOST))).resolves.toEqual({
			status: 'Error',
			message: "The service didn't respond within 10 seconds. Check 'Base URL', or try again later",
		});
	});
});

describe('fields that cannot be right are rejected before any request', () => {
	it.each([
		[undefined, "'Base URL' is empty. Enter the URL"],
		[{}, "'Base URL' is empty. Enter the URL"],
		[credentialFor('api.example.com'), "'Base URL' isn't a URL"],
		[credentialFor(`${HOST}/?`), "'Base URL' has a ? or # in it. Remove"],
		[credentialFor(HOST, { apiKeyHeader: 'a b' }), "'API Key Header' isn't a header name"],
		[credentialFor(HOST, { apiKey: ' ' }), "'API Key' is empty. Copy the key"],
		[credentialFor(HOST, { apiKey: `${KEY}\n${KEY}` }), "'API Key' has"],
	])('%#: %s', async (...row) => {
		const [data, words] = row;
		const scope = nock(HOST).post(/.*/).reply(400);
		const { status, message } = await test(data);
		expect(status).toBe('Error');
		expect(message).toContain(words);
		expect(message).not.toContain(KEY);
		expect(scope.isDone()).toBe(false);
	});
});

it.each([
	[403, 'No', "The service denied access (403), so the key couldn't be tested. "],
	[404, 'No', "There is no messaging service at this 'Base URL' (404). "],
	[429, 'No', "The service is limiting requests (429), so the key couldn't be tested. "],
	[
		500,
		'No',
		"The service isn't working properly right now (500), so the key couldn't be tested. ",
	],
	[200, 'a'.repeat(1_100_000), "Something responds at this 'Base URL' with more than 1 MB, so "],
])('%i says first what happened', async (status, body, title) => {
	nock(HOST).post(PATH).reply(status, body);
	expect((await test(credentialFor(HOST))).message.slice(0, title.length)).toBe(title);
});
