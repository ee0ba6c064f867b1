/** A Redis of its own: own port, own folder, gone with the run. */
import path from 'node:path';
import { start, poll } from '../../../scripts/lib/child.cts';
import { freePort } from '../../../scripts/lib/ports.cts';
import { fromN8n } from '../../n8n/release.cts';
import { redis } from '../settings.cts';
import { asUser, ownFolder, redisServer } from './installed.cts';

/** What is used of n8n's own client library. */
type RedisClass = new (
	port: number,
	host: string,
) => {
	ping(): Promise<string>;
	info(section: string): Promise<string>;
	pttl(key: string): Promise<number>;
	disconnect(): void;
};

export async function startRedis(folder: string) {
	const port = await freePort();
	const home = ownFolder(path.join(folder, 'redis'));
	const where = ['--bind', '127.0.0.1', '--port', String(port), '--dir', home];
	const child = await start(...asUser(redisServer()!, [...where, ...redis]), {
		cwd: home,
	});
	await child.waitForOutput(/Ready to accept connections/, 30_000);

	const Redis = fromN8n('ioredis') as RedisClass;
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
