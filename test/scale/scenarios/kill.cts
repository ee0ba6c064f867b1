/** A worker dies in mid-batch and another one comes: what n8n does with its jobs, and what becomes of the messages. */
import { poll } from '../../../scripts/lib/child.cts';
import type { Cluster } from '../cluster.cts';
import type { Execution } from '../../n8n/execution.cts';
import type { Instance } from '../../n8n/instance.cts';
import {
	allEnded,
	countBy,
	executionsOf,
	post,
	reached,
	startsOf,
	type ExecutionRow,
} from '../lib/executions.cts';
import { asBatches, customers, inParts, type Customer, type WorkflowMaker } from '../workflows.cts';

/** Longer than n8n needs to notice (see settings.js). */
const NOTICED_MS = 150_000;

interface Size {
	/** Of each kind, with keys and without. */
	executions: number;
	batch: number;
	/** Of the service, in ms. */
	latency: number;
}

/** One of the two lists, and what became of it. */
interface Kind {
	id: string;
	path: string;
	/** Its first customer. */
	from: number;
	list: Customer[];
	calls: object[];
	dead: ExecutionRow[];
	figures: KillFigures;
}

type Reached = Awaited<ReturnType<typeof reached>>;

export interface KillFigures {
	messages: number;
	deadExecutions: number;
	deadStatuses: Record<string, number>;
	otherStatuses: Record<string, number>;
	startedTwice: number;
	/** Null where none died, once it went through JSON. */
	noticedAfterSeconds: Record<'least' | 'most', number | null>;
	afterDeath: Reached;
	reasons: Record<string, number>;
	retry: Record<string, number>;
	afterRetry: Reached;
	/** Only of the list with keys: without them it would send all of it again. */
	afterSecondCall?: Reached;
}

export async function kill(
	cluster: Cluster,
	make: WorkflowMaker,
	{ executions, batch, latency }: Size,
) {
	const { sandbox, webhook, workers } = cluster;
	const options = { maxConcurrency: 5 };
	const kinds = {
		withoutKey: await kind(make.batches('Killed, no key', { options }), 1_000_000),
		withKey: await kind(
			make.batches('Killed, keys', {
				// What was in flight is waited for as long as a message can take, and is uncertain then.
				options: { ...options, timeout: 10_000, rateLimitWait: 5 },
				safeguards: { sendOnceKey: '={{ $json.key }}' },
				// In stop mode an uncertain message would keep the later batches of its call from being sent.
				settings: { onError: 'continueRegularOutput' },
			}),
			2_000_000,
		),
	};
	await sandbox.reset([{ what: 'latency', ms: latency }]);
	for (let index = 0; index < executions; index++) {
		// Two workers take jobs in turn: so that both get both kinds, the order changes each time.
		const order = Object.values(kinds);
		if (index % 2 === 1) order.reverse();
		for (const { path, calls } of order) await post(webhook.url, path, calls[index]);
	}

	const all = executions * batch * 2 * 2;
	await poll(async () => (await sandbox.summary()).accepted > all * 0.25, {
		what: 'a quarter of the messages to be sent',
	});
	const [victim] = workers;
	await cluster.removeWorker(victim, { signal: 'SIGKILL' });
	const killedAt = new Date();
	await cluster.addWorker();

	for (const each of Object.values(kinds)) {
		await afterDeath(cluster, each, { executions, victim, killedAt });
	}
	for (const each of Object.values(kinds)) await resume(cluster, each);
	return { withoutKey: kinds.withoutKey.figures, withKey: kinds.withKey.figures };

	async function kind(making: Promise<Pick<Kind, 'id' | 'path'>>, from: number): Promise<Kind> {
		const list = customers(executions * batch * 2, from);
		const calls = inParts(list, batch * 2).map((part) => asBatches(part, batch));
		return { ...(await making), from, list, calls, dead: [], figures: {} as KillFigures };
	}
}

/** What n8n says of the jobs that died, and who got a message up to now. */
async function afterDeath(
	cluster: Cluster,
	each: Kind,
	{ executions, victim, killedAt }: { executions: number; victim: Instance; killedAt: Date },
) {
	const { database, workers } = cluster;
	await allEnded(database, each.id, executions, { timeoutMs: NOTICED_MS }).catch(() => {});
	const rows = await executionsOf(database, each.id);
	const starts = startsOf([victim, ...workers]);
	const dead = rows.filter(
		({ id, stoppedAt }) =>
			starts.get(String(id))?.[0] === victim && !(stoppedAt && stoppedAt < killedAt),
	);
	each.dead = dead;
	const noticed = dead.map(({ stoppedAt }) => (stoppedAt.getTime() - killedAt.getTime()) / 1000);
	Object.assign(each.figures, {
		messages: each.list.length,
		deadExecutions: dead.length,
		deadStatuses: countBy(dead, ({ status }) => status),
		otherStatuses: countBy(
			rows.filter((row) => !dead.includes(row)),
			({ status }) => status,
		),
		startedTwice: [...starts.values()].filter((places) => places.length > 1).length,
		noticedAfterSeconds: { least: Math.min(...noticed), most: Math.max(...noticed) },
		afterDeath: await reached(cluster, each.list),
	});
}

/** Two ways to continue: Retry in the executions list, and the same webhook calls once more. */
async function resume(cluster: Cluster, each: Kind) {
	const { client, database, webhook } = cluster;
	const words = async (running: Promise<Execution>) => {
		const { status, error } = await running;
		return error ? `${status}: ${error.message}` : status;
	};
	const reasons: string[] = [];
	const answers: string[] = [];
	for (const { id } of each.dead) {
		reasons.push(await words(client.execution(String(id))));
		answers.push(await words(client.retry(String(id), { timeoutMs: 120_000 })));
	}
	each.figures.reasons = countBy(reasons, (reason) => reason);
	each.figures.retry = countBy(answers, (answer) => answer);
	each.figures.afterRetry = await reached(cluster, each.list);

	if (each.from < 2_000_000) return;
	const before = (await executionsOf(database, each.id)).length;
	for (const call of each.calls) await post(webhook.url, each.path, call);
	await allEnded(database, each.id, before + each.calls.length);
	each.figures.afterSecondCall = await reached(cluster, each.list);
}
