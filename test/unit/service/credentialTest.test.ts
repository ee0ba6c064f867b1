/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests run on a
	developer's machine */
import type { ICredentialsDecrypted } from 'n8n-workflow';
import { Readable } from 'node:stream';

import { outboundMessagingApiTest } from '../../../nodes/OutboundMessaging/service/credentialTest';
import { KEY } from '../help';
import { credentialFor, helpers, PATH } from './n8n';
import { CLOSED_PORT, closeServers, recordingServer } from './server';

const OK = { status: 'OK', message: 'The service accepted the API key' };

const test = async (data: ICredentialsDecrypted['data'], request: unknown = helpers.request) => {
	const credential = { id: '1', name: 'Test', type: 'outboundMessagingApi', data: data as never };
	return await outboundMessagingApiTest.call({ helpers: { request } } as never, credential);
};

afterAll(closeServers);

it('posts a message without content: with the key, and with a wrong one', async () => {
	// The service, as the specification has it: it looks at the key before the fields.
	const { url, arrived } = await recordingServer((headers) => [headers.includes(KEY) ? 400 : 401]);
	await expect(test(credentialFor(`${url}/`))).resolves.toEqual(OK);
	expect(arrived).toMatchObject([
		{ method: 'POST', url: PATH, body: '', headers: expect.arrayContaining(['application/json']) },
		{ method: 'POST', url: PATH, body: '' },
	]);
	const keys = arrived.map(({ headers }) => headers[headers.indexOf('X-Service-Api-Key') + 1]);
	expect(keys).toEqual([KEY, 'wrong-key-of-a-credential-test']);
	const all = arrived.flatMap(({ headers }) => headers);
	expect(all.filter((value) => value === KEY)).toHaveLength(1);
});

/** What the service's response says, and what's shown of it. */
const SAID = ': Key ***';
const OTHER = "Something responds at this 'Base URL' (…), but not the messaging service";
const LATER = "Try again later. If the credential has never worked, check its 'Base URL'";

/** What the test of the credential says, by the status for the key and for a wrong one. */
const SAYS: Array<{ text: string; right: number[]; wrong: number[] }> = [
	{ text: OK.message, right: [], wrong: [401] },
	{
		text:
			`The service didn't accept the API key (…)${SAID}. Check 'API Key' in the credential, and ` +
			"that 'API Key Header' is the exact header name from the service's API documentation",
		right: [401],
		wrong: [],
	},
	{
		text:
			`The service denied access (…)${SAID}. Check 'API Key' and 'API Key Header', and that the ` +
			'key may send messages',
		right: [403],
		wrong: [],
	},
	{
		text: `${OTHER}${SAID}. Check its host and its path, which ends where /stable/open begins`,
		right: [200, 202, 404, 405],
		wrong: [200],
	},
	{
		text:
			"The service redirected the request (…) to www.example. Redirects aren't followed. Enter " +
			"the final URL of the service as 'Base URL' in the credential, starting with https://",
		right: [300, 301, 302, 307, 308],
		wrong: [302],
	},
	{
		text:
			`A proxy between n8n and the service asks for a sign-in (…)${SAID}. Ask your n8n admin to ` +
			'check the proxy settings of n8n',
		right: [407],
		wrong: [],
	},
	{ text: `The service's rate limit was reached (…)${SAID}. ${LATER}`, right: [429], wrong: [429] },
	{
		text: `The service wasn't ready for the message yet (…)${SAID}. ${LATER}`,
		right: [425],
		wrong: [],
	},
	{
		text: `The service responded with status …${SAID}. ${LATER}`,
		right: [408, 499, 500, 502, 503],
		wrong: [408, 500],
	},
	{
		text:
			"The service responded to a wrong key with … instead of 401, so the key couldn't be " +
			"tested. Check that 'Base URL' is the URL of the messaging service, and that " +
			"'API Key Header' is the exact header name from its API documentation",
		right: [],
		wrong: [400, 403, 404, 422],
	},
];

type Row = { status: number; says: string };
const rowsOf = (which: 'right' | 'wrong'): Row[] =>
	SAYS.flatMap(({ text, ...statuses }) =>
		statuses[which].map((status) => ({ status, says: text.replace('…', String(status)) })),
	);

/** @param statuses for each request that is expected; another one would try a wrong key */
async function expectSaid(says: string, ...statuses: number[]): Promise<void> {
	const { url, arrived } = await recordingServer(() => [
		statuses[arrived.length - 1] ?? 401,
		JSON.stringify({ detail: `Key ${KEY}` }),
		{ location: `https://www.example/${KEY}` },
	]);
	const status = says === OK.message ? 'OK' : 'Error';
	await expect(test(credentialFor(url))).resolves.toEqual({ status, message: says });
	expect(arrived).toHaveLength(statuses.length);
}

it.each(rowsOf('right'))('$status for the key: "$says"', async ({ status, says }) => {
	await expectSaid(says, status);
});

describe.each([400, 402, 409, 415, 422])('%i for the key, so a wrong one is tried', (provesKey) => {
	it.each(rowsOf('wrong'))('$status for a wrong key: "$says"', async ({ status, says }) => {
		await expectSaid(says, provesKey, status);
	});
});

const REFUSED =
	`n8n couldn't connect to the service: the connection was refused. ${LATER}, and ` +
	'that n8n can reach it';
const SILENT = `The service didn't respond in time. ${LATER}`;

it('no answer, or one without end', async () => {
	const { url } = await recordingServer(() => [200, 'x'.repeat(1_100_000)]);
	const tested = [CLOSED_PORT, url].map(async (each) => (await test(credentialFor(each))).message);
	const tooLarge = `The service's response was larger than 1 MB. ${LATER}`;
	await expect(Promise.all(tested)).resolves.toEqual([REFUSED, tooLarge]);
});

it('a body that does not end is closed in time, and no redirect takes the key along', async () => {
	jest.useFakeTimers();
	const body = new Readable({ read() {} });
	const request = jest.fn(async () => ({ statusCode: 200, headers: {}, body }));
	const result = test(credentialFor('https://a.example'), request);
	await jest.advanceTimersByTimeAsync(10_000);
	await expect(result).resolves.toEqual({ status: 'Error', message: SILENT });
	expect(request).toHaveBeenCalledWith(expect.objectContaining({ followRedirect: false }));
	jest.useRealTimers();
});

it('a key that cannot be right is rejected before any request', async () => {
	const request = jest.fn();
	const data = credentialFor('https://a.example', { apiKey: `${KEY}\n${KEY}` });
	const { status, message } = await test(data, request);
	expect(status).toBe('Error');
	expect(message).toMatch(/^'API Key' has .+\. Copy the/);
	expect(message).not.toContain(KEY);
	expect(request).not.toHaveBeenCalled();
});
