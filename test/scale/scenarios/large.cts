/** One execution with a long list on one worker: its lock, its memory, and what it leaves to its neighbors. */
import { poll } from '../../../scripts/lib/child.cts';
import type { Database } from '../services/postgres.cts';
import type { Cluster } from '../cluster.cts';
import type { Instance } from '../../n8n/instance.cts';
import { allEnded, post, reached, startsOf } from '../lib/executions.cts';
import { answerTime, memoryOf, watch } from '../lib/watch.cts';
import { settingsOf } from '../settings.cts';
import { customers, type WorkflowMaker } from '../workflows.cts';

/** Neighbors come in waves, and those of one wave end at the same moment. */
const WAVE_EVERY_MS = 3_000;
const WAVE_LASTS_MS = 2_000;
/** More than the other workers can run at a time, so that some of each wave have to run beside the long list. */
const waveSize = (workers: Instance[]) =>
	(workers.length - 1) * Number(settingsOf('worker').N8N_CONCURRENCY_PRODUCTION_LIMIT) + 3;
const TIMEOUT_MS = 600_000;

interface Size {
	/** Messages of one execution, in ascending order. */
	sizes: number[];
	/** Of the service, in ms: the list still runs when the first wave comes. */
	latency: number;
}

export async function large(cluster: Cluster, make: WorkflowMaker, { sizes, latency }: Size) {
	const big = await make.list('One long list');
	const small = await make.together('Neighbor');
	const rows: Array<Awaited<ReturnType<typeof one>>> = [];
	let neighbors = 0;
	for (const messages of sizes) {
		const row = await one(cluster, {
			...{ big, small, messages, latency, before: rows.length, neighbors },
		});
		neighbors = row.neighborsInAll;
		rows.push(row);
	}
	return rows;
}

interface Task {
	big: { id: string; path: string };
	small: { id: string; path: string };
	messages: number;
	latency: number;
	/** Executions of either so far. */
	before: number;
	neighbors: number;
}

async function one(cluster: Cluster, { big, small, messages, latency, before, neighbors }: Task) {
	const { sandbox, database, webhook, workers, redis } = cluster;
	await sandbox.reset([{ what: 'latency', ms: latency }]);
	const databaseBefore = await database.size();
	const memory = watchWorkers(workers);
	await post(webhook.url, big.path, { customers: customers(messages) });

	const place = await findWorker(database, big, workers, before);
	const lock = watch(async () => await redis.pttl(`bull:jobs:${place.job}:lock`), 500);
	const answers = watch(async () => await answerTime(place.worker.url), 50);
	let called = neighbors;
	/** When the wave of each neighbor ends its wait. */
	const ends: Date[] = [];
	const crowd = watch(async () => {
		const at = new Date(Date.now() + WAVE_LASTS_MS);
		const wave = customers(waveSize(workers), 900_000 + called);
		await Promise.all(
			wave.map((each) => post(webhook.url, small.path, { ...each, at: at.toISOString() })),
		);
		called += wave.length;
		ends.push(...wave.map(() => at));
	}, WAVE_EVERY_MS);

	const [ended, locks, answerTimes] = await (async () => {
		try {
			const executions = await allEnded(database, big.id, before + 1, { timeoutMs: TIMEOUT_MS });
			return [executions.at(-1)!, await lock.end(), await answers.end()];
		} finally {
			await Promise.all([lock.end(), answers.end(), crowd.end()]);
		}
	})();
	const others = (await allEnded(database, small.id, called))
		.slice(neighbors)
		.map((each, index) => ({ ...each, waitedUntil: ends[index] }));
	const megabytes = (await memory.end())[workers.indexOf(place.worker)];

	const starts = startsOf(workers);
	const beside = others.filter(
		({ id, startedAt }) =>
			starts.get(String(id))?.[0] === place.worker && startedAt < ended.stoppedAt,
	);
	return {
		messages,
		status: ended.status,
		once: (await reached(cluster, customers(messages))).once,
		starts: starts.get(String(ended.id))!.length,
		seconds: (ended.stoppedAt.getTime() - ended.startedAt.getTime()) / 1000,
		// The key is gone once the job has ended, which can be before the execution is marked.
		leastLockMs: Math.min(...locks.filter((left) => left >= 0)),
		locksSeen: locks.filter((left) => left >= 0).length,
		longestSilenceMs: Math.round(Math.max(...answerTimes)),
		neighborsBeside: beside.length,
		slowestNeighborMs: Math.max(
			0,
			...beside.map(
				({ startedAt, stoppedAt, waitedUntil }) =>
					stoppedAt.getTime() - Math.max(startedAt.getTime(), waitedUntil.getTime()),
			),
		),
		neighborsFailed: others.filter(({ status }) => status !== 'success').length,
		neighborsInAll: called,
		megabytesBefore: megabytes[0],
		megabytesPeak: Math.max(...megabytes),
		databaseMegabytes: ((await database.size()) - databaseBefore) / 2 ** 20,
	};
}

/** Memory of each worker over time, one list for each. */
function watchWorkers(workers: Instance[]) {
	const watches = workers.map(({ pid }) => watch(() => memoryOf(pid), 200));
	return { end: async () => await Promise.all(watches.map(async (each) => await each.end())) };
}

async function findWorker(
	database: Database,
	workflow: { id: string },
	workers: Instance[],
	before: number,
) {
	return await poll(
		async () => {
			const [row] = (
				await database.query<{ id: number }>(
					`SELECT id FROM execution_entity WHERE "workflowId" = $1 ORDER BY id`,
					[workflow.id],
				)
			).slice(before);
			if (!row) return undefined;
			for (const worker of workers) {
				const line = new RegExp(`Worker started execution ${row.id} \\(job (\\d+)\\)`);
				const [, job] = worker.output().match(line) ?? [];
				if (job) return { worker, job };
			}
			return undefined;
		},
		{ what: 'a worker to take the long list', timeoutMs: 60_000 },
	);
}
