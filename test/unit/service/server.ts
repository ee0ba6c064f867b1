/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- tests run on a developer's machine */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import nock from 'nock';

/** A request as it came over the wire. */
export interface Arrived {
	method?: string;
	url?: string;
	/** Names and values in turn, as they were written. */
	headers: string[];
	body: string;
}

const servers: Server[] = [];
const sockets: Socket[] = [];
const processes: ChildProcess[] = [];

async function listening(server: Server): Promise<string> {
	servers.push(server);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A service that keeps what arrives, byte for byte, and answers 400 without a body unless it is told otherwise. */
export async function recordingServer(
	answer: (request: Arrived) => Promise<[number, string?]> = async () => [400],
): Promise<{ url: string; arrived: Arrived[] }> {
	const arrived: Arrived[] = [];
	const server = createServer((request, response) => {
		void text(request).then(async (body) => {
			const { method, url, rawHeaders: headers } = request;
			const received = { method, url, headers, body };
			arrived.push(received);
			const [status, said] = await answer(received);
			response.writeHead(status).end(said);
		});
	});
	return { url: await listening(server), arrived };
}

export interface RawServer {
	url: string;
	connections: number;
	closed: number;
	/** The first bytes of each connection. */
	asked: string;
}

/**
 * A server that accepts a connection, and does what it is told with the bytes that arrive.
 * @param answer to the first bytes; also `nothing` or `reset`
 * @param drip what comes after the answer, every 20 ms until the connection is closed
 */
export async function rawServer(answer: string, drip?: string): Promise<RawServer> {
	const seen: RawServer = { url: '', connections: 0, closed: 0, asked: '' };
	const server = createTcpServer((socket) => {
		seen.connections++;
		let interval: NodeJS.Timeout | undefined;
		socket.on('error', () => {});
		socket.on('close', () => {
			clearInterval(interval);
			seen.closed++;
		});
		socket.once('data', (data) => {
			seen.asked += String(data);
			if (answer === 'reset') socket.resetAndDestroy();
			else if (drip !== undefined) {
				socket.write(answer);
				interval = setInterval(() => socket.writableLength === 0 && socket.write(drip), 20);
			} else if (answer !== 'nothing') socket.end(answer);
		});
	});
	seen.url = await listening(server);
	return seen;
}

/** A port that takes no further connection, so that n8n's first packet is dropped: its process sleeps, its queue is full. */
export async function fullPort(): Promise<string> {
	const code = `const server = require('node:net').createServer();
		server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
			require('node:fs').writeSync(1, String(server.address().port));
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
		});`;
	const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
	processes.push(child);
	const [data] = (await once(child.stdout, 'data')) as [Buffer];
	const port = Number(String(data));
	for (;;) {
		const socket = connect(port, '127.0.0.1').on('error', () => {});
		sockets.push(socket);
		const connected = once(socket, 'connect').then(() => true);
		// On a busy machine the timer is seen before the connection: that gets another turn of the event loop.
		const late = sleep(300).then(() => new Promise<boolean>((end) => setImmediate(end, false)));
		if (!(await Promise.race([connected, late]))) return `http://127.0.0.1:${port}`;
	}
}

/** A URL at which nothing responds. */
export async function closedPort(): Promise<string> {
	const server = createTcpServer();
	const url = await listening(server);
	await new Promise((resolve) => server.close(resolve));
	return url;
}

export function closeServers(): void {
	for (const socket of sockets.splice(0)) socket.destroy();
	for (const child of processes.splice(0)) child.kill('SIGKILL');
	for (const server of servers.splice(0)) {
		if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
		server.close();
	}
}

/** Nothing but the servers of a test can be reached in this file, and nothing of one test is left for the next. */
export function loopbackOnly(): void {
	beforeEach(() => {
		nock.disableNetConnect();
		nock.enableNetConnect(/^(127\.0\.0\.1|nowhere\.invalid)/);
	});

	afterEach(() => {
		jest.useRealTimers();
		closeServers();
		nock.abortPendingRequests();
		nock.cleanAll();
		nock.enableNetConnect();
	});

	afterAll(() => nock.restore());
}
