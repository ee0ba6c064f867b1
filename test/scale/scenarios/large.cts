/** One execution with a long list on one worker: its lock, its memory, and how fast n8n still responds. */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../../scripts/lib/child.cts';
import type { Cluster } from '../cluster.cts';
import { reached, startsOf } from '../executions.cts';
import { size } from '../sizes.cts';
import { customers } from '../workflows.cts';

const TIMEOUT_MS = 600_000;

export async function large(cluster: Cluster) {
	const rows: Record<string, Awaited<ReturnType<typeof one>>> = {};
	for (const messages of size.large.sizes)
		rows[`${messages.toLocaleString('en')} messages`] = await one(cluster, messages);
	return rows;
}

async function one({ sandbox, database, make, workers, redis }: Cluster, messages: number) {
	const big = await make.list('One long list');
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
	const work = big.ended(1, TIMEOUT_MS);
	const [[ended], locks, answers, memory] = await Promise.all([
		work,
		watch(work, 500, async () => await redis.pttl(`bull:jobs:${job}:lock`)),
		watch(work, 50, async () => await answerTime(worker.url)),
		watch(work, 200, () => memoryOf(worker.pid)),
	]);
	// The key is gone once the job has ended, which can be before the execution is marked.
	const lockTimes = locks.filter((left) => left >= 0);
	return {
		messages,
		status: ended.status,
		once: (await reached(sandbox, customers(messages))).once,
		starts: startsOf(workers).filter(({ id }) => id === ended.id).length,
		seconds: ended.seconds,
		leastLockMs: Math.min(...lockTimes),
		locksSeen: lockTimes.length,
		longestSilenceMs: Math.round(Math.max(...answers)),
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
