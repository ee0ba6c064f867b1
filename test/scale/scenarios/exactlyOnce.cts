/** A customer list over many executions: each customer gets exactly one message. */
import type { FaultRule } from '../../../sandbox/index.cts';
import type { Cluster } from '../cluster.cts';
import { countBy, reached, untilAccepted } from '../executions.cts';
import { size } from '../sizes.cts';
import { customers, inBatches, inParts, type Sending } from '../workflows.cts';

export const plain = async (cluster: Cluster) => await send(cluster);

export async function rateLimits(cluster: Cluster) {
	const when = { every: 20 };
	return await send(cluster, { faults: [{ what: 'rateLimit', retryAfter: 1, when }] });
}

/** Lists one after the other, with the sums after each: time and database have to grow along a line. */
export async function growth(cluster: Cluster) {
	const sums: Record<string, Record<'seconds' | 'databaseMegabytes', number>> = {};
	let [messages, seconds, databaseMegabytes] = [0, 0, 0];
	for (let list = 1; list <= 5; list++) {
		const sent = await send(cluster, { list: { ...size.list, executions: 10 } });
		messages += sent.messages;
		seconds += sent.seconds;
		databaseMegabytes += sent.databaseMegabytes;
		sums[`${messages.toLocaleString('en')} messages`] = { seconds, databaseMegabytes };
	}
	return sums;
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
