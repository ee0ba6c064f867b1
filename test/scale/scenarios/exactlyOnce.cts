/** A customer list over many executions: each customer gets exactly one message. */
import type { Cluster } from '../cluster.cts';
import type { FaultRule } from '../../../sandbox/index.cts';
import { allEnded, countBy, post, reached, type ExecutionRow } from '../lib/executions.cts';
import { asBatches, customers, inParts, type Customer, type WorkflowMaker } from '../workflows.cts';

/** The sandbox rejects these customers once; every batch holds one of them. */
const FAILING = {
	/** Customers that a wrong template or a closed window would reject at first. */
	fault: (list: Customer[], batch: number): FaultRule => ({
		what: 'status',
		status: 400,
		body: { error: 'Not yet', code: 'not_yet', success: false },
		when: {
			recipient: inParts(list, batch).map((part) => part[Math.floor(part.length / 2)].customerId),
			perRecipientFirst: 1,
		},
	}),
	/** n8n's own settings of the node. */
	settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 },
};

const RATE_LIMITS: FaultRule[] = [
	{ what: 'rateLimit', retryAfter: 1, when: { probability: 0.05, seed: 7 } },
];

/** What was there after each part of the list. */
interface Growth extends Record<string, number> {
	messages: number;
	seconds: number;
	databaseMegabytes: number;
}

interface Size {
	executions: number;
	/** Messages of one execution. */
	perExecution: number;
	/** Messages of one call of the sub-workflow. */
	batch: number;
	steps?: number;
}

export async function exactlyOnce(cluster: Cluster, make: WorkflowMaker, size: Size) {
	return await send(cluster, await make.batches('Plain'), size, () => []);
}

export async function withRateLimits(cluster: Cluster, make: WorkflowMaker, size: Size) {
	return await send(cluster, await make.batches('429'), size, () => RATE_LIMITS);
}

export async function withRetries(cluster: Cluster, make: WorkflowMaker, size: Size) {
	const workflow = await make.batches('Retry On Fail', { settings: FAILING.settings });
	return await send(cluster, workflow, size, (list) => [FAILING.fault(list, size.batch)]);
}

async function send(
	cluster: Cluster,
	workflow: { id: string; path: string },
	size: Size,
	faultsFor: (list: Customer[]) => FaultRule[],
) {
	const { sandbox, database, webhook } = cluster;
	const { executions, perExecution, batch, steps = 1 } = size;
	const list = customers(executions * perExecution);
	const calls = inParts(list, perExecution).map((part) => asBatches(part, batch));
	await sandbox.reset(faultsFor(list));

	const growth: Growth[] = [];
	const began = performance.now();
	const before = await database.size();
	let ended: ExecutionRow[] = [];
	for (const step of inParts(calls, Math.ceil(calls.length / steps))) {
		for (const call of step) await post(webhook.url, workflow.path, call);
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
