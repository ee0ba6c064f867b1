/** One execution with a long list on one worker: its lock, its memory, and what it leaves to its neighbors. */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../../scripts/lib/child.cts';
import type { Cluster } from '../cluster.cts';
import { reached, startsOf } from '../executions.cts';
import { settingsOf } from '../settings.cts';
import { size } from '../sizes.cts';
import { customers } from '../workflows.cts';

/** Neighbors come in waves, and those of one wave end at the same moment. */
const WAVE_EVERY_MS = 3_000;
const WAVE_LASTS_MS = 2_000;
const TIMEOUT_MS = 600_000;

export async function large(cluster: Cluster) {
	const rows: Record<string, Awaited<ReturnType<typeof one>>> = {};
	for (const messages of size.large.sizes)
		rows[`${messages.toLocaleString('en')} messages`] = await one(cluster, messages);
	return rows;
}

async function one({ sandbox, database, make, workers, redis }: Cluster, messages: number) {
	const big = await make.list('One long list');
	const small = await make.together('Neighbor');
	await sandbox.reset([{ what: 'latency', ms: size.large.latency }]);
	const databaseBefore = await database.megabytes();
	const memoryBefore = workers.map(({ pid }) => memoryOf(pid));
	await big.call({ customers: customers(messages) });

	const takesIt = async () => {
		const [row] = await big.executions();
		return startsOf(workers).find(({ id }) => id === row?.id);
	};
	const what = 'a worker to take the long list';
	const { worker, job } = await poll(takesIt, { what, timeoutMs: 60_000 });
	// More than the other workers can run at a time, so that some of each wave have to run beside the long list.
	const others =
		(workers.length - 1) * Number(settingsOf('worker').N8N_CONCURRENCY_PRODUCTION_LIMIT);
	let from = 900_000;
	/** @returns how many */
	const callNeighbors = async () => {
		const at = new Date(Date.now() + WAVE_LASTS_MS);
		const wave = customers(others + 3, from);
		from += wave.length;
		await Promise.all(wave.map((each) => small.call({ ...each, at: at.toISOString() })));
		return wave.length;
	};

	const work = big.ended(1, TIMEOUT_MS);
	const [[ended], locks, answers, memory, waves] = await Promise.all([
		work,
		watch(work, 500, async () => await redis.pttl(`bull:jobs:${job}:lock`)),
		watch(work, 50, async () => await answerTime(worker.url)),
		watch(work, 200, () => memoryOf(worker.pid)),
		watch(work, WAVE_EVERY_MS, callNeighbors),
	]);
	const neighbors = await small.ended(waves.reduce((sum, count) => sum + count));

	const starts = startsOf(workers);
	const beside = neighbors.filter(
		(each) =>
			starts.find(({ id }) => id === each.id)?.worker === worker &&
			each.startedAt < ended.stoppedAt,
	);
	// The key is gone once the job has ended, which can be before the execution is marked.
	const lockTimes = locks.filter((left) => left >= 0);
	return {
		messages,
		status: ended.status,
		once: (await reached(sandbox, customers(messages))).once,
		starts: starts.filter(({ id }) => id === ended.id).length,
		seconds: ended.seconds,
		leastLockMs: Math.min(...lockTimes),
		locksSeen: lockTimes.length,
		longestSilenceMs: Math.round(Math.max(...answers)),
		neighborsOnSameWorker: beside.length,
		neighborsFailed: neighbors.filter(({ status }) => status !== 'success').length,
		megabytesBefore: memoryBefore[workers.indexOf(worker)],
		megabytesPeak: Math.max(...memory),
		databaseMegabytes: (await database.megabytes()) - databaseBefore,
	};
}

/** Looks at something again and again while work continues. @returns what was seen */
async function watch<T>(work: Promise<unknown>, everyMs: number, look: () => T | Promise<T>) {
	const seen: T[] = [];
	let isOver = false;
	void work.catch(() => {}).finally(() => (isOver = true));
	while (!isOver) {
		seen.push(await look());
		await sleep(everyMs);
	}
	return seen;
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
