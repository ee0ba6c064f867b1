/** The key store in real processes, with n8n's own deduplication store on a real PostgreSQL. */
import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { poll } from '../../scripts/lib/child.cts';
import * as paths from '../../scripts/lib/paths.cts';
import { n8nNode } from '../../scripts/lib/setup.cts';
import { temporaryFolder } from '../../scripts/lib/temporaryFolder.cts';
import type { Order, Report } from './keyStore/orders.cts';
import { startPostgres } from './services/postgres.cts';

const PROCESSES = 16;
const MINUTE = 60_000;

type Database = Awaited<ReturnType<Awaited<ReturnType<typeof startPostgres>>['createDatabase']>>;

/** As n8n's migrations leave it. */
const TABLE = `CREATE TABLE processed_data (
	"workflowId" varchar(36) NOT NULL, "context" varchar(255) NOT NULL, "value" text NOT NULL,
	"createdAt" timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
	"updatedAt" timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
	PRIMARY KEY ("workflowId", "context"))`;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: Database;
let script: string;
let workers: Worker[] = [];

beforeAll(async () => {
	folder = await temporaryFolder('key-store-');
	postgres = await startPostgres(folder.folder);
	database = await postgres.createDatabase('keys');
	await database.query(TABLE);
	script = path.join(folder.folder, 'worker.cjs');
	buildSync({
		entryPoints: [path.join(__dirname, 'keyStore/worker.cts')],
		outfile: script,
		bundle: true,
		platform: 'node',
		// n8n-workflow is n8n's own.
		nodePaths: [path.join(paths.n8n, 'node_modules')],
		logLevel: 'error',
	});
	workers = Array.from({ length: PROCESSES }, startWorker);
	await Promise.all(workers.map(async (worker) => await worker.until('ready')));
}, 5 * MINUTE);

afterAll(async () => {
	for (const { child } of workers) child.kill('SIGKILL');
	await postgres?.stop();
	await folder?.remove();
}, MINUTE);

beforeEach(async () => {
	for (const { reports } of workers) reports.length = 0;
});

interface Worker {
	child: ChildProcess;
	reports: Report[];
	order(order: Order): void;
	until(what: Report['what'], timeoutMs?: number): Promise<void>;
}

function startWorker(): Worker {
	const env = { ...process.env, ...database.env, DB_TYPE: 'postgresdb', N8N_FOLDER: paths.n8n };
	const child = fork(script, { execPath: n8nNode(), execArgv: [], env });
	const reports: Report[] = [];
	child.on('message', (report: Report) => reports.push(report));
	return {
		child,
		reports,
		order: (order) => void child.send(order),
		async until(what, timeoutMs = 4 * MINUTE) {
			const isThere = () => reports.some((report) => report.what === what);
			await poll(isThere, { timeoutMs, what: `a process to be ${what}` });
		},
	};
}

const list = (name: string, count: number) =>
	Array.from({ length: count }, (_, index) => `${name} ${index}`);

/** A list in another order for each process. */
const rotated = (keys: string[], by: number) => [...keys.slice(by), ...keys.slice(0, by)];

/** The keys of which this was reported, once for each time. */
const keysOf = (what: Report['what'], from = workers) =>
	from.flatMap(({ reports }) =>
		reports.flatMap((report) => (report.what === what && 'key' in report ? [report.key] : [])),
	);

async function sendEverywhere(keys: string[], signal?: NodeJS.Signals): Promise<void> {
	workers.forEach((worker, index) =>
		worker.order({
			keys: rotated(keys, Math.floor((index * keys.length) / PROCESSES)),
			maxConcurrency: 10,
			waitMs: 60_000,
			signal: index === 0 ? signal : undefined,
		}),
	);
}

const done = async () =>
	await Promise.all(workers.map(async (worker) => await worker.until('done')));

/** Every key was sent once, and everyone else heard that it was. */
function expectExactlyOnce(keys: string[]): void {
	expect(keysOf('failed')).toEqual([]);
	expect(keysOf('claimed').sort()).toEqual([...keys].sort());
	expect(keysOf('marked').sort()).toEqual([...keys].sort());
	expect(keysOf('alreadySent')).toHaveLength(keys.length * (PROCESSES - 1));
}

async function expectNoLock(): Promise<void> {
	const isFree = async () =>
		(await database.query(`SELECT 1 FROM processed_data WHERE context = ''`)).length === 0;
	await poll(isFree, { what: 'the lock to be given back' });
}

test(
	`${PROCESSES} processes send the same list at the same time: every key once`,
	async () => {
		const keys = list('all', 400);
		await sendEverywhere(keys);
		await done();
		expectExactlyOnce(keys);
		await expectNoLock();
	},
	6 * MINUTE,
);

test(
	'one of them pauses for 10 seconds in the middle of its work under the lock',
	async () => {
		const keys = list('still', 200);
		await sendEverywhere(keys, 'SIGSTOP');
		const [worker] = workers;
		await worker.until('stopping');
		await sleep(1_000);
		const before = keysOf('claimed').length;
		await sleep(9_000);
		expect(keysOf('claimed')).toHaveLength(before);
		worker.child.kill('SIGCONT');
		await done();
		expectExactlyOnce(keys);
		await expectNoLock();
	},
	6 * MINUTE,
);

test(
	'the database is gone for 10 seconds: no key twice, and none lost without a name',
	async () => {
		const keys = list('gone', 400);
		await sendEverywhere(keys);
		await poll(() => keysOf('marked').length > 50, { what: 'some of the messages' });
		await postgres.restart(10_000);
		await done();

		const claimed = keysOf('claimed');
		expect(new Set(claimed).size).toBe(claimed.length);
		const failed = new Set(keysOf('failed'));
		const sent = new Set(claimed);
		for (const key of keysOf('alreadySent')) expect(sent.has(key)).toBe(true);
		// What was being claimed when the database went is uncertain to the others, and named by the one that failed.
		for (const key of keysOf('uncertain')) expect(failed.has(key)).toBe(true);
		for (const key of keys) expect(sent.has(key) || failed.has(key)).toBe(true);
	},
	6 * MINUTE,
);

test(
	'one of them is killed in the middle of 200 messages: what was in flight is uncertain, and nothing else',
	async () => {
		const keys = list('killed', 200);
		const victim = workers[1];
		victim.order({ keys, maxConcurrency: 20, waitMs: 0 });
		await poll(() => keysOf('marked').length >= 70, { everyMs: 5, what: 'some of the messages' });
		victim.child.kill('SIGKILL');
		await sleep(500);

		const next = workers[2];
		next.order({ keys, maxConcurrency: 20, waitMs: 2_000 });
		await next.until('done');
		const marked = keysOf('marked', [victim]);
		const asked = new Set(keysOf('asking', [victim]));
		const open = keysOf('asking', [victim]).filter((key) => !marked.includes(key));
		expect(open.length).toBeGreaterThan(0);
		expect(keysOf('alreadySent', [next])).toEqual(expect.arrayContaining(marked));
		const uncertain = keysOf('uncertain', [next]);
		expect(uncertain.length).toBeGreaterThan(0);
		expect(open).toEqual(expect.arrayContaining(uncertain));
		// No customer who may be without the message is skipped.
		const skipped = keysOf('alreadySent', [next]).filter((key) => !marked.includes(key));
		for (const key of skipped) expect(keysOf('claimed', [victim])).toContain(key);
		expect(keysOf('claimed', [next])).toEqual(
			expect.arrayContaining(keys.filter((key) => !asked.has(key))),
		);
		expect(keysOf('failed')).toEqual([]);
	},
	6 * MINUTE,
);

test(
	'one of them is killed in the middle of its work under the lock: the others continue after a while',
	async () => {
		const keys = list('left', 100);
		workers = workers.filter(({ child }) => child.exitCode === null && child.signalCode === null);
		workers.forEach((worker, index) =>
			worker.order({
				keys,
				maxConcurrency: 10,
				waitMs: 5_000,
				signal: index === 0 ? 'SIGKILL' : undefined,
			}),
		);
		const [victim, ...others] = workers;
		await Promise.all(others.map(async (worker) => await worker.until('done')));

		expect(victim.child.signalCode).toBe('SIGKILL');
		expect(keysOf('failed')).toEqual([]);
		const claimed = keysOf('claimed');
		expect(new Set(claimed).size).toBe(claimed.length);
		const open = keysOf('asking', [victim]);
		for (const key of keysOf('uncertain')) expect(open).toContain(key);
		for (const key of keys) {
			expect(claimed.includes(key) || keysOf('uncertain').includes(key)).toBe(true);
		}
		await expectNoLock();
	},
	6 * MINUTE,
);
