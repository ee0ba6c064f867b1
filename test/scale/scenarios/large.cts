/** One execution with a long list on one worker: its memory, and how fast n8n still responds. */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../../scripts/lib/child.cts';
import type { Cluster } from '../cluster.cts';
import { reached, startsOf } from '../executions.cts';
import { size } from '../sizes.cts';
import { customers, inBatches } from '../workflows.cts';

export async function large(cluster: Cluster) {
	const columns: Record<string, Awaited<ReturnType<typeof one>>> = {};
	for (const messages of size.large.sizes)
		columns[`${messages.toLocaleString('en')} messages`] = await one(cluster, messages);
	return columns;
}

async function one({ sandbox, make, workers }: Cluster, messages: number) {
	const big = await make.batches('One long list');
	await sandbox.reset([{ what: 'latency', ms: size.large.latency }]);
	const megabytesBefore = workers.map(({ pid }) => memoryOf(pid));
	await big.call(...inBatches(customers(messages), messages));

	const worker = await poll(
		async () => {
			const [row] = await big.executions();
			return startsOf(workers).find(({ id }) => id === row?.id)?.worker;
		},
		{ what: 'a worker to take the long list', timeoutMs: 60_000 },
	);
	let isOver = false;
	const work = big.ended(1).finally(() => (isOver = true));
	let slowestMs = 0;
	let megabytesAtPeak = 0;
	while (!isOver) {
		const asked = performance.now();
		await (await fetch(`${worker.url}/healthz`)).arrayBuffer();
		slowestMs = Math.max(slowestMs, performance.now() - asked);
		megabytesAtPeak = Math.max(megabytesAtPeak, memoryOf(worker.pid));
		await sleep(50);
	}
	const [{ id, status, seconds }] = await work;
	return {
		status,
		customersReached: await reached(sandbox, customers(messages)),
		startsOfTheJob: startsOf(workers).filter((start) => start.id === id).length,
		seconds,
		slowestResponseOfN8nInMs: Math.round(slowestMs),
		megabytesBefore: megabytesBefore[workers.indexOf(worker)],
		megabytesAtPeak,
	};
}

/** Megabytes of memory that a process holds now. */
function memoryOf(pid?: number): number {
	const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
	const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(status)!;
	return Math.round(Number(kilobytes) / 1024);
}
