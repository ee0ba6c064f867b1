/** Ports on the loopback interface. */
import { randomInt } from 'node:crypto';
import net from 'node:net';

/** Below those that systems give to connections: what's free now is still free when a server has started. */
const FIRST = 10_000;
const LAST = 32_000;

const anyPort = () => randomInt(FIRST, LAST);

/** @param preferred taken when nothing listens there; otherwise any free one */
export async function freePort(preferred = anyPort(), tries = 20): Promise<number> {
	try {
		// Some systems let one program listen on all addresses and another one on this address alone.
		await tryPort(preferred, '::');
		return await tryPort(preferred, '127.0.0.1');
	} catch (error) {
		if (tries === 0) throw error;
		return await freePort(anyPort(), tries - 1);
	}
}

const tryPort = (port: number, host: string) =>
	new Promise<number>((resolve, reject) => {
		const server = net.createServer().once('error', (error: NodeJS.ErrnoException) =>
			// A system without IPv6 has no such address to be taken.
			error.code === 'EAFNOSUPPORT' || error.code === 'EADDRNOTAVAIL'
				? resolve(port)
				: reject(error),
		);
		server.listen({ port, host, exclusive: true }, () => {
			const { port: taken } = server.address() as net.AddressInfo;
			server.close(() => resolve(taken));
		});
	});
