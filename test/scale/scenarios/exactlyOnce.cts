/** A customer list over many executions: each customer gets exactly one message. */
import { poll } from '../../../scripts/lib/child.cts';
import type { FaultRule } from '../../../sandbox/index.cts';
import type { Cluster } from '../cluster.cts';
import { allEnded, countBy, post, reached, type ExecutionRow } from '../lib/executions.cts';
import type { Sizes } from '../sizes.cts';
import { asBatches, customers, inParts, type Sending, type WorkflowMaker } from '../workflows.cts';

type ListSize = Sizes['list'];

export const plain = async (cluster: Cluster, make: WorkflowMaker, size: ListSize) =>
	await send(cluster, make, size, {});

export async function rateLimits(cluster: Cluster, make: WorkflowMaker, size: ListSize) {
	const when = { probability: 0.05, seed: 7 };
	const faults: FaultRule[] = [{ what: 'rateLimit', retryAfter: 1, when }];
	return await send(cluster, make, size, { faults });
}

/** The service rejects one customer of every batch once, as a wrong template or a closed window would. */
export async function retries(cluster: Cluster, make: WorkflowMaker, size: ListSize) {
	const list = customers(size.executions * size.perExecution);
	const recipient = inParts(list, size.batch).map(
		(part) => part[Math.floor(part.length / 2)].customerId,
	);
	const body = { error: 'Not yet', code: 'not_yet', success: false };
	const when = { recipient, perRecipientFirst: 1 };
	return await send(cluster, make, size, {
		settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 },
		faults: [{ what: 'status', status: 400, body, when }],
	});
}

/** A worker is told to stop in mid-batch, as an update does it: it ends what it has begun. */
export async function leave(
	cluster: Cluster,
	make: WorkflowMaker,
	{ latency, ...size }: Sizes['leave'],
) {
	const { sandbox, workers } = cluster;
	let leftAfterSeconds = 0;
	const sent = await send(cluster, make, size, {
		options: { maxConcurrency: 5 },
		faults: [{ what: 'latency', ms: latency }],
		async meanwhile() {
			const fifth = size.executions * size.perExecution * 0.2;
			const isSent = async () => (await sandbox.summary()).accepted > fifth;
			await poll(isSent, { what: 'a fifth of the messages to be sent' });
			const told = Date.now();
			await cluster.removeWorker(workers[0], 'SIGTERM');
			leftAfterSeconds = (Date.now() - told) / 1000;
			while (workers.length < 2) await cluster.addWorker();
		},
	});
	return { ...sent, leftAfterSeconds };
}

/** What is different from a plain list. */
interface Case extends Sending {
	faults?: FaultRule[];
	/** When all webhooks were called. */
	meanwhile?(): Promise<void>;
}

async function send(
	cluster: Cluster,
	make: WorkflowMaker,
	{ executions, perExecution, batch, steps = 1 }: Omit<ListSize, 'steps'> & { steps?: number },
	{ faults, meanwhile, ...how }: Case,
) {
	const { sandbox, database, webhook } = cluster;
	const workflow = await make.batches('List', how);
	const list = customers(executions * perExecution);
	const calls = inParts(list, perExecution).map((part) => asBatches(part, batch));
	await sandbox.reset(faults);

	/** What was there after each part of the list. */
	const growth: Array<Record<'messages' | 'seconds' | 'databaseMegabytes', number>> = [];
	const began = performance.now();
	const before = await database.size();
	let ended: ExecutionRow[] = [];
	for (const step of inParts(calls, Math.ceil(calls.length / steps))) {
		for (const call of step) await post(webhook.url, workflow.path, call);
		await meanwhile?.();
		ended = await allEnded(database, workflow.id, ended.length + step.length);
		growth.push({
			messages: ended.length * perExecution,
			seconds: (performance.now() - began) / 1000,
			databaseMegabytes: ((await database.size()) - before) / 2 ** 20,
		});
	}

	const { received, byStatus, duplicates } = await sandbox.summary();
	return {
		messages: list.length,
		executions,
		statuses: countBy(ended, ({ status }) => status),
		...(await reached(cluster, list)),
		duplicates,
		requests: received,
		byStatus,
		growth,
	};
}
