/** The example with the list in PostgreSQL, as it's imported, while workers are killed and the service limits requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../../scripts/lib/child.cts';
import { showStatus } from '../../../scripts/lib/log.cts';
import type { FaultRule } from '../../../sandbox/index.cts';
import { exampleOf, type ExampleNode } from '../../n8n/example.cts';
import type { Instance } from '../../n8n/instance.cts';
import type { Cluster } from '../cluster.cts';
import { countBy, underWay } from '../lib/executions.cts';
import type { Database } from '../services/postgres.cts';
import type { Sizes } from '../sizes.cts';

const FILE = 'campaign-from-postgres.json';
const CAMPAIGN = 'spring-2026';
const WORKERS = 3;
const LOOK_MS = 1_000;
/** Shorter than the example's 'Rate Limit Wait (Seconds)'. */
const WAVE_MS = 3_000;

/** A row of the table, as far as it's judged. */
interface Row {
	phone: string;
	status: string;
	message_id: string | null;
	reason: string | null;
	fix: string | null;
}

const phoneOf = (index: number) => `+999${String(10_000_000 + index)}`;

/** What becomes of a recipient of the list, by chance of its number. */
const fates = {
	rejected: (index: number) => index % 200 === 7,
	unreadable: (index: number) => index % 200 === 107,
	optedOut: (index: number) => index % 100 === 50,
};

/** Recipients with the fates above. */
const ADD = `INSERT INTO campaign_recipients (campaign, template, phone, name, code, opted_out)
	SELECT $1, 'spring_offer',
		CASE WHEN i % 200 = 107 THEN '0170 ' || i ELSE '+999' || (10000000 + i) END,
		'Customer ' || i, 'SPRING-' || i, i % 100 = 50
	FROM generate_series($2::int, $3::int) AS i`;

/** The most messages that were sent between the first claim of a row and the claim it's in now. */
const SENT_BETWEEN = `SELECT coalesce(max(last_value - sent_before), 0)::int AS sent
	FROM campaign_recipients, campaign_sent WHERE status = 'claimed' AND claims > 1`;

const indexes = (from: number, count: number) =>
	Array.from({ length: count }, (_, index) => from + index);

export async function campaign(cluster: Cluster, size: Sizes['campaign']) {
	const { sandbox, client, postgres, workers } = cluster;
	while (workers.length < WORKERS) await cluster.addWorker();
	const database = await postgres.createDatabase('campaign');
	const example = await importExample(cluster, database, size.claimAgainAfter);
	const report = async () => {
		const execution = await client.run(example.id, { trigger: 'When you click Execute' });
		if (execution.status !== 'success') throw new Error(execution.error.message);
		return execution.items('Report');
	};
	const add = async (from: number, count: number) =>
		await database.query(ADD, [CAMPAIGN, from, from + count - 1]);

	// The click creates the table and adds the customers of the example; the list comes in one statement.
	await report();
	await add(0, size.recipients);

	const always: FaultRule[] = [
		{
			what: 'status',
			status: 400,
			body: { error: 'The customer has blocked this channel', code: 'blocked', success: false },
			when: { recipient: indexes(0, size.recipients).filter(fates.rejected).map(phoneOf) },
		},
		{ what: 'latency', ms: size.latency },
	];
	await sandbox.reset(always);
	const began = Date.now();
	await client.activate(example.id);
	const disturbed = await disturb(cluster, database, size, always);
	const seconds = (Date.now() - began) / 1000;
	await client.deactivate(example.id);

	const summary = await sandbox.summary();
	const rows = await database.query<Row>('SELECT * FROM campaign_recipients ORDER BY id');
	const judged = judge(rows, (await sandbox.ledger()).deliveries);
	const reported = (await report()).filter((each) => each.campaign === CAMPAIGN);

	// A second start, with some that are new: nothing else is sent.
	await sandbox.reset(always);
	await add(size.recipients, size.more);
	await client.activate(example.id);
	await poll(async () => (await statusesIn(database)).left === 0, {
		timeoutMs: 120_000,
		what: 'the second start to end',
	});
	// A tick more: it finds nothing to claim.
	await sleep(6_000);
	await client.deactivate(example.id);
	const second = (await sandbox.ledger()).deliveries;
	const expected = indexes(size.recipients, size.more)
		.filter((index) => !fates.unreadable(index) && !fates.optedOut(index))
		.map(phoneOf);

	while (workers.length > 2) await cluster.removeWorker(workers.at(-1)!);
	const list = indexes(0, size.recipients);
	return {
		...example.settings,
		...disturbed,
		...judged,
		recipients: rows.length,
		seconds,
		messagesPerSecond: summary.accepted / seconds,
		requests: summary.received,
		rateLimited: summary.byStatus['429'] ?? 0,
		duplicates: summary.duplicates,
		reported: Object.fromEntries(
			reported.map(({ status, recipients }) => [status, recipients]),
		) as Record<string, number>,
		expected: {
			rejected: list.filter((index) => fates.rejected(index) || fates.unreadable(index)).length,
			skipped: list.filter(fates.optedOut).length,
		},
		secondStart: {
			added: size.more,
			expected: expected.length,
			sent: [...second.values()].reduce((sum, count) => sum + count, 0),
			toOthers: [...second.keys()].filter((phone) => !expected.includes(phone)).length,
		},
	};
}

async function importExample(
	{ sandbox, client }: Cluster,
	database: Database,
	claimAgainAfter: string,
) {
	const example = exampleOf(FILE, {
		outboundMessagingApi: await client.createCredential({
			name: 'Campaign service',
			type: 'outboundMessagingApi',
			data: { baseUrl: sandbox.url, apiKeyHeader: sandbox.headerName, apiKey: sandbox.apiKey },
		}),
		postgres: await client.createCredential({
			name: 'Campaign list',
			type: 'postgres',
			data: database.credential,
		}),
	});
	example.nodes = example.nodes.map((node) => claimingAfter(node, claimAgainAfter));
	const { id } = await client.createWorkflow(example);
	const text = JSON.stringify(example.nodes);
	const number = (pattern: RegExp) => Number(pattern.exec(text)![1]);
	const settings = {
		batch: number(/LIMIT (\d+)\\n {2}FOR UPDATE/),
		maxConcurrency: number(/"maxConcurrency":(\d+)/),
		batchesAtATime: number(/\) < (\d+)\\n/),
	};
	return { id, settings };
}

function claimingAfter(node: ExampleNode, interval: string): ExampleNode {
	const { query } = node.parameters as { query?: string };
	if (!query?.includes('FOR UPDATE SKIP LOCKED')) return node;
	const own = "interval '30 seconds'";
	if (!query.includes(own)) throw new Error('The example claims dead batches in another way');
	const parameters = { ...node.parameters, query: query.replaceAll(own, `interval '${interval}'`) };
	return { ...node, parameters };
}

/** How many rows have which status, and how many are left to send. */
async function statusesIn(database: Database) {
	const rows = await database.query<{ status: string; count: number }>(
		'SELECT status, count(*)::int AS count FROM campaign_recipients GROUP BY status ORDER BY status',
	);
	const left = rows.filter(({ status }) => ['open', 'claimed'].includes(status));
	return {
		left: left.reduce((sum, { count }) => sum + count, 0),
		words: rows.map(({ status, count }) => `${count} ${status}`).join(', '),
	};
}

/** Kills workers and lets the service limit requests, until the list is through. */
async function disturb(
	{ sandbox, workers }: Cluster,
	database: Database,
	{ killEveryMs, killAt, waveEveryMs, wave, timeoutMs }: Sizes['campaign'],
	always: FaultRule[],
) {
	const rateLimit: FaultRule = {
		what: 'rateLimit',
		retryAfter: 1,
		// Over soon even if few are left: none of them waits for a rate limit until it's given up.
		when: { first: wave, untilMs: WAVE_MS },
	};
	const killer = new Killer();
	const began = Date.now();
	let progress = '';
	const hide = showStatus(() => {
		const seconds = Math.round((Date.now() - began) / 1000);
		return `    ${seconds} s, ${killer.kills} kills, ${killer.dead.size} executions died: ${progress}`;
	});
	let waves = 0;
	let mostSentBetween = 0;
	try {
		for (;;) {
			const { left, words } = await statusesIn(database);
			if (left === 0) break;
			progress = words;
			const elapsed = Date.now() - began;
			if (elapsed > timeoutMs) throw new Error(`Not through in time: ${progress}`);
			const [{ sent }] = await database.query<{ sent: number }>(SENT_BETWEEN);
			mostSentBetween = Math.max(mostSentBetween, sent);
			if (elapsed > (waves + 1) * waveEveryMs) {
				waves++;
				await sandbox.setFaults([rateLimit, ...always]);
			}
			// The third worker lives: the lock of a process that was killed with it is taken over after up to 55 seconds of
			// waiting, and no worker that's killed every 40 seconds waits for that long.
			if (elapsed > (killer.kills + 1) * killEveryMs) await killer.kill(workers[killer.kills % 2]);
			if (killer.kills === 0 && (await sandbox.summary()).accepted > killAt) {
				const sender = workers.find((worker) => underWay(worker).length > 0);
				if (sender) await killer.kill(sender);
			}
			await sleep(LOOK_MS);
		}
	} finally {
		hide();
		await killer.allBack();
	}
	return { kills: killer.kills, deadExecutions: killer.dead.size, mostSentBetween };
}

/** Kills workers, and starts them again. */
class Killer {
	kills = 0;
	/** Executions that ran in a worker when it was killed. */
	readonly dead = new Set<string>();
	private readonly starting = new Map<Instance, Promise<void>>();

	/** Waits for the worker if it's just starting. */
	async kill(worker: Instance) {
		await this.starting.get(worker);
		await worker.kill('SIGKILL');
		this.kills++;
		for (const id of underWay(worker)) this.dead.add(id);
		this.starting.set(worker, worker.start());
	}

	async allBack() {
		await Promise.all(this.starting.values());
	}
}

/** The table against the ledger. @param deliveries messages by phone number, as the service counts them */
function judge(rows: Row[], deliveries: Map<string, number>) {
	// The customers of the example are written in other ways.
	const times = ({ phone }: Row) => deliveries.get(phone) ?? 0;
	const of = (...statuses: string[]) => rows.filter(({ status }) => statuses.includes(status));
	const ids = of('accepted').flatMap(({ message_id: messageId }) => messageId ?? []);
	return {
		statuses: countBy(rows, ({ status }) => status),
		/** The most messages that one recipient got. */
		mostToOne: Math.max(...deliveries.values()),
		delivered: deliveries.size,
		acceptedNotDelivered: of('accepted').filter((row) => times(row) !== 1).length,
		acceptedWithId: ids.length,
		distinctIds: new Set(ids).size,
		uncertainDelivered: of('uncertain').filter((row) => times(row) === 1).length,
		notSentButDelivered: of('rejected', 'skipped').filter((row) => times(row) > 0).length,
		withoutReason: of('rejected', 'uncertain', 'skipped').filter(
			({ status, reason, fix }) => !reason || (status !== 'skipped' && !fix),
		).length,
		uncertainFor: countBy(of('uncertain'), ({ reason }) => reason!),
	};
}
