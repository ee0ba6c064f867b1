/** Redis and PostgreSQL as they are installed on this machine, run as a user without rights. */
import fs from 'node:fs';
import path from 'node:path';
import { run } from '../../../scripts/lib/child.cts';

/** Where Debian and Ubuntu keep PostgreSQL, one folder for each version. */
const POSTGRES_VERSIONS = '/usr/lib/postgresql';

/** Installs what is missing, where that can be done without asking. A system service that comes with it isn't used. */
export async function ensureServices() {
	const missing: string[] = [];
	if (!redisServer()) missing.push('redis-server');
	if (!postgresFolder()) missing.push('postgresql');
	if (missing.length === 0) return;

	const rights = isRoot ? [] : ['sudo', '-n'];
	const apt = async (...args: string[]) => {
		const command = [...rights, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...args];
		await run(command[0], command.slice(1));
	};
	try {
		await apt('update');
		await apt('install', '-y', '--no-install-recommends', ...missing);
	} catch {
		throw new Error(
			`Queue mode needs ${missing.join(' and ')}, and apt-get couldn't install ${missing[1] ? 'them' : 'it'} here: ` +
				`install the programs 'redis-server', 'initdb' and 'postgres' so that they are in PATH.`,
		);
	}
}

const inPath = (program: string) =>
	process.env
		.PATH!.split(path.delimiter)
		.map((folder) => path.join(folder, program))
		.find((file) => fs.existsSync(file));

export const redisServer = () => inPath('redis-server') ?? inPath('valkey-server');

/** The programs of PostgreSQL: those in PATH, otherwise the newest that Debian has installed. */
export function postgresFolder() {
	const folders = fs.existsSync(POSTGRES_VERSIONS)
		? fs
				.readdirSync(POSTGRES_VERSIONS)
				.sort((left, right) => Number(right) - Number(left))
				.map((version) => path.join(POSTGRES_VERSIONS, version, 'bin'))
		: [];
	const chosen = inPath('postgres');
	if (chosen) folders.unshift(path.dirname(fs.realpathSync(chosen)));
	return folders.find((folder) =>
		['initdb', 'postgres'].every((program) => fs.existsSync(path.join(folder, program))),
	);
}

/** PostgreSQL doesn't run as root, and Redis has no need to: both run as "nobody" then, who has this ID on every Linux. */
const NOBODY = 65_534;
const isRoot = process.getuid!() === 0;

/** A command as that user: `[program, args]`. */
export function asUser(program: string, args: string[]): [program: string, args: string[]] {
	const who = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
	return isRoot ? ['setpriv', [...who, program, ...args]] : [program, args];
}

/** A folder that belongs to that user. */
export function ownFolder(folder: string): string {
	fs.mkdirSync(folder, { mode: 0o700 });
	if (isRoot) fs.chownSync(folder, NOBODY, NOBODY);
	return folder;
}
