/** Ports on the loopback interface. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { log } from '../start.js';

/**
 * @param preferred taken when nothing listens there; otherwise any free one, and the log says so
 */
export async function freePort(preferred?: number, tries = 20): Promise<number> {
	// Below those that systems give to connections: what's free now is still free when a
	// server has started.
	const port = preferred ?? randomInt(10_000, 32_000);
	// Some systems let one program listen on all addresses and another one on this address alone.
	if ((await isFree(port, '::')) && (await isFree(port, '127.0.0.1'))) return port;
	if (tries === 0) throw new Error('no port was found that is free');
	if (preferred) log(`  Port ${preferred} is in use: another one is taken.`);
	return await freePort(undefined, tries - 1);
}

async function isFree(port: number, host: string): Promise<boolean> {
	const server = net.createServer().listen({ port, host, exclusive: true });
	try {
		await once(server, 'listening');
		return true;
	} catch (error) {
		// A system without IPv6 has no such address to be taken.
		return /EAFNOSUPPORT|EADDRNOTAVAIL/.test((error as NodeJS.ErrnoException).code!);
	} finally {
		await new Promise((resolve) => server.close(resolve));
	}
}
