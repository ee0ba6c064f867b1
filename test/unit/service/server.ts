/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests run on a developer's machine */
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
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

async function listening(server: Server): Promise<string> {
	servers.push(server);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A service that keeps what arrives, byte for byte, and answers 400. */
export async function recordingServer(): Promise<{ url: string; arrived: Arrived[] }> {
	const arrived: Arrived[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const { method, url, rawHeaders } = request;
			arrived.push({ method, url, headers: rawHeaders, body: Buffer.concat(chunks).toString() });
			response.writeHead(400).end();
		});
	});
	return { url: await listening(server), arrived };
}

/** A service that lets a connection come about, and does what it is told with the bytes that arrive. */
export async function rawServer(
	answer: 'nothing' | 'reset' | string,
): Promise<{ url: string; connections: () => number }> {
	let connections = 0;
	const server = createTcpServer((socket) => {
		connections++;
		socket.on('error', () => {});
		socket.once('data', () => {
			if (answer === 'reset') socket.resetAndDestroy();
			else if (answer !== 'nothing') socket.end(answer);
		});
	});
	return { url: await listening(server), connections: () => connections };
}

/** An address at which nothing answers. */
export async function closedPort(): Promise<string> {
	const server = createTcpServer();
	const url = await listening(server);
	await new Promise((resolve) => server.close(resolve));
	return url;
}

function closeServers(): void {
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
		closeServers();
		nock.abortPendingRequests();
		nock.cleanAll();
		nock.enableNetConnect();
	});

	afterAll(() => nock.restore());
}
