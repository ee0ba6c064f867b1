/** Installs the real n8n; what this package itself needs is there already. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isInstalled, step } from '../start.js';
import { npm } from './npm.cts';
import * as paths from './paths.cts';

const SQLITE = 'node_modules/sqlite3';
const DRIVER = `${SQLITE}/build/Release/node_sqlite3.node`;

type Version = { version: string };
type Lock = { packages: Record<string, Version> };
export const readJson = <T,>(...file: string[]) =>
	JSON.parse(fs.readFileSync(path.join(...file), 'utf8')) as T;

/** The Node binary that n8n runs on. */
export const n8nNode = () => path.join(paths.n8n, 'node_modules/node/bin/node');

/** A real n8n with the Node it wants (about 2,100 packages, 2 GB), away from the package itself. */
export async function ensureN8n(): Promise<void> {
	// The tests run on another release of n8n, which is prepared already.
	if (process.env.OUTBOUND_TEST_N8N) return;
	checkSystem();
	if (!isInstalled(paths.n8n)) {
		const { packages } = readJson<Lock>(paths.n8n, 'package-lock.json');
		// Where no driver is ready-made, it takes a minute or two to compile.
		const both = () =>
			Promise.all([npm(['ci'], { cwd: paths.n8n }), sqliteDriver(packages[SQLITE].version)]);
		await step('Installing n8n (2 GB), once', both, 180);
	}
	if (![n8nNode(), path.join(paths.n8n, DRIVER)].every((file) => fs.existsSync(file)))
		await step('Preparing n8n, once', () => prepareN8n(paths.n8n), 60);
}

/** What the real n8n can't do without, in one sentence. */
const NEEDS_GLIBC =
	"The Node.js from npm that n8n runs on doesn't work with musl (Alpine Linux): use a system " +
	'with glibc, such as the Docker image node:24.';

function checkSystem() {
	if (process.platform === 'win32')
		throw new Error('n8n and its tests need macOS or Linux: on Windows, run this in WSL.');
	const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
	if (process.platform === 'linux' && !header.glibcVersionRuntime) throw new Error(NEEDS_GLIBC);
}

/** Only these two need their install scripts; others would compile things that aren't used here. */
export async function prepareN8n(folder: string): Promise<void> {
	await npm(['rebuild', 'node', '--ignore-scripts=false'], { cwd: folder });
	const driver = await sqliteDriver(readJson<Version>(folder, SQLITE, 'package.json').version);
	const target = path.join(folder, DRIVER);
	fs.mkdirSync(path.dirname(target), { recursive: true });
	fs.copyFileSync(driver, target);
}

/**
 * The database driver: it fits all versions of Node. Compilers don't find their files in a path
 * with a space or an umlaut, so it's made in the system's temporary folder.
 * @returns path of the binary
 */
export async function sqliteDriver(
	version: string,
	kept = paths.tmp,
	install: (
		args: string[],
		options: { cwd: string; env: NodeJS.ProcessEnv },
	) => Promise<unknown> = npm,
): Promise<string> {
	const driver = path.join(kept, `sqlite3-${version}.node`);
	if (fs.existsSync(driver)) return driver;
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sqlite3-'));
	fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
	const flags = ['--no-package-lock', '--ignore-scripts=false'];
	// Where it has to be compiled, that takes half the time. cspell:ignore CPPFLAGS
	const env = { ...process.env, CPPFLAGS: '-O1' };
	const missing = ['python3', 'make', 'c++'].filter((name) => !paths.inPath(name)).join(', ');
	try {
		await install(['install', `sqlite3@${version}`, ...flags], { cwd: folder, env });
		fs.mkdirSync(kept, { recursive: true });
		// Renamed in one step: a copy that was cut short would be taken for the driver.
		fs.copyFileSync(path.join(folder, DRIVER), `${driver}.part`);
		fs.renameSync(`${driver}.part`, driver);
	} catch (error) {
		if (!missing) throw error;
		throw new Error(
			"n8n's database driver couldn't be downloaded ready-made, and can't be compiled without " +
				`${missing}: install a compiler (Debian and Ubuntu: apt-get install python3 make g++; ` +
				'macOS: xcode-select --install).',
		);
	} finally {
		fs.rmSync(folder, { recursive: true, force: true });
	}
	return driver;
}
