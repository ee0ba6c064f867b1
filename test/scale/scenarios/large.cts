/** One execution with a long list on one worker: its lock, its memory, and what it leaves to its neighbors. */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../../scripts/lib/child.cts';
import type { Database } from '../services/postgres.cts';
import type { Cluster } from '../cluster.cts';
import type { Instance } from '../../n8n/instance.cts';
import { allEnded, executionsOf, post, reached, startsOf } from '../lib/executions.cts';
import { settingsOf } from '../settings.cts';
import type { Sizes } from '../sizes.cts';
import { customers, type WorkflowMaker } from '../workflows.cts';

/** Neighbors come in waves, and those of one wave end at the same moment. */
const WAVE_EVERY_MS = 3_000;
const WAVE_LASTS_MS = 2_000;
/** More than the other workers can run at a time, so that some of each wave have to run beside the long list. */
const waveSize = (workers: Instance[]) =>
	(workers.length - 1) * Number(settingsOf('worker').N8N_CONCURRENCY_PRODUCTION_LIMIT) + 3;
const TIMEOUT_MS = 600_000;

export async function large(
	cluster: Cluster,
	make: WorkflowMaker,
	{ sizes, latency }: Sizes['large'],
) {
	const rows: Array<Awaited<ReturnType<typeof one>>> = [];
	for (const messages of sizes) rows.push(await one(cluster, make, messages, latency));
	return rows;
}

async function one(cluster: Cluster, make: WorkflowMaker, messages: number, latency: number) {
	const { sandbox, database, webhook, workers, redis } = cluster;
	const big = await make.list('One long list');
	const small = await make.together('Neighbor');
	await sandbox.reset([{ what: 'latency', ms: latency }]);
	const databaseBefore = await database.size();
	const memoryBefore = workers.map(({ pid }) => memoryOf(pid));
	await post(webhook.url, big.path, { customers: customers(messages) });

	const place = await findWorker(database, big, workers);
	const lock = watch(async () => await redis.pttl(`bull:jobs:${place.job}:lock`), 500);
	const answers = watch(async () => await answerTime(place.worker.url), 50);
	const memory = watch(() => memoryOf(place.worker.pid), 200);
	/** When each neighbor ends its wait. */
	const ends: Date[] = [];
	const crowd = watch(async () => {
		const at = new Date(Date.now() + WAVE_LASTS_MS);
		const wave = customers(waveSize(workers), 900_000 + ends.length);
		await Promise.all(
			wave.map((each) => post(webhook.url, small.path, { ...each, at: at.toISOString() })),
		);
		ends.push(...wave.map(() => at));
	}, WAVE_EVERY_MS);

	const watches = [lock.end, answers.end, memory.end, crowd.end] as const;
	const [ended] = await allEnded(database, big.id, 1, { timeoutMs: TIMEOUT_MS }).finally(
		async () => await Promise.all(watches.map(async (end) => await end())),
	);
	const others = (await allEnded(database, small.id, ends.length)).map((each, index) => ({
		...each,
		waitedUntil: ends[index],
	}));

	const starts = startsOf(workers);
	const beside = others.filter(
		({ id, startedAt }) =>
			starts.get(String(id))?.[0] === place.worker && startedAt < ended.stoppedAt,
	);
	const slowness = beside.map(
		({ startedAt, stoppedAt, waitedUntil }) =>
			stoppedAt.getTime() - Math.max(startedAt.getTime(), waitedUntil.getTime()),
	);
	// The key is gone once the job has ended, which can be before the execution is marked.
	const lockTimes = (await lock.end()).filter((left) => left >= 0);
	return {
		messages,
		status: ended.status,
		once: (await reached(cluster, customers(messages))).once,
		starts: starts.get(String(ended.id))!.length,
		seconds: (ended.stoppedAt.getTime() - ended.startedAt.getTime()) / 1000,
		leastLockMs: Math.min(...lockTimes),
		locksSeen: lockTimes.length,
		longestSilenceMs: Math.round(Math.max(...(await answers.end()))),
		neighborsBeside: beside.length,
		slowestNeighborMs: Math.max(0, ...slowness),
		neighborsFailed: others.filter(({ status }) => status !== 'success').length,
		megabytesBefore: memoryBefore[workers.indexOf(place.worker)],
		megabytesPeak: Math.max(...(await memory.end())),
		databaseMegabytes: ((await database.size()) - databaseBefore) / 2 ** 20,
	};
}

const findWorker = async (database: Database, workflow: { id: string }, workers: Instance[]) =>
	await poll(
		async () => {
			const [row] = await executionsOf(database, workflow.id);
			for (const worker of row ? workers : []) {
				const line = new RegExp(`Worker started execution ${row.id} \\(job (\\d+)\\)`);
				const [, job] = worker.output().match(line) ?? [];
				if (job) return { worker, job };
			}
			return undefined;
		},
		{ what: 'a worker to take the long list', timeoutMs: 60_000 },
	);

/** Looks at something again and again while work continues. */
function watch<T>(look: () => T | Promise<T>, everyMs: number) {
	const seen: T[] = [];
	let over = false;
	const done = (async () => {
		while (!over) {
			seen.push(await look());
			await sleep(everyMs);
		}
	})();
	return {
		/** @returns what was seen */
		async end() {
			over = true;
			await done;
			return seen;
		},
	};
}

/** Megabytes of memory that a process holds now. */
function memoryOf(pid?: number): number {
	const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
	const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(status)!;
	return Math.round(Number(kilobytes) / 1024);
}

/** Milliseconds until a process of n8n answers a question that needs no work. */
async function answerTime(url: string): Promise<number> {
	const asked = performance.now();
	await (await fetch(`${url}/healthz`)).arrayBuffer();
	return performance.now() - asked;
}
