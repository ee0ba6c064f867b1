/** Ports on the loopback interface. */
const { execFileSync } = require('node:child_process');
const net = require('node:net');

/**
 * @param {number} [preferred] taken when nobody listens there; otherwise the system picks a free one
 * @returns {Promise<number>}
 */
async function freePort(preferred = 0) {
	try {
		return await tryPort(preferred);
	} catch {
		return await tryPort(0);
	}
}

const tryPort = (port) =>
	new Promise((resolve, reject) => {
		const server = net.createServer().once('error', reject);
		server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
			const { port: taken } = server.address();
			server.close(() => resolve(taken));
		});
	});

/**
 * Who listens on a port, as far as this system can tell (`lsof` or `ss`, where there is one).
 *
 * @param {number} port
 */
function whoHolds(port) {
	const tools = [
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

module.exports = { freePort, whoHolds };
