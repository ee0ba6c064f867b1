/** Ports on the loopback interface. */
import { randomInt } from 'node:crypto';
import net from 'node:net';
import { log } from './log.cts';

/** @param preferred taken when nothing listens there; otherwise any free one, and the log says so */
export async function freePort(preferred?: number): Promise<number> {
	// Below those that systems give to connections: what's free now is still free when a server has started.
	const port = preferred ?? randomInt(10_000, 32_000);
	if (!(await isInUse(port))) return port;
	if (preferred) log(`  Port ${preferred} is in use: another one is taken.`);
	return await freePort();
}

const isInUse = (port: number) =>
	new Promise<boolean>((resolve) => {
		const socket = net.connect(port, '127.0.0.1', () => resolve(true));
		socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
	});
