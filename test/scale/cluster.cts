/** n8n in queue mode, all of it on this machine: main, a webhook process, workers, and what they need. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../../scripts/lib/temporaryFolder.cts';
import { startSandboxProcess } from '../../sandbox/process.cts';
import { signIn } from '../n8n/client.cts';
import { startN8n, type Instance } from '../n8n/instance.cts';
import { packNode } from '../n8n/package-under-test.cts';
import { ensureServices } from './services/installed.cts';
import { startPostgres } from './services/postgres.cts';
import { startRedis } from './services/redis.cts';
import { settingsOf, type ProcessKind } from './settings.cts';

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

export async function startCluster() {
	await ensureServices();
	const { folder, remove } = await temporaryFolder('outbound-scale-');
	const running: Array<() => Promise<unknown>> = [remove];
	/** Ends what was started, the latest first; one that will not end does not keep the others. */
	const stop = async () => {
		for (const end of running.splice(0).reverse()) await end().catch(console.error);
	};
	const keep = <T extends { stop(): Promise<unknown> }>(started: T): T => {
		running.push(started.stop);
		return started;
	};

	try {
		const sandbox = keep(await startSandboxProcess());
		const redis = keep(await startRedis(folder));
		const postgres = keep(await startPostgres(folder));
		const database = await postgres.createDatabase('n8n');
		const tarball = await packNode();
		const shared = {
			...redis.env,
			...database.env,
			N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
		};
		const boot = async (kind: ProcessKind) =>
			keep(
				await startN8n({
					command: kind === 'main' ? 'start' : kind,
					home: fs.mkdtempSync(path.join(folder, `${kind}-`)),
					package: tarball,
					env: { ...settingsOf(kind), ...shared },
				}),
			);

		// The database is set up by the first one.
		const main = await boot('main');
		const workers: Instance[] = [];
		const addWorker = async () => {
			const worker = await boot('worker');
			workers.push(worker);
			return worker;
		};
		const [webhook] = await Promise.all([boot('webhook'), addWorker(), addWorker()]);

		return {
			main,
			webhook,
			/** Those that run. */
			workers,
			addWorker,
			/** Ends a worker: in good order, or with a signal of one's own. */
			async removeWorker(worker: Instance, signal?: NodeJS.Signals) {
				workers.splice(workers.indexOf(worker), 1);
				await (signal ? worker.kill(signal) : worker.stop());
			},
			sandbox,
			redis: redis.client,
			postgres,
			database,
			client: await signIn(main.url),
			/** One n8n without a queue, on a database of its own. */
			async startAlone() {
				const alone = await postgres.createDatabase('alone');
				const { DB_TYPE, DB_POSTGRESDB_POOL_SIZE } = settingsOf('main');
				const { N8N_PAYLOAD_SIZE_MAX } = settingsOf('webhook');
				const own = { DB_TYPE, DB_POSTGRESDB_POOL_SIZE, N8N_PAYLOAD_SIZE_MAX };
				const home = fs.mkdtempSync(path.join(folder, 'alone-'));
				const n8n = await startN8n({ home, package: tarball, env: { ...alone.env, ...own } });
				return { n8n, database: alone };
			},
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
