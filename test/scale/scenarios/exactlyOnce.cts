/** A customer list over many executions: each customer gets exactly one message. */
import type { FaultRule } from '../../../sandbox/index.cts';
import type { Cluster } from '../cluster.cts';
import { countBy, reached, untilAccepted } from '../executions.cts';
import { size } from '../sizes.cts';
import { customers, inBatches, type Sending } from '../workflows.cts';

export const plain = async (cluster: Cluster) => await send(cluster);

/** A worker is told to stop in mid-batch, as an update does it: it ends what it has begun. */
export async function leave(cluster: Cluster) {
	const { sandbox, workers } = cluster;
	const { executions, perExecution, batch, latency } = size.leave;
	let leftAfterSeconds = 0;
	const sent = await send(cluster, {
		list: { executions, perExecution, batch },
		options: { maxConcurrency: 5 },
		faults: [{ what: 'latency', ms: latency }],
		async meanwhile() {
			await untilAccepted(sandbox, executions * perExecution * 0.2);
			const told = Date.now();
			await cluster.removeWorker(workers[0]);
			leftAfterSeconds = (Date.now() - told) / 1000;
			await cluster.setWorkers(2);
		},
	});
	return { ...sent, leftAfterSeconds };
}

/** What is different from a plain list. */
interface Case extends Sending {
	list?: typeof size.list;
	faults?: FaultRule[];
	/** When all webhooks were called. */
	meanwhile?(): Promise<void>;
}

async function send(
	{ sandbox, database, make }: Cluster,
	{ list: { executions, perExecution, batch } = size.list, faults, meanwhile, ...how }: Case = {},
) {
	const workflow = await make.batches('List', how);
	const list = customers(executions * perExecution);
	await sandbox.reset(faults);

	const began = performance.now();
	const before = await database.megabytes();
	await workflow.call(...inBatches(list, perExecution, batch));
	await meanwhile?.();
	const ended = await workflow.ended(executions);
	const seconds = (performance.now() - began) / 1000;

	const { received, byStatus, duplicates } = await sandbox.summary();
	return {
		messages: list.length,
		executions,
		statuses: countBy(ended, 'status'),
		...(await reached(sandbox, list)),
		duplicates,
		requests: received,
		byStatus,
		seconds,
		databaseMegabytes: (await database.megabytes()) - before,
	};
}
