/* eslint-disable @n8n/community-nodes/no-restricted-imports,
	@n8n/community-nodes/no-restricted-globals -- tests run on a developer's machine */
/**
 * One request through n8n's own helper: to a service, to servers that do harm, and behind a proxy
 * that doesn't let it out.
 */
import { type INode, NodeApiError, sleep } from 'n8n-workflow';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import { connectionFrom } from '../../../nodes/OutboundMessaging/service/connection';
import { serviceSender } from '../../../nodes/OutboundMessaging/service/http';
import { KEY } from '../help';
import { credentialFor, executeFunctions, PATH, send } from './n8n';
import { CLOSED_PORT, closeServers, rawServer, recordingServer } from './server';

afterAll(closeServers);

const answered = (status: number, more = {}) => ({ status, ...more });
const failed = (code: unknown, verdict = 'uncertain') => ({
	noResponse: { code, meaning: { verdict } },
});
const notSent = (code: unknown) => failed(code, 'notSent');

it('on the wire: method, path, headers and every byte of the body', async () => {
	const attributes = { '1': 'Zoë "👩‍👩‍👧"', '2': 'a\nb\u2028{{1}}' };
	const bytes = '{"attributes":{"1":"Zoë \\"👩‍👩‍👧\\"","2":"a\\nb\u2028{{1}}"},"n":1.5}';
	const { url, arrived } = await recordingServer(() => [400, `No ${KEY}`]);
	const credential = credentialFor(`${url}/gateway/`);
	const connection = connectionFrom(credential);
	const post = serviceSender(executeFunctions(), credential, connection, 5000);
	const result = await post({ url: connection.baseUrl + PATH, body: { attributes, n: 1.5 } });
	const title = 'The service rejected the message (400): No ***';
	expect(result).toMatchObject({ failure: { title } });

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

it.concurrent.each<[string, BufferEncoding]>([
	['text/html; charset=ISO-8859-1', 'latin1'],
	['application/json;Charset="windows-1252"', 'latin1'],
	['text/plain; charset=none-such', 'utf8'],
])('a body of the type %s is read as it is, in %s', async (type, encoding) => {
	const body = Buffer.from('é', encoding);
	const { url } = await recordingServer(() => [400, body, { 'content-type': type }]);
	await expect(send(url)).resolves.toMatchObject(answered(400, { text: 'é' }));
});

it.concurrent('a compressed body counts as it is when unpacked', async () => {
	const bomb = gzipSync('x'.repeat(50_000_000));
	const { url } = await recordingServer(() => [200, bomb, { 'content-encoding': 'gzip' }]);
	await expect(send(url)).resolves.toMatchObject(failed('RESPONSE_TOO_LARGE'));
});

const OK = 'HTTP/1.1 200 OK\r\n';
const BAD = 'HTTP/1.1 400 Bad Request\r\n';
const FOUND = 'HTTP/1.1 302 Found\r\nLocation: https://a.example/\r\n';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';
const CHUNK = '1\r\n!\r\n';
/** A megabyte in pieces of 64 kB, as chunks of a body without end. */
const FLOOD = `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(16);
const LONG = 'Content-Length: 100\r\n\r\n';

const TIMED_OUT = failed('ECONNABORTED');
const BROKEN = failed(expect.any(String));
const DRIPPED = { text: expect.stringMatching(/^!!!/) };
const SHORT = { text: expect.stringMatching(/^x{1000}/) };

it.concurrent.each<[string, object, string, string?]>([
	['nothing', TIMED_OUT, 'nothing'],
	['headers that drip', TIMED_OUT, OK, 'X-A: b\r\n'],
	['a body that drips', TIMED_OUT, OK + CHUNKED, CHUNK],
	['a body of a 503 that drips', TIMED_OUT, `HTTP/1.1 503 No\r\n${CHUNKED}`, CHUNK],
	// The status decides.
	['a body of a 400 that drips', answered(400, DRIPPED), BAD + CHUNKED, CHUNK],
	['a body of a 400 that stalls', answered(400, { text: '{"a":1}' }), `${BAD}${LONG}{"a":1}`, ''],
	['a body of a 302 that drips', answered(302, DRIPPED), FOUND + CHUNKED, CHUNK],
	['a 400 without end', answered(400, SHORT), BAD + CHUNKED, FLOOD],
	['a 400 that breaks off', answered(400, { text: '{"error":' }), `${BAD}${LONG}{"error":`],
	['status 100, over and over', TIMED_OUT, CONTINUE, CONTINUE],
	['status 101', answered(101), `${SWITCHED}\r\n`, 'x'],
	['an upgrade', TIMED_OUT, `${SWITCHED}Upgrade: x\r\nConnection: upgrade\r\n\r\n`, 'x'],
	['a 200 without end', failed('RESPONSE_TOO_LARGE'), OK + CHUNKED, FLOOD],
	['a 200 that breaks off', BROKEN, `${OK}${LONG}{"id":`],
	['a connection that is reset', BROKEN, 'reset'],
	['a connection that ends', BROKEN, ''],
	['something that is not HTTP', BROKEN, 'SSH-2.0-OpenSSH_9.6\r\n'],
])('%s: bounded, and its one connection closed', async (_, result, answer, drip) => {
	const server = await rawServer(answer, drip);
	const response = await send(server.url, drip === FLOOD ? 20_000 : 5000);
	expect(response).toMatchObject(result);
	expect(response.text.length).toBeLessThan(1_200_000);
	await server.closed;
	expect(server.connections).toBe(1);
});

const NO_TLS = ['nothing', 'reset', '', `${BAD}\r\n`];
it.concurrent.each(NO_TLS)('a TLS handshake that gets %j: nothing was sent', async (answer) => {
	const server = await rawServer(answer);
	const result = await send(server.url.replace('http:', 'https:'));
	expect(result).toMatchObject(notSent(expect.any(String)));
	await server.closed;
	expect(server.connections).toBe(1);
});

it.concurrent('a canceled execution: a request in flight may still be answered', async () => {
	const { url, arrived } = await recordingServer(async () => {
		await sleep(700);
		return [200, '{"id":"m"}'];
	});
	const cancel = new AbortController();
	const answer = send(url, 60_000, {}, executeFunctions(cancel.signal));
	while (arrived.length === 0) await sleep(1);
	cancel.abort();
	await expect(answer).resolves.toMatchObject(answered(200, { text: '{"id":"m"}' }));
});

const KEPT_BACK =
	"n8n blocked the request: the credential's allowed domains don't include the service";
it.each([
	[{ allowedHttpRequestDomains: 'domains', allowedDomains: 'other.example' }, KEPT_BACK],
	[{ apiKey: 'a  b' }, expect.stringMatching(/^'API Key' has line breaks/) as string],
	[{ allowedHttpRequestDomains: 'domains', allowedDomains: 'other.example, 127.0.0.1' }],
	[{ allowedHttpRequestDomains: 'all', allowedDomains: 'other.example' }],
	// That's for the HTTP Request node alone.
	[{ allowedHttpRequestDomains: 'none' }],
])('what the credential lets out: %j', async (...[fields, title]) => {
	const { url, arrived } = await recordingServer();
	const description = expect.stringMatching(/^(Add|Copy) the /) as string;
	const blocked = { noResponse: { meaning: { verdict: 'rejected', title, description } } };
	await expect(send(url, 5000, fields)).resolves.toMatchObject(title ? blocked : answered(400));
	expect(arrived).toHaveLength(title ? 0 : 1);
});

describe('what n8n hands back', () => {
	const sendThrough = async (request: () => unknown) =>
		await send('https://a.example', 5000, {}, {
			helpers: { httpRequestWithAuthentication: async () => request() },
		} as never);
	/** Holds itself. */
	const endless: { cause?: object } = {};
	endless.cause = endless;
	const breaks = async function* () {
		yield Buffer.from('{');
		throw new Error('reset');
	};

	it.each<[object, object]>([
		...[1000, 600, 99, 0, undefined, '200'].map((statusCode) => [{ statusCode }, answered(0)]),
		[{ body: '{"id":1}' }, { text: '{"id":1}' }],
		[{ body: { id: 1 } }, { text: '{"id":1}' }],
		[{}, { text: '""' }],
		[{ body: endless }, failed('unknown')],
		[{ statusCode: 500, body: endless }, failed('unknown')],
		[{ statusCode: 400, body: endless }, answered(400, { text: '' })],
		[{ body: Readable.from(breaks()) }, failed('ECONNRESET')],
		[{ body: Readable.from(['{}']).destroy() }, failed('ECONNRESET')],
	] as Array<[object, object]>)('%p', async (response, result) => {
		const request = () => ({ statusCode: 200, headers: {}, ...response });
		await expect(sendThrough(request)).resolves.toMatchObject(result);
	});

	const BLOCKED = "n8n blocked the request: it isn't allowed to reach the service's host";
	/** What Node's connection looks like when it is over. */
	const OVER = { socket: { _bytesDispatched: 253, secureConnecting: false } };
	it.each<[object, object]>([
		[{ code: 'ETIMEDOUT', syscall: 'connect' }, notSent('ETIMEDOUT')],
		[{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, notSent('ENOTFOUND')],
		[{ code: 'EPIPE', request: { socket: { _bytesDispatched: 0 } } }, notSent('EPIPE')],
		[{ code: 'EPROTO', request: { socket: { secureConnecting: true } } }, notSent('EPROTO')],
		// No connection yet.
		[{ code: 'ERR_CANCELED', request: { socket: null } }, notSent('ERR_CANCELED')],
		// The code alone proves nothing: a connection that was made can break in the same way.
		[{ code: 'EHOSTUNREACH', syscall: 'read', request: OVER }, failed('EHOSTUNREACH')],
		[{ code: 'ECONNREFUSED' }, failed('ECONNREFUSED')],
		[{ code: 'ERR_CANCELED', request: {} }, failed('ERR_CANCELED')],
		[{ code: 'no CODE' }, failed('unknown')],
		[{ name: 'NotSsrf', message: 'Not "Domain not allowed"' }, failed('unknown')],
		[endless, failed('unknown')],
		[{ name: 'SsrfBlockedIpError' }, { noResponse: { meaning: { title: BLOCKED } } }],
	])('the error %p', async (error, result) => {
		const cause = Object.assign(new Error('x'), error);
		const request = () => {
			throw new NodeApiError({ name: 'Outbound Messaging' } as INode, cause as never);
		};
		await expect(sendThrough(request)).resolves.toMatchObject(result);
	});
});

describe('behind a proxy', () => {
	afterEach(() => void delete process.env.HTTPS_PROXY);

	it.each([
		[403, 'rejected the connection', 'allow the host'],
		[407, 'asks for a sign-in', 'proxy settings of n8n'],
		[502, "couldn't connect to it", 'Try again later. '],
	])('that answers CONNECT with %i: it %s', async (status, what, fix) => {
		const proxy = await rawServer(`HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\nNo`);
		process.env.HTTPS_PROXY = proxy.url;
		const title = `A proxy between n8n and the service ${what} (…)`;
		const description = expect.stringContaining(fix) as string;
		const noResponse = { meaning: { verdict: 'notSent', title, description } };
		await expect(send('https://service.example')).resolves.toMatchObject({ status, noResponse });
		expect(proxy.asked).toMatch(/^CONNECT service\.example:443/);
		expect(proxy.asked).not.toContain(KEY);
	});

	it('that says nothing, and one that is not there: nothing was sent', async () => {
		for (const url of [(await rawServer('')).url, CLOSED_PORT]) {
			process.env.HTTPS_PROXY = url;
			const result = await send('https://service.example');
			expect(result).toMatchObject(notSent(expect.any(String)));
		}
	});
});
