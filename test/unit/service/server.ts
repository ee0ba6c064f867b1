/* eslint-disable @n8n/community-nodes/no-restricted-imports,
	@n8n/community-nodes/no-restricted-globals -- tests run on a developer's machine */
import { createServer } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';

type Answer = [status: number, body?: string | Buffer, headers?: OutgoingHttpHeaders];

/** At which nothing responds. */
export const CLOSED_PORT = 'http://127.0.0.1:1';

const closing: Array<() => void> = [];

async function listening(server: Server): Promise<string> {
	closing.push(() => server.close());
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * A service that keeps what arrives, byte for byte, and answers 400 without a body unless it
 * is told otherwise.
 */
export async function recordingServer(
	answer: (headers: string[]) => Promise<Answer> | Answer = () => [400],
) {
	/** Headers are names and values in turn, as they were written. */
	const arrived: Array<{ method?: string; url?: string; headers: string[]; body: string }> = [];
	const server = createServer((request, response) => {
		void text(request).then(async (body) => {
			const { method, url, rawHeaders: headers } = request;
			arrived.push({ method, url, headers, body });
			const [status, said, sent] = await answer(headers);
			response.writeHead(status, sent).end(said);
		});
	});
	closing.push(() => server.closeAllConnections());
	return { url: await listening(server), arrived };
}

/**
 * A server that accepts a connection, and does what it is told with the bytes that arrive.
 * @param answer to the first bytes; also `nothing` or `reset`
 * @param drip what comes after the answer, every 20 ms until the connection is closed
 */
export async function rawServer(answer: string, drip?: string) {
	let close = () => {};
	const closed = new Promise<void>((resolve) => (close = resolve));
	/** `asked` has the first bytes of each connection, and `closed` waits for the end of one. */
	const seen = { url: '', connections: 0, asked: '', closed };
	const server = createTcpServer((socket) => {
		seen.connections++;
		let interval: NodeJS.Timeout | undefined;
		socket.on('error', () => {});
		socket.on('close', () => {
			clearInterval(interval);
			close();
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

export const closeServers = () => closing.splice(0).forEach((close) => close());
