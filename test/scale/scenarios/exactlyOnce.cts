/** A customer list over many executions: each customer gets exactly one message. */
import type { Cluster } from '../cluster.cts';
import type { FaultRule } from '../../../sandbox/index.cts';
import { allEnded, countBy, post, reached } from '../lib/executions.cts';
import type { Sizes } from '../sizes.cts';
import { asBatches, customers, inParts, type Customer, type WorkflowMaker } from '../workflows.cts';

interface Situation {
	/** n8n's own settings of the node. */
	settings?: object;
	faults(list: Customer[], batch: number): FaultRule[];
}

const situations = {
	plain: { faults: () => [] },
	rateLimits: {
		faults: () => [{ what: 'rateLimit', retryAfter: 1, when: { probability: 0.05, seed: 7 } }],
	},
	/** As by a wrong template or a closed window; every batch holds one of them. */
	retries: {
		settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 },
		faults: (list, batch) => [
			{
				what: 'status',
				status: 400,
				body: { error: 'Not yet', code: 'not_yet', success: false },
				when: {
					recipient: inParts(list, batch).map((part) => part[batch >> 1].customerId),
					perRecipientFirst: 1,
				},
			},
		],
	},
} satisfies Record<string, Situation>;

export async function exactlyOnce(
	{ sandbox, database, webhook }: Cluster,
	make: WorkflowMaker,
	{ executions, perExecution, batch }: Sizes['list'],
	name: keyof typeof situations,
) {
	const { settings, faults }: Situation = situations[name];
	const workflow = await make.batches(name, { settings });
	const list = customers(executions * perExecution);
	const calls = inParts(list, perExecution).map((part) => asBatches(part, batch));
	await sandbox.reset(faults(list, batch));

	const began = performance.now();
	const databaseBefore = await database.size();
	for (const call of calls) await post(webhook.url, workflow.path, call);
	const ended = await allEnded(database, workflow.id, executions);
	const seconds = (performance.now() - began) / 1000;

	const { received, byStatus, duplicates } = await sandbox.summary();
	return {
		messages: list.length,
		executions,
		statuses: countBy(ended, ({ status }) => status),
		...(await reached(sandbox, list)),
		duplicates,
		requests: received,
		byStatus,
		seconds,
		databaseMegabytes: ((await database.size()) - databaseBefore) / 2 ** 20,
	};
}
