/**
 * What happens in queue mode beside the campaign: workers that end, long lists, lists that come at
 * the same moment.
 */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../scripts/lib/child.cts';
import type { Execution } from '../n8n/execution.cts';
import type { Cluster } from './cluster.cts';
import { countBy, reached, startsOf } from './executions.cts';
import { size } from './sizes.cts';
import { customers, inBatches } from './workflows.cts';

/** Longer than n8n needs to notice (see examples/queue-mode/compose.yaml). */
const NOTICED_MS = 150_000;

/**
 * Calls a workflow for a list and waits until the service has accepted more than this share of it.
 */
async function begun({ sandbox, make }: Cluster, of: typeof size.kill, share: number) {
	const workflow = await make.batches('List', { options: { maxConcurrency: 5 } });
	const list = customers(of.executions * of.perExecution);
	await sandbox.reset([{ what: 'latency', ms: of.latency }]);
	await workflow.call(...inBatches(list, of.perExecution, of.batch));
	await poll(async () => (await sandbox.summary()).accepted > list.length * share, {
		what: 'messages to be sent',
	});
	return { workflow, list };
}

/**
 * A worker dies in mid-batch and another one comes: what n8n does with its jobs, and what becomes
 * of messages without a key.
 */
export async function kill(cluster: Cluster) {
	const { sandbox, client, workers } = cluster;
	const { workflow, list } = await begun(cluster, size.kill, 0.25);
	const [victim] = workers;
	await cluster.removeWorker(victim, 'SIGKILL');
	const killedAt = new Date();
	await cluster.addWorker();

	await workflow.ended(size.kill.executions, NOTICED_MS);
	const rows = await workflow.executions();
	const starts = startsOf([victim, ...workers]);
	const dead = rows.filter(
		({ id, stoppedAt }) =>
			starts.find((start) => start.id === id)?.worker === victim && stoppedAt > killedAt,
	);
	const others = rows.filter((row) => !dead.includes(row));
	const noticed = dead.map(({ stoppedAt }) => (stoppedAt.getTime() - killedAt.getTime()) / 1000);
	const afterTheCrash = await reached(sandbox, list);
	const retried: Execution[] = [];
	for (const { id } of dead) retried.push(await client.retry(String(id)));
	return {
		messages: list.length,
		deadExecutions: dead.length,
		deadStatuses: countBy(dead, 'status'),
		otherStatuses: countBy(others, 'status'),
		startedTwice: starts.length - new Set(starts.map(({ id }) => id)).size,
		noticedAfterSeconds: Math.max(...noticed),
		afterTheCrash,
		retries: countBy(retried, 'status'),
		afterRetries: await reached(sandbox, list),
	};
}

/**
 * A worker is told to stop in mid-batch, as an update does it: it ends what it has begun, and each
 * customer gets exactly one message.
 */
export async function leave(cluster: Cluster) {
	const { workflow, list } = await begun(cluster, size.leave, 0.2);
	const told = Date.now();
	await cluster.removeWorker(cluster.workers[0]);
	const secondsUntilItHadEnded = (Date.now() - told) / 1000;
	await cluster.setWorkers(2);

	const statuses = countBy(await workflow.ended(size.leave.executions), 'status');
	const customersReached = await reached(cluster.sandbox, list);
	return { messages: list.length, statuses, customersReached, secondsUntilItHadEnded };
}

const AT_ONCE = 6;
/** What a process leaves that was killed while it claimed a key. */
const LEFT_LOCK = `INSERT INTO processed_data ("workflowId", context, value)
	VALUES ($1, '', '{"mode":"outboundMessaging.lock","data":["of a process that was killed"]}')`;

/**
 * A list that comes several times at the same moment, to two workers, and once more later: what the
 * Send Once Key makes of it.
 */
export async function sendOnce({ sandbox, database, make, workers }: Cluster) {
	const workflow = await make.batches('Several at once', {
		options: { maxConcurrency: 5 },
		safeguards: { sendOnceKey: 'spring-sale' },
	});
	const list = customers(size.sendOnce);
	const [call] = inBatches(list, list.length);
	await sandbox.reset();
	await database.query(LEFT_LOCK, [workflow.senderId]);
	await Promise.all(Array.from({ length: AT_ONCE }, async () => await workflow.call(call)));
	const rows = await workflow.ended(AT_ONCE);
	const starts = startsOf(workers).filter(({ id }) => rows.some((row) => row.id === id));
	const atOnce = await reached(sandbox, list);

	await workflow.call(call);
	const statuses = countBy(await workflow.ended(AT_ONCE + 1), 'status');
	return {
		messages: list.length,
		workers: new Set(starts.map(({ worker }) => worker)).size,
		statuses,
		atOnce,
		onceMoreLater: await reached(sandbox, list),
	};
}

/** One execution with a long list on one worker: its memory, and how fast n8n still responds. */
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
	const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))!;
	return Math.round(Number(kilobytes) / 1024);
}

/** A question that one worker asked, and the answer that another one continues with. */
export async function question({ sandbox, make, webhook, client, ...cluster }: Cluster) {
	const workflow = await make.question();
	await sandbox.reset();
	await workflow.call({ customerId: '42' });
	const isWaiting = async () => (await workflow.executions())[0]?.status === 'waiting';
	await poll(isWaiting, { what: 'the execution to wait' });
	const asked = [...cluster.workers];
	await Promise.all([cluster.addWorker(), cluster.addWorker()]);
	for (const worker of asked) await cluster.removeWorker(worker);

	const [{ body }] = (await sandbox.ledger()).entries;
	const link = new URL((body as { text: string }).text.split('\n').at(-1)!);
	// The worker doesn't know the URL of the process that takes webhooks.
	link.port = new URL(webhook.url).port;
	const answer = new URLSearchParams({ answer: '0' });
	const response = await fetch(link, { method: 'POST', body: answer });
	const [{ id, status }] = await workflow.ended(1);
	const execution = await client.execution(String(id));
	return { answered: response.status, status, items: execution.items('Outbound Messaging') };
}
