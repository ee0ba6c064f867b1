/** A Redis and a PostgreSQL of the run's own: own ports, own folders, gone with the run. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll, run, start } from '../../scripts/lib/child.cts';
import { freePort } from '../../scripts/lib/ports.cts';
import { fromN8n } from '../n8n/release.cts';
import { home, postgresFolder, redisServer } from './installed.cts';
import { services } from './settings.cts';

const HOST = '127.0.0.1';
const USER = 'n8n';
const STOP_MS = 20_000;

/** What is used of n8n's own client library. */
type RedisClass = new (
	port: number,
	host: string,
) => {
	ping(): Promise<string>;
	info(section: string): Promise<string>;
	pttl(key: string): Promise<number>;
	disconnect(): void;
};

export async function startRedis(folder: string) {
	const port = await freePort();
	const { cwd, command } = home(folder, 'redis');
	const where = ['--bind', HOST, '--port', String(port), '--dir', cwd];
	const choices = services.redis.command.slice(1);
	const child = await start(...command(redisServer()!, ...where, ...choices));
	const Redis = fromN8n('ioredis') as RedisClass;
	const client = new Redis(port, HOST);
	await poll(async () => (await client.ping()) === 'PONG', { child, what: 'Redis to answer' });
	return {
		client,
		env: { QUEUE_BULL_REDIS_HOST: HOST, QUEUE_BULL_REDIS_PORT: String(port) },
		async stop() {
			client.disconnect();
			await child.stop();
		},
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
	const boot = async () => {
		const server = await start(...command(path.join(programs, 'postgres'), ...data, ...where));
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

	const address = { host: HOST, port, user: USER };
	const pools: Pool[] = [];
	/** It connects again after a restart. */
	const connect = (database: string) => {
		const { Pool } = fromN8n('pg') as { Pool: new (options: object) => Pool };
		const pool = new Pool({ ...address, database, max: 1 });
		pool.on('error', () => {});
		pools.push(pool);
		return async <Row,>(sql: string, values?: unknown[]) =>
			(await pool.query(sql, values)).rows as Row[];
	};
	const admin = connect('postgres');
	return {
		/** @param milliseconds that it is gone for */
		async restart(milliseconds: number) {
			await end();
			await sleep(milliseconds);
			child = await boot();
		},
		/** A new database with a connection to it. */
		async createDatabase(name: string) {
			await admin(`CREATE DATABASE ${name}`);
			const query = connect(name);
			return {
				query,
				async megabytes() {
					const sql = 'SELECT pg_database_size(current_database()) / 2.0 ^ 20 AS megabytes';
					return Number((await query<{ megabytes: string }>(sql))[0].megabytes);
				},
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
			await end();
		},
	};
}
