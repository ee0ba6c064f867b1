/** A Redis of its own: own port, own folder, gone with the run. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { start } from '../../../scripts/lib/child.cts';
import * as paths from '../../../scripts/lib/paths.cts';
import { freePort } from '../../../scripts/lib/ports.cts';
import { redisArguments } from '../settings.cts';
import { asUser, ownFolder, redisServer } from './installed.cts';

/** What is used of n8n's own client library: no further package to install. */
type RedisClass = new (
	port: number,
	host: string,
) => {
	info(section: string): Promise<string>;
	pttl(key: string): Promise<number>;
	disconnect(): void;
};

export async function startRedis(folder: string) {
	const port = await freePort();
	const home = ownFolder(path.join(folder, 'redis'));
	const where = ['--bind', '127.0.0.1', '--port', String(port), '--dir', home];
	const command = asUser(redisServer()!, [...where, ...redisArguments]);
	const child = await start(...command, { cwd: home });
	await child.waitForOutput(/Ready to accept connections/, 30_000);

	const library = path.join(paths.n8n, 'node_modules/ioredis');
	const Redis = createRequire(__filename)(library) as RedisClass;
	const client = new Redis(port, '127.0.0.1');
	return {
		client,
		env: { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(port) },
		async stop() {
			client.disconnect();
			await child.stop();
		},
	};
}
