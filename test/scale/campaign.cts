/**
 * The example with the list in PostgreSQL, as it's imported, while workers are killed and the
 * service limits requests.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../scripts/lib/child.cts';
import type { FaultRule } from '../../sandbox/index.cts';
import { exampleOf } from '../n8n/example.cts';
import type { Instance } from '../n8n/instance.cts';
import { credentialFor } from '../n8n/workflow.cts';
import type { Cluster } from './cluster.cts';
import { countBy, logOf } from './executions.cts';
import { size } from './sizes.cts';

const CAMPAIGN = 'spring-2026';
/** Shorter than the example's 'Rate Limit Wait (Seconds)'. */
const WAVE_MS = 3_000;
const WORKERS = 3;
/**
 * So many of them are killed in turns. The third one lives: the lock of a process that was killed
 * with it is taken over after up to 55 seconds of waiting, and no worker that's killed every 40
 * seconds waits for that long.
 */
const KILLED = 2;

/** A row of the table, as far as it's judged. */
type Row = Record<'phone' | 'status', string> &
	Record<'message_id' | 'reason' | 'fix', string | null>;

/**
 * Recipients of the list, and what becomes of each by chance of its number: of some who have opted
 * out, the number can't be read either.
 */
const recipients = (count: number, from = 0) =>
	Array.from({ length: count }, (_, index) => {
		const number = from + index;
		const isUnreadable = number % 200 === 107;
		const optedOut = number % 100 === 50 || number % 400 === 107;
		return {
			number,
			phone: isUnreadable ? `0170 ${number}` : `+1555${2_000_000 + number}`,
			optedOut,
			isBlocked: number % 200 === 7,
			isRejected: number % 200 === 7 || (isUnreadable && !optedOut),
		};
	});

export async function campaign(cluster: Cluster) {
	const { sandbox, client, postgres, workers } = cluster;
	await cluster.setWorkers(WORKERS);
	const database = await postgres.createDatabase('campaign');
	const example = exampleOf('campaign-from-postgres.json', {
		outboundMessagingApi: await client.createCredential(credentialFor(sandbox)),
		postgres: await client.createCredential({
			name: 'Campaign list',
			type: 'postgres',
			data: database.credential,
		}),
	});
	const { id } = await client.createWorkflow(example);
	const report = async () => {
		const execution = await client.run(id, { trigger: 'When you click Execute' });
		if (execution.status !== 'success') throw new Error(execution.error.message);
		return execution.items('Report');
	};
	const add = async (list: ReturnType<typeof recipients>) =>
		await database.query(
			`INSERT INTO campaign_recipients (campaign, template, phone, name, code, opted_out)
			SELECT $1, 'spring_offer', phone, 'Customer ' || number, 'SPRING-' || number, "optedOut"
			FROM json_to_recordset($2::json) AS recipient (number int, phone text, "optedOut" boolean)`,
			[CAMPAIGN, JSON.stringify(list)],
		);
	const open = "SELECT 1 FROM campaign_recipients WHERE status IN ('open', 'claimed') LIMIT 1";
	const isOver = async () => (await database.query(open)).length === 0;

	// The click creates the table and adds the customers of the example; the list comes
	// in one statement.
	await report();
	const list = recipients(size.campaign.recipients);
	await add(list);

	const blocked = list.filter(({ isBlocked }) => isBlocked).map(({ phone }) => phone);
	const always: FaultRule[] = [
		{
			what: 'status',
			status: 400,
			body: { error: 'The customer has blocked this channel', code: 'blocked', success: false },
			when: { recipient: blocked },
		},
		{ what: 'latency', ms: size.campaign.latency },
	];
	const wave: FaultRule = {
		what: 'rateLimit',
		name: 'wave',
		retryAfter: 1,
		// Over soon even if few are left: none of them waits for a rate limit until it's given up.
		when: { first: size.campaign.wave, untilMs: WAVE_MS },
	};
	// The first requests meet a rate limit in any case: a later wave can come while
	// no one is sending.
	await sandbox.reset([{ ...wave, when: { first: 5 } }, ...always]);

	const began = Date.now();
	let kills = 0;
	/** Executions that ran in a worker when it was killed. */
	const dead = new Set<number>();
	const starting = new Map<Instance, Promise<void>>();
	/** Waits for the worker if it's just starting, and starts it again. */
	const kill = async (worker: Instance) => {
		await starting.get(worker);
		await worker.kill();
		kills++;
		for (const execution of underWay(worker)) dead.add(execution);
		starting.set(worker, worker.start());
	};
	const { kill: rule, waveEveryMs, timeoutMs } = size.campaign;
	const killIfDue = async (elapsed: number) => {
		if ('everyMs' in rule) {
			if (elapsed > (kills + 1) * rule.everyMs) await kill(workers[kills % KILLED]);
			return;
		}
		const { accepted, byStatus, inFlight } = await sandbox.summary();
		// Of the service's own answers, none is cut off: a worker has died with a request under way.
		if ('none' in byStatus || accepted <= rule.atAccepted || inFlight === 0) return;
		const sender = workers.find((worker) => underWay(worker).length > 0);
		if (sender) await kill(sender);
	};
	let waves = 0;
	/** The most messages that were sent between the first claim of a row and a later one. */
	let mostSentBetween = 0;
	const isThrough = async () => {
		const [{ sent }] = await database.query<{ sent: string | null }>(
			`SELECT max(last_value - sent_before) AS sent FROM campaign_recipients, campaign_sent
			WHERE status = 'claimed' AND claims > 1`,
		);
		mostSentBetween = Math.max(mostSentBetween, Number(sent));
		if (await isOver()) return true;
		const elapsed = Date.now() - began;
		if (elapsed > (waves + 1) * waveEveryMs) {
			waves++;
			await sandbox.setFaults([wave, ...always]);
		}
		await killIfDue(elapsed);
		return false;
	};
	try {
		await client.activate(id);
		await poll(isThrough, { timeoutMs, everyMs: 1_000, what: 'the campaign to end' });
	} finally {
		await Promise.all(starting.values());
	}
	const seconds = (Date.now() - began) / 1000;
	await client.deactivate(id);

	const summary = await sandbox.summary();
	const rows = await database.query<Row>('SELECT * FROM campaign_recipients ORDER BY id');
	const { deliveries: first } = await sandbox.ledger();
	const reported = (await report()).filter((row) => row.campaign === CAMPAIGN);

	// A second start, with some that are new: nothing else is sent.
	const more = recipients(size.campaign.more, size.campaign.recipients);
	await sandbox.reset(always);
	await add(more);
	await client.activate(id);
	await poll(isOver, { timeoutMs: 120_000, what: 'the second start to end' });
	// A tick more: it finds nothing to claim.
	await sleep(6_000);
	await client.deactivate(id);
	const { deliveries: second } = await sandbox.ledger();
	const expected = more
		.filter(({ phone, optedOut }) => phone.startsWith('+') && !optedOut)
		.map(({ phone }) => phone);

	await cluster.setWorkers(2);
	return {
		...settingsOf(example.nodes),
		recipients: rows.length,
		seconds,
		messagesPerSecond: summary.accepted / seconds,
		kills,
		deadExecutions: dead.size,
		requests: summary.received,
		rateLimited: summary.byStatus['429'] ?? 0,
		mostSentBetween,
		duplicates: summary.duplicates,
		expected: {
			rejected: list.filter(({ isRejected }) => isRejected).length,
			skipped: list.filter(({ optedOut }) => optedOut).length,
		},
		...compare(rows, first),
		reported: Object.fromEntries(
			reported.map(({ status, recipients: count }) => [status, count]),
		) as Record<string, number>,
		secondStart: {
			added: more.length,
			expected: expected.length,
			sent: [...second.values()].reduce((sum, count) => sum + count, 0),
			toOthers: [...second.keys()].filter((to) => !expected.includes(to)).length,
		},
	};
}

/** The table against what the service accepted. */
function compare(rows: Row[], deliveries: Map<string, number>) {
	const of = (...statuses: string[]) => rows.filter(({ status }) => statuses.includes(status));
	// The customers of the example are written in other ways.
	const times = ({ phone }: Row) => deliveries.get(phone) ?? 0;
	const ids = of('accepted').flatMap(({ message_id: messageId }) => messageId ?? []);
	return {
		statuses: countBy(rows, 'status'),
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
		uncertainFor: countBy(of('uncertain'), 'reason'),
	};
}

/** What the example is set to: what its arithmetic is made of. */
function settingsOf(nodes: object[]) {
	const text = JSON.stringify(nodes);
	const number = (pattern: RegExp) => Number(pattern.exec(text)![1]);
	return {
		batch: number(/LIMIT (\d+)\\n {2}FOR UPDATE/),
		maxConcurrency: number(/"maxConcurrency":(\d+)/),
		batchesAtATime: number(/\) < (\d+)\\n/),
	};
}

/** Executions that a worker has begun and not ended, by its log. */
function underWay(worker: Instance): number[] {
	const log = logOf(worker);
	const ended = log.filter(({ what }) => what !== 'started').map(({ id }) => id);
	return log.map(({ id }) => id).filter((id) => !ended.includes(id));
}
