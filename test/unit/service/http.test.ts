/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests run on a developer's machine */
import { type IExecuteFunctions, type INode, NodeApiError } from 'n8n-workflow';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import nock from 'nock';

import type { HttpResult } from '../../../nodes/OutboundMessaging/service/exchange';
import { connectionFrom } from '../../../nodes/OutboundMessaging/service/connection';
import { httpPoster, serviceSender } from '../../../nodes/OutboundMessaging/service/http';
import { expectListed } from '../../docs/errorsPage.cts';
import { KEY, words } from '../help';
import { answers, body, credentialFor, executeFunctions, HOST, PATH, send } from './n8n';
import { closedPort, loopbackOnly, recordingServer } from './server';

/** What is made of a response of n8n's request helper. */
const sendThrough = async (response: Promise<unknown>, context = {}): Promise<HttpResult> => {
	const helpers = { httpRequestWithAuthentication: async () => await response };
	return await send(HOST, 5000, {}, { helpers, ...context } as never);
};

/** An error of n8n's request helper. */
const failing = async (error: object): Promise<never> => {
	const cause = Object.assign(new Error('x'), error);
	throw new NodeApiError({ name: 'Outbound Messaging' } as INode, cause as never);
};

const endlessBody = () => new Readable({ read() {} });

/** Holds itself. */
const endless: { cause?: object } = {};
endless.cause = endless;

loopbackOnly();

it('on the wire: method, path, headers and every byte of the body', async () => {
	const attributes = { '1': 'Zoë "👩‍👩‍👧"', '2': 'a\nb\u2028{{1}}' };
	const bytes = '{"attributes":{"1":"Zoë \\"👩‍👩‍👧\\"","2":"a\\nb\u2028{{1}}"},"n":1.5}';
	const { url, arrived } = await recordingServer();
	const credential = credentialFor(`${url}/gateway/`);
	const post = httpPoster(executeFunctions(), credential, 5000);
	await post({ url: connectionFrom(credential).baseUrl + PATH, body: { attributes, n: 1.5 } });

	expect(arrived).toHaveLength(1);
	const [{ method, url: target, headers, body: received }] = arrived;
	expect([method, target, received]).toEqual(['POST', `/gateway${PATH}`, bytes]);
	const named = (wanted: string) =>
		headers.filter((_, at) => at % 2 === 1 && headers[at - 1].toLowerCase() === wanted);
	expect(named('x-service-api-key')).toEqual([KEY]);
	expect(named('content-type')).toEqual([expect.stringMatching(/^application\/json\b/)]);
	expect(named('accept')).toEqual(['application/json']);
	expect(named('authorization')).toEqual([]);
	expect(headers.filter((value) => value.includes(KEY))).toHaveLength(1);
});

describe('an answer is handed on as it is, after one single request', () => {
	const record = { id: 'm', function_name: 'f', status: 'sent', extra: { success: true } };
	const statuses = [200, 201, 301, 302, 303, 307, 308, 400, 401, 403, 404, 422, 429, 500, 503];
	it.each(statuses)('%i', async (status) => {
		const headers = { 'Retry-After': '7', Location: 'https://evil.example/x' };
		const reply = jest.fn(() => [status, record, headers] as never);
		nock(HOST).post(PATH).times(5).reply(reply);
		await expect(send(HOST)).resolves.toMatchObject({
			kind: 'answered',
			status,
			// Nothing follows the redirect: no other request is let out here.
			headers: { 'retry-after': '7', location: 'https://evil.example/x' },
			text: JSON.stringify(record),
		});
		expect(reply).toHaveBeenCalledTimes(1);
	});

	it.each([1000, 600, 99, 0, undefined, '200'])('a status of %j is none: 0', async (statusCode) => {
		const response = Promise.resolve({ statusCode, headers: {}, body: '{}' });
		await expect(sendThrough(response)).resolves.toMatchObject({ kind: 'answered', status: 0 });
	});

	it.each([
		['{"id":1}', { text: '{"id":1}' }],
		[{ id: 1 }, { text: '{"id":1}' }],
		[undefined, { text: '""' }],
		[endless, { code: 'unknown', notSent: false }],
		[endless, { status: 400, text: '' }, 400],
		[endless, { code: 'unknown', notSent: false }, 500],
	])('a body that is no stream: %p', async (body, result, statusCode = 200) => {
		const response = Promise.resolve({ statusCode, headers: {}, body });
		await expect(sendThrough(response)).resolves.toMatchObject(result);
	});
});

it.each([new Error('reset'), undefined])('a body that ends by %p is cut short', async (error) => {
	const body = endlessBody().destroy(error);
	const response = Promise.resolve({ statusCode: 200, headers: {}, body });
	await expect(sendThrough(response)).resolves.toMatchObject({ code: 'ECONNRESET' });
});

it('a compressed body counts as it is when unpacked', async () => {
	const bomb = gzipSync('x'.repeat(50_000_000));
	answers(200, bomb, { 'Content-Encoding': 'gzip' });
	await expect(send(HOST)).resolves.toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
});

describe('no answer', () => {
	it.each([
		[{ kind: 'failed', code: 'ECONNABORTED', notSent: false }, undefined, new Promise(() => {})],
		[{ kind: 'failed', code: 'ERR_CANCELED' }, AbortSignal.abort(), new Promise(() => {})],
		// The status of a response whose body never ends decides.
		[
			{ status: 300, text: '' },
			undefined,
			Promise.resolve({ statusCode: 300, body: endlessBody() }),
		],
	])('n8n never hands a request back: given up in time, %j', async (result, signal, response) => {
		jest.useFakeTimers();
		const given = sendThrough(response, { getExecutionCancelSignal: () => signal });
		await jest.advanceTimersByTimeAsync(7000);
		await expect(given).resolves.toMatchObject(result);
	});

	it.each<[() => Promise<string> | string, string[]]>([
		[closedPort, ['ECONNREFUSED']],
		[() => 'https://nowhere.invalid', ['ENOTFOUND', 'EAI_AGAIN']],
	])('no connection: nothing was sent', async (url, codes) => {
		const result = await send(await url());
		expect(result).toMatchObject({ kind: 'failed', notSent: true });
		expect(codes).toContain('code' in result && result.code);
	});

	const fails = async (error: object, notSent: boolean) =>
		await expect(sendThrough(failing(error))).resolves.toMatchObject({ kind: 'failed', notSent });
	/** What Node's connection looks like when it is over. */
	const socket = (code: string, more: object | null) => ({ code, request: { socket: more } });
	const OVER = { _bytesDispatched: 253, secureConnecting: false };
	const over = (code: string, syscall?: string) => ({ ...socket(code, OVER), syscall });
	it.each([
		...[over('ECONNRESET', 'read'), over('EPIPE', 'write'), over('ETIMEDOUT', 'read'), endless],
		// The code alone proves nothing: a connection that was made can break in the same way.
		...[over('EHOSTUNREACH', 'read'), over('ENETUNREACH'), { code: 'ECONNREFUSED' }],
		{ name: 'NotSsrf', message: 'Not "Domain not allowed"' },
		{ code: 'ERR_CANCELED', request: {} },
	])('%j: it may have been sent', async (error) => await fails(error, false));

	const failedTo = (syscall: string) => (code: string) => ({ code, syscall });
	it.each([
		...words('ETIMEDOUT ECONNRESET EHOSTUNREACH').map(failedTo('connect')),
		...words('ENOTFOUND EAI_AGAIN').map(failedTo('getaddrinfo')),
		socket('ECONNREFUSED', { _bytesDispatched: 0 }),
		socket('CERT_HAS_EXPIRED', { _bytesDispatched: 253, secureConnecting: true }),
		// No connection yet.
		socket('ERR_CANCELED', null),
	])('%j: nothing was sent', async (error) => await fails(error, true));
});

const domains = (allowedDomains: string, allowedHttpRequestDomains = 'domains') => ({
	allowedHttpRequestDomains,
	allowedDomains,
});

type Blocked = { request(): Promise<HttpResult>; reason: string; fix: string };

it.each`
	what                                                                | request                                                       | reason                                                                                   | fix
	${'a host that is not among the allowed domains of the credential'} | ${() => send(HOST, 5000, domains('other.example'))}           | ${"n8n blocked the request: the credential's allowed domains don't include the service"} | ${"Add the host of 'Base URL' to the allowed domains in the credential"}
	${"a host in n8n's own network"}                                    | ${() => sendThrough(failing({ name: 'SsrfBlockedIpError' }))} | ${"n8n blocked the request: it isn't allowed to reach the service's host"}               | ${"Ask your n8n admin to allow the host of 'Base URL'"}
	${'a credential that cannot be right'}                              | ${() => send(HOST, 5000, { apiKey: 'a  b' })}                 | ${"'API Key' has line breaks, several spaces or other characters that aren't allowed"}   | ${"Copy the key again from the service's dashboard, and only the key"}
`('$what: the request is kept back', async ({ request, reason, fix }: Blocked) => {
	const scope = answers(200);
	await expect(request()).resolves.toEqual({ kind: 'blocked', title: reason, description: fix });
	expectListed(reason, fix);
	expect(scope.isDone()).toBe(false);
});

it.each([
	['on the list', domains('other.example, api.example.com')],
	['not restricted', domains('other.example', 'all')],
	['kept from the HTTP Request node alone', { allowedHttpRequestDomains: 'none' }],
])('the request is let out to a host that is %s', async (_, more) => {
	answers(400);
	await expect(send(HOST, 5000, more)).resolves.toMatchObject({ kind: 'answered', status: 400 });
});

it('what n8n is asked for does not lean on the credential: no redirects, statuses as they are', async () => {
	const httpRequestWithAuthentication = jest.fn(async () => ({ statusCode: 400, headers: {} }));
	await send(HOST, 1234, {}, { helpers: { httpRequestWithAuthentication } } as never);
	const [context] = httpRequestWithAuthentication.mock.contexts as IExecuteFunctions[];
	expect(context.getExecutionCancelSignal()).toBeInstanceOf(AbortSignal);
	const asked = { disableFollowRedirect: true, returnFullResponse: true, timeout: 1234 };
	const more = { credentialsDecrypted: expect.objectContaining({ data: credentialFor(HOST) }) };
	const calls = [['outboundMessagingApi', expect.objectContaining(asked), more]];
	expect(httpRequestWithAuthentication.mock.calls).toEqual(calls);
});

it('a record that repeats the key, in clear or encoded, comes without it', async () => {
	const rest = { function_name: 'f', status: 'sent', extra: { customer_id: 42, success: true } };
	const escaped = [...KEY].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('');
	const bodies = [
		`{"id":"m ${KEY}","list":["${escaped}",null,5,true],"${KEY}":1}`,
		'{"id":"m &amp; %41","n":1}',
		`{"id":"m","error":"${KEY}"}`,
	];
	for (const body of bodies) {
		const text = body.replace('}', `,${JSON.stringify(rest).slice(1)}`);
		answers(text.includes('error') ? 400 : 200, text);
	}
	const credential = credentialFor(HOST);
	const go = serviceSender(executeFunctions(), credential, connectionFrom(credential), 5000);
	const request = { url: HOST + PATH, body };
	await expect(go(request)).resolves.toStrictEqual({
		delivery: 'accepted',
		record: { id: 'm ***', list: ['***', null, 5, true], '***': 1, ...rest },
	});
	const record = { id: 'm &amp; %41', n: 1, ...rest };
	await expect(go(request)).resolves.toStrictEqual({ delivery: 'accepted', record });
	await expect(go(request)).resolves.not.toHaveProperty('record');
});
