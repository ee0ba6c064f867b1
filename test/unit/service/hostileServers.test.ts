/* eslint-disable @n8n/community-nodes/no-restricted-globals -- tests run on a developer's machine */
/**
 * The sender against servers that do harm, and behind a proxy that doesn't let it out, over real connections: nock's are
 * other ones. They're waited for all at once.
 */
import { sleep } from 'n8n-workflow';
import nock from 'nock';

import type { HttpResult } from '../../../nodes/OutboundMessaging/service/httpResult';
import { sender } from '../../../nodes/OutboundMessaging/service/request';
import { KEY } from '../help';
import { credentialFor, executeFunctions } from './n8n';
import {
	closedPort,
	closeServers,
	drippingServer,
	fullPort,
	rawServer,
	recordingServer,
	refusingProxy,
} from './server';

const PATH = '/stable/open/customers/send-text-message';
const body = { customer_id: '42', text: 'Hello' };

const send = async (baseUrl: string, timeout = 5000): Promise<HttpResult> =>
	await sender(executeFunctions(), credentialFor(baseUrl), timeout)({ url: baseUrl + PATH, body });

beforeAll(() => nock.restore());
afterAll(closeServers);

const OK = 'HTTP/1.1 200 OK\r\n';
const BAD = 'HTTP/1.1 400 Bad Request\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';
const TIMED_OUT = { kind: 'failed', code: 'ECONNABORTED', notSent: false };

/** A megabyte in pieces of 64 kB, as chunks of a body without end. */
const FLOOD = `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(16);

it.concurrent.each<[string, string, string, object]>([
	['headers that drip', OK, 'X-A: b\r\n', TIMED_OUT],
	['headers of a 400 that drip', BAD, 'X-A: b\r\n', TIMED_OUT],
	['a body that drips', OK + CHUNKED, '1\r\nx\r\n', TIMED_OUT],
	[
		'a body of a 400 that drips',
		`${BAD}${CHUNKED}5\r\nNo!!!\r\n`,
		'1\r\n!\r\n',
		{ kind: 'answered', status: 400, text: expect.stringMatching(/^No!!!/) },
	],
	[
		'a body of a 302 that drips',
		`HTTP/1.1 302 Found\r\nLocation: https://a.example/\r\n${CHUNKED}`,
		'1\r\nx\r\n',
		{ kind: 'answered', status: 302, headers: { location: 'https://a.example/' } },
	],
	['a body of a 503 that drips', `HTTP/1.1 503 No\r\n${CHUNKED}`, '1\r\nx\r\n', TIMED_OUT],
	[
		'status 100, over and over',
		'HTTP/1.1 100 Continue\r\n\r\n',
		'HTTP/1.1 100 Continue\r\n\r\n',
		TIMED_OUT,
	],
	[
		'status 101',
		'HTTP/1.1 101 Switching Protocols\r\n\r\n',
		'x',
		{ kind: 'answered', status: 101 },
	],
	[
		'status 101 with an upgrade',
		'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
		'x',
		TIMED_OUT,
	],
])('a response is bounded, and its connection closed: %s', async (_, head, piece, result) => {
	const { url, connections, closed } = await drippingServer(head, piece);
	await expect(send(url, 1000)).resolves.toMatchObject(result);
	while (closed() === 0) await sleep(5);
	expect(connections()).toBe(1);
});

it.concurrent.each<[string, string, object]>([
	[
		'200: nothing is proven',
		OK + CHUNKED,
		{ kind: 'failed', code: 'RESPONSE_TOO_LARGE', notSent: false },
	],
	['400: the status decides', BAD + CHUNKED, { kind: 'answered', status: 400 }],
])(
	'a response is bounded, and its connection closed: a body without end after a %s',
	async (_, head, result) => {
		const { url, closed } = await drippingServer(head, FLOOD);
		const answer = await send(url, 20_000);
		expect(answer).toMatchObject(result);
		if ('text' in answer) expect(answer.text.length).toBeLessThan(1_200_000);
		while (closed() === 0) await sleep(5);
	},
);

it.concurrent(
	'a response is bounded: a body that breaks off after a 400: the status decides',
	async () => {
		const { url } = await rawServer(`${BAD}Content-Length: 100\r\n\r\n{"error":`);
		await expect(send(url)).resolves.toMatchObject({
			kind: 'answered',
			status: 400,
			text: '{"error":',
		});
	},
);

it.concurrent("a connection that isn't accepted: nothing was sent", async () => {
	await expect(send(await fullPort(), 1000)).resolves.toEqual({
		kind: 'failed',
		code: 'ECONNABORTED',
		notSent: true,
	});
});

it.concurrent.each(['nothing', 'reset', '', 'HTTP/1.1 400 Bad Request\r\n\r\n'])(
	'a TLS handshake that gets %j: nothing was sent',
	async (answer) => {
		const { url, connections } = await rawServer(answer);
		const result = await send(url.replace('http:', 'https:'), 1000);
		expect(result).toMatchObject({ kind: 'failed', notSent: true });
		expect(connections()).toBe(1);
	},
);

it.concurrent(
	'a canceled execution: the service may still answer a request in flight',
	async () => {
		const record = '{"id":"m"}';
		const { url, arrived } = await recordingServer(async () => {
			await sleep(700);
			return [200, record];
		});
		const cancel = new AbortController();
		const go = sender(executeFunctions(cancel.signal), credentialFor(url), 60_000);
		const answer = go({ url: url + PATH, body });
		while (arrived.length === 0) await sleep(1);
		cancel.abort();
		await expect(answer).resolves.toMatchObject({ kind: 'answered', status: 200, text: record });
	},
);

describe('behind a proxy', () => {
	afterEach(() => void delete process.env.HTTPS_PROXY);

	it.each([403, 407, 502, 503])('that rejects the connection with %i', async (status) => {
		const proxy = await refusingProxy(`HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\nNo`);
		process.env.HTTPS_PROXY = proxy.url;
		await expect(send('https://service.example')).resolves.toEqual({
			kind: 'proxyRefused',
			status,
		});
		expect(proxy.asked()).toMatch(/^CONNECT service\.example:443/);
		expect(proxy.asked()).not.toContain(KEY);
	});

	it('that says nothing, and one that is not there: nothing was sent', async () => {
		for (const url of [(await refusingProxy('')).url, await closedPort()]) {
			process.env.HTTPS_PROXY = url;
			await expect(send('https://service.example')).resolves.toMatchObject({ notSent: true });
		}
	});
});
