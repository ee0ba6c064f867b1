/**
 * n8n in queue mode, all of it on this machine: main, a webhook process, workers,
 * and what they need.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../../scripts/lib/temporaryFolder.cts';
import { startSandboxProcess } from '../../sandbox/process.cts';
import { signIn } from '../n8n/client.cts';
import { startN8n, type Instance } from '../n8n/instance.cts';
import { startPostgres, startRedis } from './services.cts';
import { settingsOf, type ProcessKind } from './settings.cts';
import { workflowMaker } from './workflows.cts';

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

export async function startCluster() {
	const { folder, remove } = temporaryFolder('outbound-scale-');
	// PostgreSQL runs as another user.
	fs.chmodSync(folder, 0o755);
	const running: Array<() => Promise<unknown>> = [async () => remove()];
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
					env: { ...settingsOf(kind), ...shared },
				}),
			);

		// The database is set up by the first one.
		const { url } = await boot('main');
		const client = await signIn(url);
		const workers: Instance[] = [];
		const removeWorker = async (worker: Instance, signal: NodeJS.Signals = 'SIGTERM') => {
			workers.splice(workers.indexOf(worker), 1);
			await worker.kill(signal);
		};
		const addWorker = async () => void workers.push(await boot('worker'));
		const [webhook] = await Promise.all([boot('webhook'), addWorker(), addWorker()]);

		return {
			webhook,
			workers,
			addWorker,
			removeWorker,
			/** Adds workers, or ends the latest, until so many run. */
			async setWorkers(count: number) {
				while (workers.length < count) await addWorker();
				while (workers.length > count) await removeWorker(workers.at(-1)!);
			},
			sandbox,
			redis,
			postgres,
			database,
			client,
			make: await workflowMaker(client, webhook.url, database, sandbox),
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
