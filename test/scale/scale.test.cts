/**
 * n8n in queue mode with real Redis, PostgreSQL and workers, judged by the ledger of the sandbox.
 */
import os from 'node:os';
import n8n from '../n8n/package.json';
import { startCluster, type Cluster } from './cluster.cts';
import { campaign } from './campaign.cts';
import { kill, large, leave, question, sendOnce } from './scenarios.cts';
import { form, size } from './sizes.cts';
import { settingsOf } from './settings.cts';
import { KEPT_KEYS } from '../../nodes/OutboundMessaging/delivery/keys/keyStore.ts';
import { writePage } from './page.cts';

jest.setTimeout(40 * 60_000);
/** Until the example claims a dead batch again. */
const DELAY_SECONDS = 30;

/** What the run measured, by scenario. */
const figures: Record<string, object> = {};
let cluster: Cluster;

async function measure<Result extends object>(scenario: (cluster: Cluster) => Promise<Result>) {
	const measured = await scenario(cluster);
	figures[scenario.name] = measured;
	return measured;
}

beforeAll(async () => {
	cluster = await startCluster();
	const sql = "SELECT split_part(current_setting('server_version'), ' ', 1) AS postgres";
	const [version] = await cluster.database.query<{ postgres: string }>(sql);
	figures.machine = {
		cores: os.availableParallelism(),
		gigabytes: Math.round(os.totalmem() / 2 ** 30),
		n8n: n8n.dependencies.n8n,
		...version,
		redis: cluster.redis.version(),
	};
});

afterAll(async () => {
	await (cluster as Cluster | undefined)?.stop();
	if (form === 'full') writePage(figures);
});

const onceEach = (messages: number) => ({ once: messages, missing: 0, doubles: 0 });

test('a campaign, with workers killed and requests limited: none twice, none lost', async () => {
	const result = await measure(campaign);
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

test('the same list with keys, at the same moment on two workers: each message once', async () => {
	const result = await measure(sendOnce);
	expect(result.atOnce).toEqual(onceEach(size.sendOnce));
	expect(result.onceMoreLater).toEqual(onceEach(size.sendOnce));
	expect(Object.keys(result.statuses)).toEqual(['success']);
	expect(result.workers).toBe(2);
});

test('one long list on one worker: memory stays bounded, and n8n responsive', async () => {
	const columns = Object.values(await measure(large));
	const lockMs = Number(settingsOf('worker').QUEUE_WORKER_LOCK_DURATION);
	for (const [index, column] of columns.entries()) {
		const messages = size.large.sizes[index];
		const customersReached = onceEach(messages);
		expect(column).toMatchObject({ status: 'success', customersReached, startsOfTheJob: 1 });
		expect(column.slowestResponseOfN8nInMs).toBeLessThan(lockMs / 3);
		// So many megabytes may each message add while the execution runs.
		expect(column.megabytesAtPeak - columns[0].megabytesBefore).toBeLessThan(300 + messages * 0.05);
	}
});

test('a killed worker: its executions fail, and no customer gets a second message', async () => {
	const result = await measure(kill);
	expect(result.deadExecutions).toBeGreaterThan(0);
	// n8n doesn't run a dead worker's job again.
	expect(result.startedTwice).toBe(0);
	expect(result.otherStatuses).toEqual({ success: size.kill.executions - result.deadExecutions });
	expect([result.afterTheCrash.doubles, result.afterRetries.doubles]).toEqual([0, 0]);
});

test('a worker that is told to stop in mid-batch ends what it has begun', async () => {
	const result = await measure(leave);
	expect(result.statuses).toEqual({ success: size.leave.executions });
	expect(result.customersReached).toEqual(onceEach(result.messages));
	expect(result.secondsUntilItHadEnded).toBeGreaterThan(1);
});

test('a question of one worker is answered, and its execution goes on there', async () => {
	expect(await question(cluster)).toMatchObject({
		answered: 200,
		status: 'success',
		items: [{ data: { approved: true } }],
	});
});
