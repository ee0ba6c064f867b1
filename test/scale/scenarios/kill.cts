/** A worker dies in mid-batch and another one comes: what n8n does with its jobs, and what becomes of the messages. */
import { poll } from '../../../scripts/lib/child.cts';
import type { Cluster } from '../cluster.cts';
import type { Execution } from '../../n8n/execution.cts';
import {
	allEnded,
	countBy,
	executionsOf,
	post,
	reached,
	startsOf,
	type ExecutionRow,
} from '../lib/executions.cts';
import type { Sizes } from '../sizes.cts';
import { asBatches, customers, inParts, type Customer, type WorkflowMaker } from '../workflows.cts';

/** Longer than n8n needs to notice (see settings.js). */
const NOTICED_MS = 150_000;

/** One of the two lists, and its webhook calls. */
interface Kind {
	id: string;
	path: string;
	list: Customer[];
	calls: object[];
}

export async function kill(
	cluster: Cluster,
	make: WorkflowMaker,
	{ executions, batch, latency }: Sizes['kill'],
) {
	const { sandbox, database, webhook, workers } = cluster;
	const kindOf = (workflow: Pick<Kind, 'id' | 'path'>, from: number): Kind => {
		const list = customers(executions * batch * 2, from);
		const calls = inParts(list, batch * 2).map((part) => asBatches(part, batch));
		return { ...workflow, list, calls };
	};
	const options = { maxConcurrency: 5 };
	const plain = kindOf(await make.batches('Killed, no key', { options }), 1_000_000);
	const keyed = kindOf(
		await make.batches('Killed, keys', {
			// What was in flight is waited for as long as a message can take, and is uncertain then.
			options: { ...options, timeout: 10_000, rateLimitWait: 5 },
			safeguards: { sendOnceKey: '={{ $json.key }}' },
			// In stop mode an uncertain message would keep the later batches of its call from being sent.
			settings: { onError: 'continueRegularOutput' },
		}),
		2_000_000,
	);
	await sandbox.reset([{ what: 'latency', ms: latency }]);
	for (let index = 0; index < executions; index++) {
		// Two workers take jobs in turn: so that both get both kinds, the order changes each time.
		const order = index % 2 === 1 ? [keyed, plain] : [plain, keyed];
		for (const { path, calls } of order) await post(webhook.url, path, calls[index]);
	}

	const all = executions * batch * 2 * 2;
	await poll(async () => (await sandbox.summary()).accepted > all * 0.25, {
		what: 'a quarter of the messages to be sent',
	});
	const [victim] = workers;
	await cluster.removeWorker(victim, 'SIGKILL');
	const killedAt = new Date();
	await cluster.addWorker();

	/** What n8n says of the jobs that died, and who got a message up to now. */
	const afterDeath = async ({ id: workflowId, list }: Kind) => {
		await allEnded(database, workflowId, executions, { timeoutMs: NOTICED_MS }).catch(() => {});
		const rows = await executionsOf(database, workflowId);
		const starts = startsOf([victim, ...workers]);
		const dead = rows.filter(
			({ id, stoppedAt }) =>
				starts.get(String(id))?.[0] === victim && !(stoppedAt && stoppedAt < killedAt),
		);
		const others = rows.filter((row) => !dead.includes(row));
		const noticed = dead.map(({ stoppedAt }) => (stoppedAt.getTime() - killedAt.getTime()) / 1000);
		return {
			dead,
			figures: {
				messages: list.length,
				deadExecutions: dead.length,
				deadStatuses: countBy(dead, ({ status }) => status),
				otherStatuses: countBy(others, ({ status }) => status),
				startedTwice: [...starts.values()].filter((places) => places.length > 1).length,
				noticedAfterSeconds: { least: Math.min(...noticed), most: Math.max(...noticed) },
				afterDeath: await reached(cluster, list),
			},
		};
	};
	const deaths = [await afterDeath(plain), await afterDeath(keyed)];
	const [withoutKey, withKey] = [
		{ ...deaths[0].figures, ...(await retryAll(cluster, plain, deaths[0].dead)) },
		{ ...deaths[1].figures, ...(await retryAll(cluster, keyed, deaths[1].dead)) },
	];

	// The same webhook calls once more: without keys they would send all of it again.
	const before = (await executionsOf(database, keyed.id)).length;
	for (const call of keyed.calls) await post(webhook.url, keyed.path, call);
	await allEnded(database, keyed.id, before + keyed.calls.length);
	return {
		withoutKey,
		withKey: { ...withKey, afterSecondCall: await reached(cluster, keyed.list) },
	};
}

/** Retry in the executions list, for each execution that died. */
async function retryAll(cluster: Cluster, { list }: Kind, dead: ExecutionRow[]) {
	const retried: Execution[] = [];
	for (const { id } of dead) {
		retried.push(await cluster.client.retry(String(id), { timeoutMs: 120_000 }));
	}
	const retry = countBy(retried, ({ status }) => status);
	return { retry, afterRetry: await reached(cluster, list) };
}
