/* eslint-disable @n8n/community-nodes/no-restricted-globals -- tests run on a developer's machine */
/**
 * The sender against servers that do harm, and behind a proxy that doesn't let it out, over real connections: nock's are
 * other ones. They're waited for all at once.
 */
import { sleep } from 'n8n-workflow';
import nock from 'nock';

import { KEY } from '../help';
import { executeFunctions, send } from './n8n';
import { closedPort, closeServers, fullPort, rawServer, recordingServer } from './server';

beforeAll(() => nock.restore());
afterAll(closeServers);

const OK = 'HTTP/1.1 200 OK\r\n';
const BAD = 'HTTP/1.1 400 Bad Request\r\n';
const FOUND = 'HTTP/1.1 302 Found\r\nLocation: https://a.example/\r\n';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';
const CHUNK = '1\r\n!\r\n';
/** A megabyte in pieces of 64 kB, as chunks of a body without end. */
const FLOOD = `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(16);

const answered = (status: number, more = {}) => ({ kind: 'answered', status, ...more });
const failed = (code: unknown) => ({ kind: 'failed', code, notSent: false });
const TIMED_OUT = failed('ECONNABORTED');
const BROKEN = failed(expect.any(String));
const SHORT = { text: expect.stringMatching(/^x{1000}/) };

interface Row {
	result: object;
	answer: string;
	drip?: string;
	timeout?: number;
}

it.concurrent.each`
name | result | answer | drip | timeout
	${'nothing'} | ${TIMED_OUT} | ${'nothing'} | ${undefined} | ${undefined}
	${'headers that drip'} | ${TIMED_OUT} | ${OK} | ${'X-A: b\r\n'} | ${undefined}
	${'headers of a 400 that drip'} | ${TIMED_OUT} | ${BAD} | ${'X-A: b\r\n'} | ${undefined}
	${'a body that drips'} | ${TIMED_OUT} | ${OK + CHUNKED} | ${CHUNK} | ${undefined}
	${'a body of a 503 that drips'} | ${TIMED_OUT} | ${`HTTP/1.1 503 No\r\n${CHUNKED}`} | ${CHUNK} | ${undefined}
	${'a body of a 400 that drips: the status decides'} | ${answered(400, { text: expect.stringMatching(/^No!!!/) })} | ${`${BAD}${CHUNKED}5\r\nNo!!!\r\n`} | ${CHUNK} | ${undefined}
	${'a body of a 302 that drips: the status decides'} | ${answered(302, { headers: { location: 'https://a.example/' } })} | ${FOUND + CHUNKED} | ${CHUNK} | ${undefined}
	${'status 100, over and over'} | ${TIMED_OUT} | ${CONTINUE} | ${CONTINUE} | ${undefined}
	${'status 101'} | ${answered(101)} | ${`${SWITCHED}\r\n`} | ${'x'} | ${undefined}
	${'an upgrade'} | ${TIMED_OUT} | ${`${SWITCHED}Upgrade: x\r\nConnection: upgrade\r\n\r\n`} | ${'x'} | ${undefined}
	${'a 200 without end'} | ${failed('RESPONSE_TOO_LARGE')} | ${OK + CHUNKED} | ${FLOOD} | ${20_000}
	${'a 400 without end: the status decides'} | ${answered(400, SHORT)} | ${BAD + CHUNKED} | ${FLOOD} | ${20_000}
	${'a 200 that breaks off'} | ${BROKEN} | ${`${OK}Content-Length: 100\r\n\r\n{"id":`} | ${undefined} | ${undefined}
	${'a 400 that breaks off: the status decides'} | ${answered(400, { text: '{"error":' })} | ${`${BAD}Content-Length: 100\r\n\r\n{"error":`} | ${undefined} | ${undefined}
	${'a connection that is reset'} | ${BROKEN} | ${'reset'} | ${undefined} | ${undefined}
	${'a connection that ends'} | ${BROKEN} | ${''} | ${undefined} | ${undefined}
	${'something that is not HTTP'} | ${BROKEN} | ${'SSH-2.0-OpenSSH_9.6\r\n'} | ${undefined} | ${undefined}
`('a response is bounded, and its one connection closed: $name', async (row: Row) => {
	const server = await rawServer(row.answer, row.drip);
	const response = await send(server.url, row.timeout);
	expect(response).toMatchObject(row.result);
	if ('text' in response) expect(response.text.length).toBeLessThan(1_200_000);
	while (server.closed === 0) await sleep(5);
	expect(server.connections).toBe(1);
});

it.concurrent("a connection that isn't accepted: nothing was sent", async () => {
	const response = await send(await fullPort(), 1000);
	expect(response).toEqual({ ...TIMED_OUT, notSent: true });
});

it.concurrent.each(['nothing', 'reset', '', `${BAD}\r\n`])(
	'a TLS handshake that gets %j: nothing was sent',
	async (answer) => {
		const server = await rawServer(answer);
		const result = await send(server.url.replace('http:', 'https:'));
		expect(result).toMatchObject({ kind: 'failed', notSent: true });
		while (server.closed === 0) await sleep(5);
		expect(server.connections).toBe(1);
	},
);

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

describe('behind a proxy', () => {
	afterEach(() => void delete process.env.HTTPS_PROXY);

	it.each([
		[403, 'rejected the connection', 'allow the host'],
		[407, 'asks for a sign-in', 'proxy settings of n8n'],
		[502, "couldn't connect to it", 'try again later'],
		[503, "couldn't connect to it", 'try again later'],
	])('that answers CONNECT with %i: it %s', async (status, what, fix) => {
		const proxy = await rawServer(`HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\nNo`);
		process.env.HTTPS_PROXY = proxy.url;
		const response = await send('https://service.example');
		expect(response).toEqual({
			kind: 'blocked',
			status,
			title: `A proxy between n8n and the service ${what} (${status})`,
			description: expect.stringContaining(fix) as string,
		});
		expect(proxy.asked).toMatch(/^CONNECT service\.example:443/);
		expect(proxy.asked).not.toContain(KEY);
	});

	it('that says nothing, and one that is not there: nothing was sent', async () => {
		for (const url of [(await rawServer('')).url, await closedPort()]) {
			process.env.HTTPS_PROXY = url;
			await expect(send('https://service.example')).resolves.toMatchObject({ notSent: true });
		}
	});
});
