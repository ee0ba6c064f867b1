/** A Redis and a PostgreSQL of the run's own: own ports, own folders, gone with the run. */
import path from 'node:path';
import { run, start } from '../../scripts/lib/child.cts';
import { freePort } from '../../scripts/lib/ports.cts';
import { fromN8n } from '../n8n/release.cts';
import { home, postgresFolder, redisServer } from './installed.cts';
import { services } from './settings.cts';

const HOST = '127.0.0.1';
const USER = 'n8n';

export async function startRedis(folder: string) {
	const port = await freePort();
	const { cwd, command } = home(folder, 'redis');
	const where = ['--bind', HOST, '--port', String(port), '--dir', cwd];
	const choices = services.redis.command.slice(1);
	const child = await start(...command(redisServer()!, ...where, ...choices));
	await child.waitForOutput(/Ready to accept connections/);
	return {
		version: () => /version=([\d.]+)/.exec(child.output())![1],
		env: { QUEUE_BULL_REDIS_HOST: HOST, QUEUE_BULL_REDIS_PORT: String(port) },
		stop: child.stop,
	};
}

interface Pool {
	query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
	on(event: 'error', handler: () => void): void;
	end(): Promise<void>;
}

type Postgres = Awaited<ReturnType<typeof startPostgres>>;

export type Database = Awaited<ReturnType<Postgres['createDatabase']>>;

export async function startPostgres(folder: string) {
	const programs = postgresFolder()!;
	const { cwd, command } = home(folder, 'postgres');
	const data = ['-D', path.join(cwd, 'data')];
	const init = ['-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C'];
	await run(...command(path.join(programs, 'initdb'), ...data, ...init));

	const port = await freePort();
	const where = ['-p', String(port), '-k', cwd, '-c', `listen_addresses=${HOST}`];
	const child = await start(...command(path.join(programs, 'postgres'), ...data, ...where));
	await child.waitForOutput(/ready to accept connections/);

	const address = { host: HOST, port, user: USER };
	const pools: Pool[] = [];
	const connect = (database: string) => {
		const { Pool } = fromN8n('pg') as { Pool: new (options: object) => Pool };
		const pool = new Pool({ ...address, database, max: 1 });
		// PostgreSQL ends the connections that are left when it stops.
		pool.on('error', () => {});
		pools.push(pool);
		return async <Row,>(sql: string, values?: unknown[]) =>
			(await pool.query(sql, values)).rows as Row[];
	};
	const admin = connect('postgres');
	return {
		/** A new database with a connection to it. */
		async createDatabase(name: string) {
			await admin(`CREATE DATABASE ${name}`);
			const query = connect(name);
			return {
				query,
				/** What n8n's Postgres node wants to know; the server asks no one for a password. */
				credential: { ...address, database: name, password: '', ssl: 'disable' },
				env: {
					DB_POSTGRESDB_HOST: HOST,
					DB_POSTGRESDB_PORT: String(port),
					DB_POSTGRESDB_USER: USER,
					DB_POSTGRESDB_DATABASE: name,
				},
			};
		},
		async stop() {
			for (const pool of pools) await pool.end();
			// "Fast": without waiting for whoever still has a connection.
			child.kill('SIGINT');
			await child.stop(20_000);
		},
	};
}
