/** A PostgreSQL of its own: own port, own folder, gone with the run. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run, start, poll } from '../../../scripts/lib/child.cts';
import { freePort } from '../../../scripts/lib/ports.cts';
import { fromN8n } from '../../n8n/release.cts';
import { asUser, ownFolder, postgresFolder } from './installed.cts';

const USER = 'n8n';
const STOP_MS = 20_000;

interface Pool {
	query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
	on(event: 'error', handler: () => void): void;
	end(): Promise<void>;
}

type Postgres = Awaited<ReturnType<typeof startPostgres>>;

export type Database = Awaited<ReturnType<Postgres['createDatabase']>>;

export async function startPostgres(folder: string) {
	const programs = postgresFolder()!;
	const home = ownFolder(path.join(folder, 'postgres'));
	const data = path.join(home, 'data');
	const init = ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C'];
	await run(...asUser(path.join(programs, 'initdb'), init), { cwd: home });

	const port = await freePort();
	const where = ['-D', data, '-p', String(port), '-k', home, '-c', 'listen_addresses=127.0.0.1'];
	const boot = async () => {
		const server = await start(...asUser(path.join(programs, 'postgres'), where), { cwd: home });
		await server.waitForOutput(/ready to accept connections/, 60_000);
		return server;
	};
	/** "Fast": without waiting for whoever still has a connection. */
	const end = async () => {
		if (child.running()) child.kill('SIGINT');
		await poll(() => !child.running(), { timeoutMs: STOP_MS, what: 'PostgreSQL to end' }).catch(
			async () => await child.stop(0),
		);
	};
	let child = await boot();

	const address = { host: '127.0.0.1', port, user: USER };
	const admin = connect(address, 'postgres');
	const databases: Pool[] = [];
	return {
		/** @param milliseconds that it is gone for */
		async restart(milliseconds: number) {
			await end();
			await sleep(milliseconds);
			child = await boot();
		},
		/** A new database with a connection to it. */
		async createDatabase(name: string) {
			await admin.query(`CREATE DATABASE ${name}`);
			const client = connect(address, name);
			databases.push(client);
			return {
				query: async <Row,>(sql: string, values?: unknown[]) =>
					(await client.query(sql, values)).rows as Row[],
				async size() {
					const sql = 'SELECT pg_database_size(current_database()) AS bytes';
					const [{ bytes }] = (await client.query(sql)).rows as Array<{ bytes: string }>;
					return Number(bytes);
				},
				/** What n8n's Postgres node wants to know; the server asks no one for a password. */
				credential: { ...address, database: name, password: '', ssl: 'disable' },
				env: {
					DB_POSTGRESDB_HOST: address.host,
					DB_POSTGRESDB_PORT: String(port),
					DB_POSTGRESDB_USER: USER,
					DB_POSTGRESDB_DATABASE: name,
				},
			};
		},
		async stop() {
			for (const client of [...databases, admin]) await client.end();
			await end();
		},
	};
}

function connect(address: object, database: string): Pool {
	const { Pool } = fromN8n('pg') as { Pool: new (options: object) => Pool };
	// It connects again after a restart.
	const pool = new Pool({ ...address, database, max: 1 });
	pool.on('error', () => {});
	return pool;
}
