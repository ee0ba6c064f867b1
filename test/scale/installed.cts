/** Redis and PostgreSQL as they are installed on this machine, run as a user without rights. */
import fs from 'node:fs';
import path from 'node:path';
import { run, type start } from '../../scripts/lib/child.cts';
import { inPath } from '../../scripts/lib/paths.cts';

/** Where Debian and Ubuntu keep PostgreSQL, one folder for each version. */
const POSTGRES_VERSIONS = '/usr/lib/postgresql';
/**
 * PostgreSQL doesn't run as root, and Redis has no need to: then both run as a user without rights,
 * who has this ID on every Linux.
 */
const UNPRIVILEGED = 65_534;
const isRoot = process.getuid?.() === 0;

/**
 * Installs what is missing, where that can be done without asking. A system service that comes
 * with it isn't used.
 */
export async function ensureServices() {
	if (redisServer() && postgresFolder()) return;

	const [command, ...rights] = [...(isRoot ? [] : ['sudo', '-n']), 'env'];
	const apt = async (...args: string[]) =>
		await run(command, [...rights, 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...args]);
	try {
		await apt('update');
		await apt('install', '-y', '--no-install-recommends', 'redis-server', 'postgresql');
	} catch {
		throw new Error(
			`Queue mode needs Redis and PostgreSQL, and apt-get couldn't install them here: ` +
				`install the programs 'redis-server', 'initdb' and 'postgres' so that they are in PATH.`,
		);
	}
}

export const redisServer = () => inPath('redis-server') ?? inPath('valkey-server');

/** The programs of PostgreSQL: those in PATH, otherwise the newest that Debian has installed. */
export function postgresFolder() {
	const versions = fs.existsSync(POSTGRES_VERSIONS) ? fs.readdirSync(POSTGRES_VERSIONS) : [];
	const newestFirst = versions.sort((left, right) => Number(right) - Number(left));
	const chosen = inPath('postgres');
	return [
		...(chosen ? [path.dirname(fs.realpathSync(chosen))] : []),
		...newestFirst.map((version) => path.join(POSTGRES_VERSIONS, version, 'bin')),
	].find((folder) =>
		['initdb', 'postgres'].every((program) => fs.existsSync(path.join(folder, program))),
	);
}

/** A folder of its own for a service, and commands in it, both of a user without rights. */
export function home(folder: string, name: string) {
	const cwd = path.join(folder, name);
	fs.mkdirSync(cwd, { mode: 0o700 });
	if (isRoot) fs.chownSync(cwd, UNPRIVILEGED, UNPRIVILEGED);
	const asUser = [`--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, '--clear-groups'];
	const command = (program: string, ...args: string[]): Parameters<typeof start> =>
		isRoot ? ['setpriv', [...asUser, program, ...args], { cwd }] : [program, args, { cwd }];
	return { cwd, command };
}
