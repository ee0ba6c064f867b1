/** n8n in queue mode with real Redis, PostgreSQL and workers, judged by the ledger of the sandbox. */
import os from 'node:os';
import n8n from '../n8n/package.json';
import { startCluster, type Cluster } from './cluster.cts';
import { form, size } from './sizes.cts';
import { question } from './scenarios/question.cts';
import * as scenarios from './scenarios/index.cts';
import { settingsOf } from './settings.cts';
import { KEPT_KEYS } from '../../nodes/OutboundMessaging/delivery/keys/keyStore.ts';
import { writePage, type Figures } from './page.cts';

jest.setTimeout(40 * 60_000);
/** Until the example claims a dead batch again. */
const DELAY_SECONDS = 30;
/** Megabytes that a message may add to the memory of a worker while its execution runs. */
const MEGABYTES_PER_MESSAGE = 0.05;

/** What the run measured, by scenario. */
const figures: Partial<Figures> = { form };
let cluster: Cluster;

/** Runs a scenario, and keeps what came out. */
async function measure<Name extends keyof typeof scenarios>(name: Name): Promise<Figures[Name]> {
	const measured = (await scenarios[name](cluster)) as Figures[Name];
	Object.assign(figures, { [name]: measured });
	return measured;
}

beforeAll(async () => {
	cluster = await startCluster();
	const [{ server_version: postgres }] = await cluster.database.query<{ server_version: string }>(
		'SHOW server_version',
	);
	const [, redis] = /redis_version:(\S+)/.exec(await cluster.redis.info('server'))!;
	figures.machine = {
		cores: os.availableParallelism(),
		gigabytes: Math.round(os.totalmem() / 2 ** 30),
		n8n: n8n.dependencies.n8n,
		postgres: postgres.split(' ')[0],
		redis,
	};
});

afterAll(async () => {
	await (cluster as Cluster | undefined)?.stop();
	if (form === 'full') writePage(figures);
});

/** Every customer of the list exactly once, and every execution a success. */
const expectExactlyOnce = (result: Figures['plain']) => {
	const { messages, executions, statuses } = result;
	expect(result).toMatchObject({ once: messages, missing: 0, duplicates: 0 });
	expect(statuses).toEqual({ success: executions });
};

test('a campaign from a table, with workers killed and requests limited: no message twice, no recipient lost', async () => {
	const result = await measure('campaign');
	const { accepted, rejected, skipped, uncertain = 0, ...others } = result.statuses;
	expect(others).toEqual({});
	expect(accepted + rejected + skipped + uncertain).toBe(result.recipients);
	expect(result.reported).toEqual(result.statuses);

	// The table and what the service received.
	expect(result).toMatchObject({
		duplicates: 0,
		mostToOne: 1,
		acceptedNotDelivered: 0,
		notSentButDelivered: 0,
		withoutReason: 0,
		delivered: accepted + result.uncertainDelivered,
		distinctIds: result.acceptedWithId,
	});
	// Two of the example's own customers, besides those of the list.
	expect(skipped).toBe(result.expected.skipped + 1);
	expect(rejected).toBeLessThanOrEqual(result.expected.rejected + 1);
	expect(rejected + uncertain).toBeGreaterThanOrEqual(result.expected.rejected + 1);

	// Only what was in flight when its worker was killed.
	expect(result.deadExecutions).toBeGreaterThan(0);
	expect(result.rateLimited).toBeGreaterThan(0);
	expect(uncertain).toBeLessThanOrEqual(result.deadExecutions * result.maxConcurrency);
	expect(Object.keys(result.uncertainFor)).toEqual([
		expect.stringContaining('this send-once key may have been sent before'),
	]);

	// No key is pushed out before its message is claimed again.
	const { mostSentBetween, batch, batchesAtATime, messagesPerSecond } = result;
	expect(mostSentBetween + batch * batchesAtATime).toBeLessThan(KEPT_KEYS);
	expect(messagesPerSecond * DELAY_SECONDS).toBeLessThan(KEPT_KEYS);

	const { secondStart } = result;
	expect(secondStart).toEqual({ ...secondStart, sent: secondStart.expected, toOthers: 0 });
});

test('a list over many executions on two workers reaches everyone exactly once', async () => {
	const result = await measure('plain');
	expectExactlyOnce(result);
	expect(result.requests).toBe(result.messages);
});

test('the same key on two workers at the same moment sends one message', async () => {
	const result = await measure('sendOnce');
	expect(result.pairs).toBeGreaterThanOrEqual(size.sendOnce.pairs);
	expect(result).toMatchObject({ doubles: 0, lost: 0, laterDoubles: 0 });
});

test('one long list on one worker keeps its job, its memory bounded and n8n responsive', async () => {
	const rows = Object.values(await measure('large'));
	const lockMs = Number(settingsOf('worker').QUEUE_WORKER_LOCK_DURATION);
	for (const row of rows) {
		expect(row).toMatchObject({ status: 'success', once: row.messages, starts: 1 });
		expect(row.locksSeen).toBeGreaterThan(0);
		expect(row.leastLockMs).toBeGreaterThan(lockMs / 3);
		expect(row.longestSilenceMs).toBeLessThan(lockMs / 3);
		expect(row.megabytesPeak - rows[0].megabytesBefore).toBeLessThan(
			300 + row.messages * MEGABYTES_PER_MESSAGE,
		);
	}
});

test('a killed worker: its executions fail once and for all, and a key per message makes a second call safe', async () => {
	const { withoutKey, withKey } = await measure('kill');
	expect(withoutKey.deadExecutions + withKey.deadExecutions).toBeGreaterThan(0);
	for (const result of [withoutKey, withKey]) {
		// n8n doesn't run a dead worker's job again, so no customer gets a second message.
		expect(result.startedTwice).toBe(0);
		expect(result.afterDeath.doubles).toBe(0);
		expect(result.otherStatuses).toEqual({
			success: size.kill.executions - result.deadExecutions,
		});
	}
	expect(withKey.afterRetry.doubles).toBe(0);
	expect(withKey.afterSecondCall!.doubles).toBe(0);
	// Claimed and not accepted: what was between claim and answer when the worker died, at most.
	expect(withKey.afterSecondCall!.missing).toBeLessThanOrEqual(withKey.deadExecutions * 5);
});

test('a worker that is told to stop in mid-batch ends what it has begun', async () => {
	const result = await measure('leave');
	expectExactlyOnce(result);
	expect(result.leftAfterSeconds).toBeGreaterThan(1);
});

test('a question of one worker is answered while others run, and its execution goes on there', async () => {
	expect(await question(cluster)).toMatchObject({
		answered: 200,
		status: 'success',
		items: [{ data: { approved: true } }],
	});
});
