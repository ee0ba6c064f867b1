/**
 * The key store in real processes, with n8n's own deduplication store on a real PostgreSQL. What a process that's killed
 * outside of the lock leaves is in test/e2e/kill and in the scenario of the same name.
 */
import { fork } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../scripts/lib/child.cts';
import { n8nNode } from '../../scripts/lib/setup.cts';
import { temporaryFolder } from '../../scripts/lib/temporaryFolder.cts';
import type { Order, Report } from './keyStore/worker.cts';
import { startPostgres, type Database } from './services.cts';

const MINUTE = 60_000;
jest.setTimeout(15 * MINUTE);

const PROCESSES = 16;

/** As n8n's migrations leave it. */
const TABLE = `CREATE TABLE processed_data (
	"workflowId" varchar(36) NOT NULL, "context" varchar(255) NOT NULL, "value" text NOT NULL,
	"createdAt" timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
	"updatedAt" timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
	PRIMARY KEY ("workflowId", "context"))`;

let folder: ReturnType<typeof temporaryFolder>;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: Database;
let workers: Worker[] = [];

beforeAll(async () => {
	folder = temporaryFolder('key-store-');
	postgres = await startPostgres(folder.folder);
	database = await postgres.createDatabase('keys');
	await database.query(TABLE);
	workers = Array.from({ length: PROCESSES }, startWorker);
	for (const worker of workers) await worker.until('ready');
});

afterAll(async () => {
	for (const { child } of workers) child.kill('SIGKILL');
	await postgres?.stop();
	folder?.remove();
});

beforeEach(() => {
	for (const { reports } of workers) reports.length = 0;
});

type Worker = ReturnType<typeof startWorker>;

function startWorker() {
	const child = fork(path.join(__dirname, 'keyStore/worker.cts'), {
		execPath: n8nNode(),
		execArgv: ['--require', require.resolve('tsx/cjs')],
		env: { ...process.env, ...database.env, DB_TYPE: 'postgresdb' },
	});
	const reports: Report[] = [];
	child.on('message', (report: Report) => reports.push(report));
	return {
		child,
		reports,
		order: (order: Order) => void child.send(order),
		async until(what: Report['what']) {
			const isThere = () => reports.some((report) => report.what === what);
			await poll(isThere, { timeoutMs: 10 * MINUTE, what: `a process to be ${what}` });
		},
	};
}

const list = (name: string, count: number) =>
	Array.from({ length: count }, (_, index) => `${name} ${index}`);

/** The keys of which this was reported, once for each time. */
const keysOf = (what: Report['what'], from = workers) =>
	from
		.flatMap(({ reports }) => reports.filter((report) => report.what === what))
		.map(({ key }) => key!);

/**
 * All processes send the list, each in another order.
 * @param waitMs how long they wait for a key that is in flight elsewhere
 * @param signal that the first one sends to itself under the lock
 */
function sendEverywhere(keys: string[], waitMs: number, signal?: NodeJS.Signals): void {
	for (const [index, worker] of workers.entries()) {
		const first = Math.floor((index * keys.length) / workers.length);
		worker.order({
			keys: [...keys.slice(first), ...keys.slice(0, first)],
			waitMs,
			signal: index === 0 ? signal : undefined,
		});
	}
}

const done = async (those = workers) =>
	await Promise.all(those.map(async (worker) => await worker.until('done')));

async function expectNoLock(): Promise<void> {
	const isFree = async () =>
		(await database.query(`SELECT 1 FROM processed_data WHERE context = ''`)).length === 0;
	await poll(isFree, { what: 'the lock to be given back' });
}

test(`${PROCESSES} processes send the same list, one of them pauses for 10 seconds in the middle of its work under the lock: every key once`, async () => {
	const keys = list('all', 400);
	sendEverywhere(keys, MINUTE, 'SIGSTOP');
	const [worker] = workers;
	await worker.until('stopping');
	// On a busy machine, what was claimed before is still being reported.
	let before: number;
	do {
		before = keysOf('claimed').length;
		await sleep(2_000);
	} while (keysOf('claimed').length > before);
	await sleep(7_000);
	expect(keysOf('claimed')).toHaveLength(before);
	worker.child.kill('SIGCONT');
	await done();
	expect(keysOf('failed')).toEqual([]);
	expect(keysOf('claimed').sort()).toEqual([...keys].sort());
	expect(keysOf('marked').sort()).toEqual([...keys].sort());
	// Everyone else heard that it was sent.
	expect(keysOf('alreadySent')).toHaveLength(keys.length * (PROCESSES - 1));
	await expectNoLock();
});

test('the database is gone for 10 seconds: no key twice, and none lost without a name', async () => {
	const keys = list('gone', 400);
	sendEverywhere(keys, MINUTE);
	await poll(() => keysOf('marked').length > 50, { what: 'some of the messages' });
	await postgres.restart(10_000);
	await done();

	const claimed = keysOf('claimed');
	expect(new Set(claimed).size).toBe(claimed.length);
	const failed = new Set(keysOf('failed'));
	const sent = new Set(claimed);
	expect(keysOf('alreadySent').filter((key) => !sent.has(key))).toEqual([]);
	// What was being claimed when the database went is uncertain to the others, and named by the one that failed.
	expect(keysOf('uncertain').filter((key) => !failed.has(key))).toEqual([]);
	expect(keys.filter((key) => !sent.has(key) && !failed.has(key))).toEqual([]);
});

test('one of them is killed in the middle of its work under the lock: the others continue after a while', async () => {
	const keys = list('left', 100);
	// Much less than it takes until the lock is taken over: that time doesn't count.
	sendEverywhere(keys, 5_000, 'SIGKILL');
	const [victim, ...others] = workers;
	await done(others);

	expect(victim.child.signalCode).toBe('SIGKILL');
	expect(keysOf('failed')).toEqual([]);
	const claimed = keysOf('claimed');
	expect(new Set(claimed).size).toBe(claimed.length);
	const uncertain = keysOf('uncertain');
	expect(keysOf('asking', [victim])).toEqual(expect.arrayContaining(uncertain));
	expect([...claimed, ...uncertain]).toEqual(expect.arrayContaining(keys));
	await expectNoLock();
});
