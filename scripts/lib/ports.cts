/** Ports on the loopback interface. */
import { execFileSync } from 'node:child_process';
import net from 'node:net';

/** @param preferred taken when nothing listens there; otherwise the system picks a free one */
export async function freePort(preferred = 0): Promise<number> {
	try {
		return await tryPort(preferred);
	} catch {
		return await tryPort(0);
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
