/** A worker is told to stop in mid-batch, as an update does it: it ends what it has begun. */
import { poll } from '../../../scripts/lib/child.cts';
import type { Cluster } from '../cluster.cts';
import { allEnded, countBy, post, reached } from '../lib/executions.cts';
import { asBatches, customers, inParts, type WorkflowMaker } from '../workflows.cts';

interface Size {
	executions: number;
	batch: number;
	/** Of the service, in ms. */
	latency: number;
}

export async function leave(
	cluster: Cluster,
	make: WorkflowMaker,
	{ executions, batch, latency }: Size,
) {
	const { sandbox, database, webhook, workers } = cluster;
	const workflow = await make.batches('Worker leaves', { options: { maxConcurrency: 5 } });
	const list = customers(executions * batch * 2, 4_000_000);
	await sandbox.reset([{ what: 'latency', ms: latency }]);
	for (const part of inParts(list, batch * 2)) {
		await post(webhook.url, workflow.path, asBatches(part, batch));
	}
	await poll(async () => (await sandbox.summary()).accepted > list.length * 0.2, {
		what: 'a fifth of the messages to be sent',
	});

	const [leaver] = workers;
	const told = Date.now();
	await cluster.removeWorker(leaver, { signal: 'SIGTERM' });
	const leftAfterSeconds = (Date.now() - told) / 1000;
	while (workers.length < 2) await cluster.addWorker();

	const ended = await allEnded(database, workflow.id, executions);
	return {
		messages: list.length,
		executions,
		leftAfterSeconds,
		statuses: countBy(ended, ({ status }) => status),
		...(await reached(cluster, list)),
		duplicates: (await sandbox.summary()).duplicates,
	};
}
