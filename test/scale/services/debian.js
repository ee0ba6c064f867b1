/** Redis and PostgreSQL as Debian packages them, run as a user without rights. */
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { run } = require('../../../scripts/lib/child');

const POSTGRES_VERSIONS = '/usr/lib/postgresql';

/** Installs what is missing. Whatever service of its own a package may set up is not used. */
async function ensureServices() {
	const missing = [];
	if (!redisServer()) missing.push('redis-server');
	if (!postgresFolder()) missing.push('postgresql');
	if (missing.length === 0) return;
	if (process.getuid() !== 0) {
		throw new Error(`Needed: apt-get install ${missing.join(' ')} (or run this as root)`);
	}
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	await run('apt-get', ['update', '-qq'], { env });
	await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], { env });
}

const redisServer = () =>
	['/usr/bin/redis-server', '/usr/local/bin/redis-server'].find((file) => fs.existsSync(file));

/** The programs of the newest PostgreSQL that is installed. */
function postgresFolder() {
	if (!fs.existsSync(POSTGRES_VERSIONS)) return undefined;
	return fs
		.readdirSync(POSTGRES_VERSIONS)
		.sort((left, right) => Number(right) - Number(left))
		.map((version) => path.join(POSTGRES_VERSIONS, version, 'bin'))
		.find((folder) => fs.existsSync(path.join(folder, 'postgres')));
}

/** PostgreSQL refuses to run as root, and Redis has no need to. */
function unprivileged() {
	if (process.getuid() !== 0) return undefined;
	const id = (flag, user) => Number(execFileSync('id', [flag, user], { stdio: 'pipe' }));
	for (const user of ['postgres', 'nobody']) {
		try {
			return { uid: id('-u', user), gid: id('-g', user) };
		} catch {
			// Not on this machine: the next one.
		}
	}
	throw new Error('There is neither a user "postgres" nor "nobody" to run the services as');
}

/** A command as that user: `[program, args]`. */
function asUser(program, args) {
	const user = unprivileged();
	if (!user) return [program, args];
	const who = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
	return ['setpriv', [...who, program, ...args]];
}

/** A folder that belongs to that user. */
function ownFolder(folder) {
	fs.mkdirSync(folder, { mode: 0o700 });
	const user = unprivileged();
	if (user) fs.chownSync(folder, user.uid, user.gid);
	return folder;
}

module.exports = { ensureServices, redisServer, postgresFolder, asUser, ownFolder };
