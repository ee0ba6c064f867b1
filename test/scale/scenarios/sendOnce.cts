/** The same webhook delivered twice, to two workers at the same moment: what the Send Once Key makes of it. */
import type { Cluster } from '../cluster.cts';
import { allEnded, executionsOf, post, startsOf } from '../lib/executions.cts';
import type { Sizes } from '../sizes.cts';
import { customers, inParts, type WorkflowMaker } from '../workflows.cts';

/** The next pair starts when this one is through. */
const APART_MS = 300;
const LEAD_MS = 2_000;

/** Sends pairs until as many as asked for met on two different workers. */
export async function sendOnce(
	cluster: Cluster,
	make: WorkflowMaker,
	{ pairs, wave }: Sizes['sendOnce'],
) {
	const { sandbox, database, webhook } = cluster;
	const workflow = await make.together('Twice at once', {
		options: { maxConcurrency: 1 },
		safeguards: { sendOnceKey: '={{ $json.body.key }}' },
	});
	await sandbox.reset();

	const met: string[] = [];
	// Two executions may also meet on one worker; these do not count.
	const candidates = customers(pairs * 4, 700_000);
	let called = 0;
	for (const part of inParts(candidates, wave)) {
		if (met.length >= pairs) break;
		const start = Date.now() + LEAD_MS;
		for (const [index, each] of part.entries()) {
			const call = { ...each, at: new Date(start + index * APART_MS).toISOString() };
			await Promise.all([0, 1].map(() => post(webhook.url, workflow.path, call)));
		}
		called += part.length;
		await allEnded(database, workflow.id, called * 2);
		const apart = await metOnTwoWorkers(cluster, workflow.id, part.length);
		met.push(...part.filter((_, index) => apart[index]).map(({ customerId }) => customerId));
	}
	const { deliveries } = await sandbox.ledger();
	const times = met.map((customerId) => deliveries.get(customerId) ?? 0);

	// Every key comes once more, alone: a claim that got lost in the crowd sends a second message now.
	await sandbox.reset();
	for (const each of candidates.slice(0, called)) {
		await post(webhook.url, workflow.path, { ...each, at: new Date(0).toISOString() });
	}
	await allEnded(database, workflow.id, called * 3);
	return {
		pairs: met.length,
		doubles: times.filter((count) => count > 1).length,
		lost: times.filter((count) => count === 0).length,
		laterDoubles: (await sandbox.summary()).accepted,
	};
}

/** Of the newest pairs, whether their two executions ran on two workers. */
async function metOnTwoWorkers({ database, workers }: Cluster, workflowId: string, pairs: number) {
	const starts = startsOf(workers);
	const newest = (await executionsOf(database, workflowId)).slice(-2 * pairs);
	const places = newest.map(({ id }) => starts.get(String(id))?.[0]);
	return inParts(places, 2).map(([one, other]) => one && other && one !== other);
}
