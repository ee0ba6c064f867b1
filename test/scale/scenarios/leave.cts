/** A worker is told to stop in mid-batch, as an update does it: it ends what it has begun, and each customer gets exactly one message. */
import type { Cluster } from '../cluster.cts';
import { countBy, reached, untilAccepted } from '../executions.cts';
import { size } from '../sizes.cts';
import { customers, inBatches } from '../workflows.cts';

export async function leave({ sandbox, make, workers, ...cluster }: Cluster) {
	const { executions, perExecution, batch, latency } = size.leave;
	const workflow = await make.batches('List', { options: { maxConcurrency: 5 } });
	const list = customers(executions * perExecution);
	await sandbox.reset([{ what: 'latency', ms: latency }]);
	await workflow.call(...inBatches(list, perExecution, batch));
	await untilAccepted(sandbox, list.length * 0.2);
	const told = Date.now();
	await cluster.removeWorker(workers[0]);
	const secondsUntilItHadEnded = (Date.now() - told) / 1000;
	await cluster.setWorkers(2);

	const statuses = countBy(await workflow.ended(executions), 'status');
	const customersReached = await reached(sandbox, list);
	return { messages: list.length, statuses, customersReached, secondsUntilItHadEnded };
}
