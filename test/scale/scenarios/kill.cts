/** A worker dies in mid-batch and another one comes: what n8n does with its jobs, and what becomes of the messages. */
import { poll } from '../../../scripts/lib/child.cts';
import type { Cluster } from '../cluster.cts';
import type { Instance } from '../../n8n/instance.cts';
import { allEnded, countBy, post, reached, startsOf } from '../lib/executions.cts';
import type { Sizes } from '../sizes.cts';
import { asBatches, customers, inParts, type Customer, type WorkflowMaker } from '../workflows.cts';

/** Longer than n8n needs to notice: up to three times its lock. */
const NOTICED_MS = 150_000;

/** One of the two lists, on its way. */
interface Sent {
	id: string;
	path: string;
	list: Customer[];
	calls: object[];
}

export type KillFigures = Awaited<ReturnType<typeof afterDeath>> & {
	/** Only of the list with keys: without them it would send all of it again. */
	afterSecondCall?: Awaited<ReturnType<typeof reached>>;
};

export async function kill(
	cluster: Cluster,
	make: WorkflowMaker,
	{ executions, batch, latency }: Sizes['kill'],
) {
	const { sandbox, webhook, workers } = cluster;
	const listFrom = (from: number) => {
		const list = customers(executions * batch * 2, from);
		return { list, calls: inParts(list, batch * 2).map((part) => asBatches(part, batch)) };
	};
	const options = { maxConcurrency: 5 };
	const withoutKey = {
		...(await make.batches('Killed, no key', { options })),
		...listFrom(1_000_000),
	};
	const withKey = {
		...(await make.batches('Killed, keys', {
			// What was in flight is waited for as long as a message can take, and is uncertain then.
			options: { ...options, timeout: 10_000, rateLimitWait: 5 },
			safeguards: { sendOnceKey: '={{ $json.key }}' },
			// In stop mode an uncertain message would keep the later batches of its call from being sent.
			settings: { onError: 'continueRegularOutput' },
		})),
		...listFrom(2_000_000),
	};
	await sandbox.reset([{ what: 'latency', ms: latency }]);
	for (let index = 0; index < executions; index++) {
		// Two workers take jobs in turn: so that both get both kinds, the order changes each time.
		const order = index % 2 === 0 ? [withoutKey, withKey] : [withKey, withoutKey];
		for (const { path, calls } of order) await post(webhook.url, path, calls[index]);
	}

	const all = withoutKey.list.length + withKey.list.length;
	await poll(async () => (await sandbox.summary()).accepted > all * 0.25, {
		what: 'a quarter of the messages to be sent',
	});
	const [victim] = workers;
	await cluster.removeWorker(victim, { signal: 'SIGKILL' });
	const killedAt = new Date();
	await cluster.addWorker();

	const figures: Record<'withoutKey' | 'withKey', KillFigures> = {
		withoutKey: await afterDeath(cluster, withoutKey, victim, killedAt),
		withKey: await afterDeath(cluster, withKey, victim, killedAt),
	};
	const before = executions + figures.withKey.deadExecutions;
	for (const call of withKey.calls) await post(webhook.url, withKey.path, call);
	await allEnded(cluster.database, withKey.id, before + executions);
	figures.withKey.afterSecondCall = await reached(sandbox, withKey.list);
	return figures;
}

/** What n8n says of the jobs that died, who got a message by then, and what Retry in the executions list makes of it. */
async function afterDeath(
	{ client, database, sandbox, workers }: Cluster,
	{ id: workflowId, list, calls }: Sent,
	victim: Instance,
	killedAt: Date,
) {
	const rows = await allEnded(database, workflowId, calls.length, { timeoutMs: NOTICED_MS });
	const starts = startsOf([victim, ...workers]);
	const dead = rows.filter(
		({ id, stoppedAt }) => starts.get(String(id))?.[0] === victim && stoppedAt > killedAt,
	);
	const noticed = dead.map(({ stoppedAt }) => (stoppedAt.getTime() - killedAt.getTime()) / 1000);
	const statusOf = ({ status }: { status: string }) => status;
	const figures = {
		messages: list.length,
		deadExecutions: dead.length,
		deadStatuses: countBy(dead, statusOf),
		otherStatuses: countBy(
			rows.filter((row) => !dead.includes(row)),
			statusOf,
		),
		startedTwice: [...starts.values()].filter((places) => places.length > 1).length,
		noticedAfterSeconds: { least: Math.min(...noticed), most: Math.max(...noticed) },
		afterDeath: await reached(sandbox, list),
	};
	const retried: Array<{ status: string }> = [];
	for (const { id } of dead) {
		retried.push(await client.retry(String(id), { timeoutMs: 120_000 }));
	}
	return {
		...figures,
		retry: countBy(retried, statusOf),
		afterRetry: await reached(sandbox, list),
	};
}
