/** A worker dies in mid-batch and another one comes: what n8n does with its jobs, and what becomes of messages without a key. */
import type { Cluster } from '../cluster.cts';
import type { Execution } from '../../n8n/execution.cts';
import { countBy, reached, startsOf, untilAccepted } from '../executions.cts';
import { size } from '../sizes.cts';
import { customers, inBatches } from '../workflows.cts';

/** Longer than n8n needs to notice (see examples/queue-mode/compose.yaml). */
const NOTICED_MS = 150_000;

export async function kill({ sandbox, client, workers, make, ...cluster }: Cluster) {
	const { executions, batch, latency } = size.kill;
	const workflow = await make.batches('Killed', { options: { maxConcurrency: 5 } });
	const list = customers(executions * batch * 2);
	await sandbox.reset([{ what: 'latency', ms: latency }]);
	await workflow.call(...inBatches(list, batch * 2, batch));

	await untilAccepted(sandbox, list.length * 0.25);
	const [victim] = workers;
	await cluster.removeWorker(victim, 'SIGKILL');
	const killedAt = new Date();
	await cluster.addWorker();

	await workflow.ended(executions, NOTICED_MS);
	const rows = await workflow.executions();
	const starts = startsOf([victim, ...workers]);
	const dead = rows.filter(
		({ id, stoppedAt }) =>
			starts.find((start) => start.id === id)?.worker === victim && stoppedAt > killedAt,
	);
	const noticed = dead.map(({ stoppedAt }) => (stoppedAt.getTime() - killedAt.getTime()) / 1000);
	const afterTheCrash = await reached(sandbox, list);
	const retried: Execution[] = [];
	for (const { id } of dead) {
		retried.push(await client.retry(String(id), { timeoutMs: 120_000 }));
	}
	return {
		messages: list.length,
		deadExecutions: dead.length,
		deadStatuses: countBy(dead, 'status'),
		otherStatuses: countBy(
			rows.filter((row) => !dead.includes(row)),
			'status',
		),
		startedTwice: starts.length - new Set(starts.map(({ id }) => id)).size,
		noticedAfterSeconds: Math.max(...noticed),
		afterTheCrash,
		retries: countBy(retried, 'status'),
		afterRetries: await reached(sandbox, list),
	};
}
