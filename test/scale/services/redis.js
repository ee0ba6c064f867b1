/** A Redis of its own: own port, own folder, gone with the run. */
const path = require('node:path');
const { start, poll } = require('../../../scripts/lib/child.cts');
const paths = require('../../../scripts/lib/paths.cts');
const { freePort } = require('../../../scripts/lib/ports.cts');
const settings = require('../settings');
const { asUser, ownFolder, redisServer } = require('./installed');

/** @param {string} folder */
async function startRedis(folder) {
	const port = await freePort();
	const home = ownFolder(path.join(folder, 'redis'));
	const where = ['--bind', '127.0.0.1', '--port', String(port), '--dir', home];
	const child = await start(...asUser(redisServer(), [...where, ...settings.redis]), {
		cwd: home,
	});
	await child.waitForOutput(/Ready to accept connections/, 30_000);

	// n8n's own client library: no further package to install.
	const Redis = require(path.join(paths.n8n, 'node_modules/ioredis'));
	const client = new Redis(port, '127.0.0.1');
	await poll(async () => (await client.ping()) === 'PONG', { child, what: 'Redis to answer' });
	return {
		client,
		env: { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(port) },
		async stop() {
			client.disconnect();
			await child.stop();
		},
	};
}

module.exports = { startRedis };
