/** The tarball that users would install: built and packed once per change of the sources. */
import fs from 'node:fs';
import path from 'node:path';
import { run } from '../../scripts/lib/child.cts';
import { npm } from '../../scripts/lib/npm.cts';
import * as paths from '../../scripts/lib/paths.cts';
import { name } from '../../package.json';

const TARBALL = path.join(paths.tmp, 'n8n-nodes-outbound-messaging.tgz');
const SOURCES = ['nodes', 'credentials', 'icons', 'gulpfile.js', 'tsconfig.json', 'package.json'];

/**
 * The packed package, built and packed again when something changed since.
 * @returns path of the tarball
 */
export async function packNode(): Promise<string> {
	// A release is tested as it was packed elsewhere.
	if (process.env.OUTBOUND_TEST_TARBALL) return process.env.OUTBOUND_TEST_TARBALL;
	const built = newest('dist');
	if (built > 0 && Math.max(built, newest(...SOURCES)) < newest(TARBALL)) return TARBALL;

	// As in a clone: what's missing, packing has to build, although lifecycle scripts are off
	// for dependencies.
	fs.rmSync(path.join(paths.root, 'dist'), { recursive: true, force: true });
	fs.mkdirSync(paths.tmp, { recursive: true });
	const folder = fs.mkdtempSync(path.join(paths.tmp, 'pack-'));
	try {
		const flags = ['--ignore-scripts=false', '--pack-destination', folder];
		await npm(['pack', ...flags], { cwd: paths.root });
		// Renamed in one step, so that no one unpacks half a file.
		fs.renameSync(path.join(folder, fs.readdirSync(folder)[0]), TARBALL);
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
	return TARBALL;
}

/**
 * Newest change under the given paths, 0 where nothing is. A folder's own time changes with files
 * that were removed.
 */
function newest(...places: string[]): number {
	const times = places.map((place) => {
		const file = path.resolve(paths.root, place);
		const stat = fs.statSync(file, { throwIfNoEntry: false });
		const entries = stat?.isDirectory() ? fs.readdirSync(file) : [];
		return Math.max(stat?.mtimeMs ?? 0, newest(...entries.map((entry) => path.join(file, entry))));
	});
	return Math.max(0, ...times);
}

/** Puts the packed node where n8n looks for community packages, as its own installer does. */
export async function installPackage(tarball: string, home: string): Promise<void> {
	const folder = path.join(home, '.n8n/nodes/node_modules', name);
	fs.rmSync(folder, { recursive: true, force: true });
	fs.mkdirSync(folder, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
}
