/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests run on a developer's machine */
import type { ICredentialsDecrypted } from 'n8n-workflow';
import { Readable } from 'node:stream';
import nock from 'nock';

import { outboundMessagingApiTest } from '../../../nodes/OutboundMessaging/service/credentialTest';
import { expectListed } from '../../docs/errorsPage.cts';
import { KEY } from '../help';
import { answers, credentialFor, credentialTestFunctions, HOST, PATH } from './n8n';
import { closedPort, loopbackOnly, rawServer, recordingServer } from './server';

const OK = { status: 'OK', message: 'The service accepted the API key' };

const test = async (
	data: ICredentialsDecrypted['data'],
	functions: unknown = credentialTestFunctions,
) => {
	const credential = { id: '1', name: 'Test', type: 'outboundMessagingApi', data: data as never };
	const result = await outboundMessagingApiTest.call(functions as never, credential);
	expectListed(result.message.replace('Key ***', '…'));
	return result;
};

loopbackOnly();

it('posts a message without content: with the key, and with one that is certainly wrong', async () => {
	// The service, as the specification has it: it looks at the key before the fields.
	const { url, arrived } = await recordingServer(async ({ headers }) => [
		headers.includes(KEY) ? 400 : 401,
	]);
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

const SAID = ': Key ***';
const OTHER = "Something responds at this 'Base URL' (…), but not the messaging service";
const LATER = "Try again later, or check 'Base URL' in the credential";

/** What the service answers to one request after the other. It repeats the key. */
function answersAll(...statuses: number[]): void {
	const headers = { Location: `https://www.example/${KEY}` };
	for (const status of statuses) answers(status, { detail: `Key ${KEY}` }, headers);
}

it.each([400, 402, 409, 415, 422])('%i, and 401 for a wrong key: OK', async (status) => {
	answersAll(status, 401);
	await expect(test(credentialFor(HOST))).resolves.toEqual(OK);
});

interface Row {
	text: string;
	/** What the service answers to the key, and to one that is wrong. */
	right: number[];
	wrong: number[];
	urlOf(): Promise<string> | string;
	result: object;
	message: string;
}

it.each`
	text                                                                                                                                                                                                                                     | right                        | wrong
	${`The service didn't accept the API key (…)${SAID}. Check 'API Key' in the credential, and that 'API Key Header' is the exact header name from the service's API documentation`}                                                        | ${[401]}                     | ${[]}
	${`The service denied access (…)${SAID}. Check 'API Key' and 'API Key Header', and that the key may send messages`}                                                                                                                      | ${[403]}                     | ${[]}
	${`${OTHER}${SAID}. Check its host and its path, which ends where /stable/open begins`}                                                                                                                                                  | ${[200, 202, 404, 405]}      | ${[200]}
	${"The service redirected the request (…) to www.example. Redirects aren't followed. Enter the final URL of the service as 'Base URL' in the credential, starting with https://"}                                                        | ${[300, 301, 302, 307, 308]} | ${[302]}
	${`A proxy between n8n and the service asks for a sign-in (…)${SAID}. Ask your n8n admin to check the proxy settings of n8n`}                                                                                                            | ${[407]}                     | ${[]}
	${`The service's rate limit was reached (…)${SAID}. ${LATER}`}                                                                                                                                                                           | ${[429]}                     | ${[429]}
	${`The service wasn't ready for the message yet (…)${SAID}. ${LATER}`}                                                                                                                                                                   | ${[425]}                     | ${[]}
	${`The service responded with status …${SAID}. ${LATER}`}                                                                                                                                                                                | ${[408, 499, 500, 502, 503]} | ${[408, 500]}
	${"The service responded to a wrong key with … instead of 401, so the key couldn't be tested. Check that 'Base URL' is the URL of the messaging service, and that 'API Key Header' is the exact header name from its API documentation"} | ${[]}                        | ${[400, 403, 404, 422]}
`('$right for the key, $wrong for a wrong key: $text', async ({ text, right, wrong }: Row) => {
	for (const statuses of [...right.map((each) => [each]), ...wrong.map((each) => [400, each])]) {
		// Were there another request, the service would take it for one with a right key.
		answersAll(...statuses, 400, 401);
		const message = text.replace('…', String(statuses.at(-1)));
		await expect(test(credentialFor(HOST))).resolves.toEqual({ status: 'Error', message });
		expect(nock.pendingMocks()).toHaveLength(2);
		nock.cleanAll();
	}
});

const broken = (code: string) => () => {
	const error = Object.assign(new Error('broken'), { code });
	nock(HOST).post(PATH).replyWithError(error);
	return HOST;
};
const huge = () => answers(200, 'x'.repeat(1_100_000)) && HOST;
const notConnected = (why: string) =>
	`n8n couldn't connect to the service${why}. Check 'Base URL' in the credential, and that n8n can reach it`;
const CLOSED = notConnected(': the connection was closed');
const SILENT = `The service didn't respond in time. ${LATER}`;

it.each`
	what                                     | urlOf                                             | message
	${'a closed port'}                       | ${closedPort}                                     | ${notConnected(': the connection was refused')}
	${'an unknown host'}                     | ${broken('ENOTFOUND')}                            | ${notConnected(": its host name doesn't exist")}
	${'an old certificate'}                  | ${broken('CERT_HAS_EXPIRED')}                     | ${notConnected(': its certificate has expired')}
	${'another code'}                        | ${broken('HPE_INVALID')}                          | ${notConnected('')}
	${'an error with words before its code'} | ${broken('no CODE')}                              | ${notConnected('')}
	${'a reset'}                             | ${async () => (await rawServer('reset')).url}     | ${CLOSED}
	${'an early end'}                        | ${async () => (await rawServer('')).url}          | ${CLOSED}
	${'silence'}                             | ${broken('ECONNABORTED')}                         | ${SILENT}
	${'silence for a wrong key'}             | ${() => answers(400) && broken('ECONNABORTED')()} | ${SILENT}
	${'a connection that takes too long'}    | ${broken('ETIMEDOUT')}                            | ${SILENT}
	${'a response without end'}              | ${huge}                                           | ${`The service's response was larger than 1 MB. ${LATER}`}
`('no answer: $what', async ({ urlOf, message }: Row) => {
	await expect(test(credentialFor(await urlOf()))).resolves.toEqual({ status: 'Error', message });
});

it.each`
	result                                                            | message
	${{ statusCode: 0 }}                                              | ${`The service responded without a valid HTTP status. ${LATER}`}
	${{ request: { socket: {}, destroy() {} } }}                      | ${"A proxy between n8n and the service rejected the connection (403). Ask your n8n admin to allow the host of 'Base URL' in the proxy"}
	${Object.assign(new Error('no'), { name: 'SsrfBlockedIpError' })} | ${"n8n blocked the request: it isn't allowed to reach the service's host. Ask your n8n admin to allow the host of 'Base URL'"}
`('what n8n hands back: $result', async ({ result, message }: Row) => {
	const request = async () => {
		if (result instanceof Error) throw result;
		return { statusCode: 403, headers: {}, body: '', ...result };
	};
	const tested = await test(credentialFor(HOST), { helpers: { request } });
	expect(tested).toEqual({ status: 'Error', message });
});

it('a body that does not end is closed in time, and no redirect takes the key along', async () => {
	jest.useFakeTimers();
	const body = new Readable({ read() {} });
	const request = jest.fn(async () => ({ statusCode: 200, headers: {}, body }));
	const result = test(credentialFor(HOST), { helpers: { request } });
	await jest.advanceTimersByTimeAsync(10_000);
	await expect(result).resolves.toEqual({ status: 'Error', message: SILENT });
	expect(request).toHaveBeenCalledWith(expect.objectContaining({ followRedirect: false }));
});

it.each([
	[undefined, "'Base URL' is empty. Enter the URL"],
	[credentialFor(`${HOST}/?`), "'Base URL' has a ? or # in it. Remove"],
	[credentialFor(HOST, { apiKeyHeader: 'a b' }), "'API Key Header' isn't a header name"],
	[credentialFor(HOST, { apiKey: `${KEY}\n${KEY}` }), "'API Key' has"],
])('fields that cannot be right are rejected before any request: %#', async (data, words) => {
	const scope = nock(HOST).post(/.*/).reply(400);
	const result = await test(data);
	expect(result).toEqual({ status: 'Error', message: expect.stringContaining(words) });
	expect(result.message).not.toContain(KEY);
	expect(scope.isDone()).toBe(false);
});
