/** Ports on the loopback interface. */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import net from 'node:net';

/** Below those that systems give to connections: what's free now is still free when a server has started. */
const FIRST = 10_000;
const LAST = 32_000;

const anyPort = () => randomInt(FIRST, LAST);

/** @param preferred taken when nothing listens there; otherwise any free one */
export async function freePort(preferred = anyPort(), tries = 20): Promise<number> {
	try {
		return await tryPort(preferred);
	} catch (error) {
		if (tries === 0) throw error;
		return await freePort(anyPort(), tries - 1);
	}
}

const tryPort = (port: number) =>
	new Promise<number>((resolve, reject) => {
		const server = net.createServer().once('error', reject);
		server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
			const { port: taken } = server.address() as net.AddressInfo;
			server.close(() => resolve(taken));
		});
	});

/** Which program listens on a port, as far as this system can tell (`lsof` or `ss`, where there is one). */
export function portOwner(port: number): string {
	const tools: Array<[string, string[], RegExp, number, number]> = [
		['lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], /p(\d+)\nc(.+)/, 2, 1],
		['ss', ['-Hltnp', `sport = :${port}`], /\(\("([^"]+)",pid=(\d+)/, 1, 2],
	];
	for (const [tool, args, pattern, name, pid] of tools) {
		try {
			const found = execFileSync(tool, args, { encoding: 'utf8', stdio: 'pipe' }).match(pattern);
			if (found) return `${found[name]} (process ${found[pid]})`;
		} catch {
			// Not installed, or nothing it may see: the next tool.
		}
	}
	return 'another program';
}
