/** The example with the list in PostgreSQL, as it's imported, while workers are killed and the service limits requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { showStatus } from '../../../scripts/lib/log.cts';
import type { FaultRule } from '../../../sandbox/index.cts';
import { exampleOf, type ExampleNode } from '../../n8n/example.cts';
import type { Instance } from '../../n8n/instance.cts';
import { credentialFor } from '../../n8n/workflow.cts';
import type { Cluster } from '../cluster.cts';
import { countBy } from '../lib/executions.cts';

const FILE = 'campaign-from-postgres.json';
const CAMPAIGN = 'spring-2026';
const WORKERS = 3;
const LOOK_MS = 1_000;
/** Shorter than the example's 'Rate Limit Wait (Seconds)'. */
const WAVE_MS = 3_000;
/** Longer than two abandoned locks in a row take. */
const STANDSTILL_MS = 300_000;
/**
 * Which worker is next. The third one lives: the lock of a process that was killed with it is taken over after up to 55
 * seconds of waiting, and no worker that's killed every 40 seconds waits for that long.
 */
const TURNS = [0, 1];

interface Size {
	recipients: number;
	/** Added for the second start. */
	more: number;
	/** SIGKILL to a worker this often; or once, to one that's sending, when this many messages were accepted. */
	kill: { everyMs: number } | { atAccepted: number };
	/** This often, so many requests in a row are answered with 429. */
	waveEveryMs: number;
	wave: number;
	/** Of the service, in ms. */
	latency: number;
	/** Instead of the example's half a minute, for a short run. */
	claimAgainAfter?: string;
	timeoutMs: number;
}

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
	/** Of some, the number can't be read either. */
	optedOut: (index: number) => index % 100 === 50 || index % 400 === 107,
};

export async function campaign(cluster: Cluster, size: Size) {
	const { sandbox, client, postgres, workers } = cluster;
	while (workers.length < WORKERS) await cluster.addWorker();
	const database = await postgres.createDatabase('campaign');
	const example = exampleOf(FILE, {
		outboundMessagingApi: await client.createCredential(credentialFor(sandbox)),
		postgres: await client.createCredential({
			name: 'Campaign list',
			type: 'postgres',
			data: database.credential,
		}),
	});
	if (size.claimAgainAfter) {
		example.nodes = example.nodes.map((node) => claimingAfter(node, size.claimAgainAfter!));
	}
	const settings = settingsOf(example.nodes);
	const { id } = await client.createWorkflow(example);
	const report = async () => {
		const execution = await client.run(id, { trigger: 'When you click Execute' });
		if (execution.status !== 'success') throw new Error(execution.error.message);
		return execution.items('Report');
	};
	const add = async (from: number, count: number) =>
		await database.query(
			`INSERT INTO campaign_recipients (campaign, template, phone, name, code, opted_out)
			SELECT $1, 'spring_offer',
				CASE WHEN i % 200 = 107 THEN '0170 ' || i ELSE '+999' || (10000000 + i) END,
				'Customer ' || i, 'SPRING-' || i, i % 100 = 50 OR i % 400 = 107
			FROM generate_series($2::int, $3::int) AS i`,
			[CAMPAIGN, from, from + count - 1],
		);
	const statuses = async () =>
		Object.fromEntries(
			(
				await database.query<{ status: string; count: number }>(
					'SELECT status, count(*)::int AS count FROM campaign_recipients GROUP BY status',
				)
			).map(({ status, count }) => [status, count]),
		);
	const isThrough = async () => {
		const { open = 0, claimed = 0 } = await statuses();
		return open + claimed === 0;
	};

	// The click creates the table and adds the customers of the example; the list comes in one statement.
	await report();
	await add(0, size.recipients);
	const [{ count: inTable }] = await database.query<{ count: number }>(
		'SELECT count(*)::int AS count FROM campaign_recipients',
	);

	const rejected = indexes(size.recipients).filter(fates.rejected).map(phoneOf);
	const always: FaultRule[] = [
		{
			what: 'status',
			status: 400,
			body: { error: 'The customer has blocked this channel', code: 'blocked', success: false },
			when: { recipient: rejected },
		},
		{ what: 'latency', ms: size.latency },
	];
	const wave: FaultRule = {
		what: 'rateLimit',
		name: 'wave',
		retryAfter: 1,
		// Over soon even if few are left: none of them waits for a rate limit until it's given up.
		when: { first: size.wave, untilMs: WAVE_MS },
	};
	await sandbox.reset(always);

	const began = Date.now();
	const killer = new Killer(workers.slice(0, WORKERS));
	const look = async () => {
		const [{ sent }] = await database.query<{ sent: string | null }>(
			`SELECT max(last_value - sent_before) AS sent FROM campaign_recipients, campaign_sent
			WHERE status = 'claimed' AND claims > 1`,
		);
		mostSentBetween = Math.max(mostSentBetween, Number(sent));
		const { accepted = 0, open = 0, claimed = 0, ...others } = await statuses();
		const counts = { accepted, ...others, claimed, open };
		progress = Object.entries(counts)
			.map(([status, count]) => `${count} ${status}`)
			.join(', ');
		const [{ reasons }] = await database.query<{ reasons: string | null }>(
			"SELECT string_agg(DISTINCT reason, '; ') AS reasons FROM campaign_recipients WHERE status = 'open'",
		);
		if (reasons) progress += ` (${reasons.slice(0, 200)})`;
		if (changed.progress !== progress) changed = { progress, at: Date.now() };
		return open + claimed === 0;
	};
	let progress = '';
	let changed = { progress, at: Date.now() };
	/** The most messages that were sent between the first claim of a row and a later one. */
	let mostSentBetween = 0;
	const hide = showStatus(() => {
		const seconds = Math.round((Date.now() - began) / 1000);
		return `    ${seconds} s, ${killer.kills} kills, ${killer.dead.size} executions died: ${progress}`;
	});
	let waves = 0;
	try {
		await client.activate(id);
		for (; !(await look()); await sleep(LOOK_MS)) {
			const elapsed = Date.now() - began;
			if (elapsed > size.timeoutMs) throw new Error(`Not through in time: ${progress}`);
			if (Date.now() - changed.at > STANDSTILL_MS)
				throw new Error(`No progress for minutes: ${progress}`);
			if (elapsed > (waves + 1) * size.waveEveryMs) {
				waves++;
				await sandbox.setFaults([wave, ...always]);
			}
			if ('everyMs' in size.kill) {
				if (elapsed > (killer.kills + 1) * size.kill.everyMs) await killer.killNext();
			} else if (killer.kills === 0 && (await sandbox.summary()).accepted > size.kill.atAccepted) {
				await killer.killSender();
			}
		}
	} finally {
		hide();
		await killer.allBack();
	}
	const seconds = (Date.now() - began) / 1000;
	await client.deactivate(id);

	const summary = await sandbox.summary();
	const first = await judge();
	const reported = await report();

	// A second start, with some that are new: nothing else is sent.
	const { more } = size;
	await sandbox.reset(always);
	await add(size.recipients, more);
	await client.activate(id);
	const deadline = Date.now() + 120_000;
	while (!(await isThrough())) {
		if (Date.now() > deadline) throw new Error('The second start did not end');
		await sleep(LOOK_MS);
	}
	// A tick more: it finds nothing to claim.
	await sleep(6_000);
	await client.deactivate(id);
	const second = (await sandbox.ledger()).deliveries;
	const expected = indexes(more)
		.map((index) => index + size.recipients)
		.filter((index) => !fates.unreadable(index) && !fates.optedOut(index))
		.map(phoneOf);

	while (workers.length > 2) await cluster.removeWorker(workers.at(-1)!);
	return {
		...settings,
		recipients: inTable,
		seconds,
		messagesPerSecond: summary.accepted / seconds,
		kills: killer.kills,
		deadExecutions: killer.dead.size,
		requests: summary.received,
		rateLimited: summary.byStatus['429'] ?? 0,
		mostSentBetween,
		duplicates: summary.duplicates,
		...first,
		reported: Object.fromEntries(
			reported
				.filter(({ campaign }) => campaign === CAMPAIGN)
				.map(({ status, recipients }) => [status, recipients]),
		) as Record<string, number>,
		secondStart: {
			added: more,
			expected: expected.length,
			sent: [...second.values()].reduce((sum, count) => sum + count, 0),
			toOthers: [...second.keys()].filter((phone) => !expected.includes(phone)).length,
		},
	};

	/** The table against the ledger. */
	async function judge() {
		const rows = await database.query<Row>('SELECT * FROM campaign_recipients ORDER BY id');
		const { deliveries } = await sandbox.ledger();
		// The customers of the example are written in other ways.
		const times = ({ phone }: Row) => deliveries.get(phone) ?? 0;
		const of = (status: string) => rows.filter((row) => row.status === status);
		const ids = of('accepted').flatMap(({ message_id: messageId }) => messageId ?? []);
		return {
			statuses: countBy(rows, ({ status }) => status),
			/** The most messages that one recipient got. */
			mostToOne: Math.max(...deliveries.values()),
			delivered: deliveries.size,
			expected: {
				rejected: indexes(size.recipients).filter(
					(index) => fates.rejected(index) || (fates.unreadable(index) && !fates.optedOut(index)),
				).length,
				skipped: indexes(size.recipients).filter(fates.optedOut).length,
			},
			acceptedNotDelivered: of('accepted').filter((row) => times(row) !== 1).length,
			acceptedWithId: ids.length,
			distinctIds: new Set(ids).size,
			uncertainDelivered: of('uncertain').filter((row) => times(row) === 1).length,
			notSentButDelivered: [...of('rejected'), ...of('skipped')].filter((row) => times(row) > 0)
				.length,
			withoutReason: [...of('rejected'), ...of('uncertain'), ...of('skipped')].filter(
				({ status, reason, fix }) => !reason || (status !== 'skipped' && !fix),
			).length,
			uncertainFor: countBy(of('uncertain'), ({ reason }) => reason!),
		};
	}
}

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);

/** What the example is set to: what its arithmetic is made of. */
function settingsOf(nodes: ExampleNode[]) {
	const text = JSON.stringify(nodes);
	const number = (pattern: RegExp) => Number(pattern.exec(text)![1]);
	return {
		batch: number(/LIMIT (\d+)\\n {2}FOR UPDATE/),
		maxConcurrency: number(/"maxConcurrency":(\d+)/),
		batchesAtATime: number(/\) < (\d+)\\n/),
	};
}

function claimingAfter(node: ExampleNode, interval: string): ExampleNode {
	const { query } = node.parameters as { query?: string };
	if (!query?.includes('FOR UPDATE SKIP LOCKED')) return node;
	const changed = query.replaceAll("interval '30 seconds'", `interval '${interval}'`);
	if (changed === query) throw new Error('The example claims dead batches in another way');
	return { ...node, parameters: { ...node.parameters, query: changed } as typeof node.parameters };
}

/** Kills workers, and starts them again. */
class Killer {
	kills = 0;
	/** Executions that ran in a worker when it was killed. */
	readonly dead = new Set<string>();
	private readonly starting = new Map<Instance, Promise<void>>();

	constructor(private readonly workers: Instance[]) {}

	async killNext() {
		await this.kill(this.workers[TURNS[this.kills % TURNS.length]]);
	}

	async killSender() {
		const sender = this.workers.find((worker) => underWay(worker.output()).length > 0);
		if (sender) await this.kill(sender);
	}

	/** Waits for the worker if it's just starting. */
	private async kill(worker: Instance) {
		await this.starting.get(worker);
		await worker.kill('SIGKILL');
		this.kills++;
		for (const id of underWay(worker.output())) this.dead.add(id);
		this.starting.set(worker, worker.start());
	}

	async allBack() {
		await Promise.all(this.starting.values());
	}
}

/** Executions that a worker has begun and not ended, by its log. */
function underWay(output: string): string[] {
	const idsOf = (verb: string) =>
		[...output.matchAll(new RegExp(`Worker ${verb} execution (\\d+)`, 'g'))].map(([, id]) => id);
	const ended = new Set([...idsOf('finished'), ...idsOf('errored')]);
	return idsOf('started').filter((id) => !ended.has(id));
}
