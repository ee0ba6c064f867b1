/** A PostgreSQL of its own: own port, own folder, gone with the run. */
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { run, start, poll } = require('../../../scripts/lib/child.cts');
const paths = require('../../../scripts/lib/paths.cts');
const { freePort } = require('../../../scripts/lib/ports.cts');
const { asUser, ownFolder, postgresFolder } = require('./installed');

const USER = 'n8n';
const STOP_MS = 20_000;

/** @param {string} folder */
async function startPostgres(folder) {
	const programs = postgresFolder();
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
	const databases = [];
	return {
		/** @param {number} milliseconds that it is gone for */
		async restart(milliseconds) {
			await end();
			await sleep(milliseconds);
			child = await boot();
		},
		/** A new database with a connection to it. */
		async createDatabase(name) {
			await admin.query(`CREATE DATABASE ${name}`);
			const client = connect(address, name);
			databases.push(client);
			return {
				query: async (...args) => (await client.query(...args)).rows,
				async size() {
					const sql = 'SELECT pg_database_size(current_database()) AS bytes';
					return Number((await client.query(sql)).rows[0].bytes);
				},
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

function connect(address, database) {
	// n8n's own client library: no further package to install.
	const { Pool } = require(path.join(paths.n8n, 'node_modules/pg'));
	// It connects again after a restart.
	const pool = new Pool({ ...address, database, max: 1 });
	pool.on('error', () => {});
	return pool;
}

module.exports = { startPostgres };
