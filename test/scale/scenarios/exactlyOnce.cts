/** A customer list over many executions: each customer gets exactly one message. */
import type { FaultRule } from '../../../sandbox/index.cts';
import type { Cluster } from '../cluster.cts';
import { countBy, reached, untilAccepted, type ExecutionRow } from '../executions.cts';
import { size } from '../sizes.cts';
import { customers, inBatches, inParts, type Sending } from '../workflows.cts';

export const plain = async (cluster: Cluster) => await send(cluster);

export async function rateLimits(cluster: Cluster) {
	const when = { probability: 0.05, seed: 7 };
	return await send(cluster, { faults: [{ what: 'rateLimit', retryAfter: 1, when }] });
}

/** The service rejects one customer of every batch once, as a wrong template or a closed window would. */
export async function retries(cluster: Cluster) {
	const { executions, perExecution, batch } = size.list;
	const batches = inParts(customers(executions * perExecution), batch);
	const recipient = batches.map((each) => each[Math.floor(each.length / 2)].customerId);
	const body = { error: 'Not yet', code: 'not_yet', success: false };
	const when = { recipient, perRecipientFirst: 1 };
	return await send(cluster, {
		settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 },
		faults: [{ what: 'status', status: 400, body, when }],
	});
}

/** A worker is told to stop in mid-batch, as an update does it: it ends what it has begun. */
export async function leave(cluster: Cluster) {
	const { sandbox, workers } = cluster;
	const { executions, perExecution, batch, latency } = size.leave;
	let leftAfterSeconds = 0;
	const sent = await send(cluster, {
		list: { executions, perExecution, batch, steps: 1 },
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
	{ list: { executions, perExecution, batch, steps } = size.list, ...how }: Case = {},
) {
	const { faults, meanwhile, ...sending } = how;
	const workflow = await make.batches('List', sending);
	const list = customers(executions * perExecution);
	await sandbox.reset(faults);

	/** What was there after each part of the list. */
	const growth: Array<Record<'messages' | 'seconds' | 'databaseMegabytes', number>> = [];
	const began = performance.now();
	const before = await database.megabytes();
	let ended: ExecutionRow[] = [];
	for (const calls of inParts(inBatches(list, perExecution, batch), executions / steps)) {
		await workflow.call(...calls);
		await meanwhile?.();
		ended = await workflow.ended(ended.length + calls.length);
		growth.push({
			messages: ended.length * perExecution,
			seconds: (performance.now() - began) / 1000,
			databaseMegabytes: (await database.megabytes()) - before,
		});
	}

	const { received, byStatus, duplicates } = await sandbox.summary();
	return {
		messages: list.length,
		executions,
		statuses: countBy(ended, 'status'),
		...(await reached(sandbox, list)),
		duplicates,
		requests: received,
		byStatus,
		growth,
	};
}
