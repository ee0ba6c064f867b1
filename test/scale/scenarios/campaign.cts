/** The example with the list in PostgreSQL, as it's imported, while workers are killed and the service limits requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../../scripts/lib/child.cts';
import { showStatus } from '../../../scripts/lib/log.cts';
import type { FaultRule } from '../../../sandbox/index.cts';
import { exampleOf, type ExampleNode } from '../../n8n/example.cts';
import type { Instance } from '../../n8n/instance.cts';
import { credentialFor } from '../../n8n/workflow.cts';
import type { Cluster } from '../cluster.cts';
import { countBy } from '../lib/executions.cts';
import type { Sizes } from '../sizes.cts';

const FILE = 'campaign-from-postgres.json';
const CAMPAIGN = 'spring-2026';
const WORKERS = 3;
const LOOK_MS = 1_000;
/** Shorter than the example's 'Rate Limit Wait (Seconds)'. */
const WAVE_MS = 3_000;
/** Longer than two abandoned locks in a row take. */
const STANDSTILL_MS = 300_000;
/**
 * Of the three workers, so many are killed in turns. The third one lives: the lock of a process that was killed with it is
 * taken over after up to 55 seconds of waiting, and no worker that's killed every 40 seconds waits for that long.
 */
const KILLED = 2;

/** A row of the table, as far as it's judged. */
type Row = Record<'phone' | 'status', string> &
	Record<'message_id' | 'reason' | 'fix', string | null>;

const phoneOf = (index: number) => `+999${String(10_000_000 + index)}`;

/** What becomes of a recipient of the list, by chance of its number. */
const fates = {
	rejected: (index: number) => index % 200 === 7,
	unreadable: (index: number) => index % 200 === 107,
	/** Of some, the number can't be read either. */
	optedOut: (index: number) => index % 100 === 50 || index % 400 === 107,
};

export async function campaign(cluster: Cluster, size: Sizes['campaign']) {
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
	const look = async () => {
		const rows = await database.query<{ status: string; count: number }>(
			'SELECT status, count(*)::int AS count FROM campaign_recipients GROUP BY status ORDER BY status',
		);
		const isOpen = rows.some(({ status }) => ['open', 'claimed'].includes(status));
		return { isOpen, progress: rows.map(({ status, count }) => `${count} ${status}`).join(', ') };
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
	let kills = 0;
	/** Executions that ran in a worker when it was killed. */
	const dead = new Set<string>();
	const starting = new Map<Instance, Promise<void>>();
	/** Waits for the worker if it's just starting, and starts it again. */
	const kill = async (worker: Instance) => {
		await starting.get(worker);
		await worker.kill();
		kills++;
		for (const id of underWay(worker)) dead.add(id);
		starting.set(worker, worker.start());
	};
	const lookAtKeys = async () => {
		const [{ sent }] = await database.query<{ sent: string | null }>(
			`SELECT max(last_value - sent_before) AS sent FROM campaign_recipients, campaign_sent
			WHERE status = 'claimed' AND claims > 1`,
		);
		mostSentBetween = Math.max(mostSentBetween, Number(sent));
	};
	let changed = { progress: '', at: began };
	/** The most messages that were sent between the first claim of a row and a later one. */
	let mostSentBetween = 0;
	const hide = showStatus(() => {
		const seconds = Math.round((Date.now() - began) / 1000);
		return `    ${seconds} s, ${kills} kills, ${dead.size} executions died: ${changed.progress}`;
	});
	let waves = 0;
	try {
		await client.activate(id);
		for (;;) {
			await lookAtKeys();
			const { isOpen, progress } = await look();
			if (!isOpen) break;
			const elapsed = Date.now() - began;
			if (changed.progress !== progress) changed = { progress, at: Date.now() };
			if (elapsed > size.timeoutMs || Date.now() - changed.at > STANDSTILL_MS) {
				throw new Error(`Not through in time, or no progress for minutes: ${progress}`);
			}
			if (elapsed > (waves + 1) * size.waveEveryMs) {
				waves++;
				await sandbox.setFaults([wave, ...always]);
			}
			if ('everyMs' in size.kill) {
				if (elapsed > (kills + 1) * size.kill.everyMs) await kill(workers[kills % KILLED]);
			} else if (kills === 0 && (await sandbox.summary()).accepted > size.kill.atAccepted) {
				const sender = workers.find((worker) => underWay(worker).length > 0);
				if (sender) await kill(sender);
			}
			await sleep(LOOK_MS);
		}
	} finally {
		hide();
		await Promise.all(starting.values());
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
	const isThrough = async () => !(await look()).isOpen;
	await poll(isThrough, { timeoutMs: 120_000, what: 'the second start to end' });
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
		kills,
		deadExecutions: dead.size,
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

/** Executions that a worker has begun and not ended, by its log. */
function underWay(worker: Instance): string[] {
	const idsOf = (verb: string) => {
		const pattern = new RegExp(`Worker ${verb} execution (\\d+)`, 'g');
		return [...worker.output().matchAll(pattern)].map(([, id]) => id);
	};
	const ended = new Set([...idsOf('finished'), ...idsOf('errored')]);
	return idsOf('started').filter((id) => !ended.has(id));
}
