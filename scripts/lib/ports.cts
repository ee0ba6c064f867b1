/** Ports on the loopback interface. */
import { randomInt } from 'node:crypto';
import net from 'node:net';

/** Below those that systems give to connections: what's free now is still free when a server has started. */
const anyPort = () => randomInt(10_000, 32_000);

/** @param preferred taken when nothing listens there; otherwise any free one */
export async function freePort(preferred = anyPort()): Promise<number> {
	return (await isInUse(preferred)) ? await freePort() : preferred;
}

const isInUse = (port: number) =>
	new Promise<boolean>((resolve) => {
		const socket = net.connect(port, '127.0.0.1', () => resolve(true));
		socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
	});
