/** The tarball that users would install: built and packed once per change of the sources. */
import fs from 'node:fs';
import path from 'node:path';
import { run } from '../../scripts/lib/child.cts';
import { npm } from '../../scripts/lib/npm.cts';
import * as paths from '../../scripts/lib/paths.cts';

const TARBALL = path.join(paths.tmp, 'n8n-nodes-outbound-messaging.tgz');
const SOURCES = [
	...['nodes', 'credentials', 'icons', 'sandbox/openapi.yaml'],
	...['gulpfile.js', 'tsconfig.json', 'package.json'],
];

/** The packed package, built and packed again when something changed since. @returns path of the tarball */
export async function packNode(): Promise<string> {
	if (newest(...SOURCES, 'dist') < newest(TARBALL)) return TARBALL;

	await run(process.execPath, ['node_modules/gulp/bin/gulp.js', 'build'], { cwd: paths.root });
	fs.mkdirSync(paths.tmp, { recursive: true });
	const folder = fs.mkdtempSync(path.join(paths.tmp, 'pack-'));
	try {
		await npm(['pack', '--pack-destination', folder], { cwd: paths.root });
		// Renamed in one step, so that no one unpacks half a file.
		fs.renameSync(path.join(folder, fs.readdirSync(folder)[0]), TARBALL);
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
	return TARBALL;
}

/** Newest change under the given paths, 0 where nothing is. */
function newest(...names: string[]): number {
	const times = names.map((name) => {
		const file = path.resolve(paths.root, name);
		const stat = fs.statSync(file, { throwIfNoEntry: false });
		if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
		// A folder's own time changes with files that were removed.
		return Math.max(
			stat.mtimeMs,
			newest(...fs.readdirSync(file).map((entry) => path.join(file, entry))),
		);
	});
	return Math.max(0, ...times);
}

/** Puts a packed node package where n8n looks for community packages, as its own installer does. */
export async function installPackage(tarball: string, home: string): Promise<void> {
	const modules = path.join(home, '.n8n/nodes/node_modules');
	fs.mkdirSync(modules, { recursive: true });
	const folder = fs.mkdtempSync(path.join(modules, '.unpack-'));
	try {
		await run('tar', ['-xzf', tarball, '-C', folder]);
		const unpacked = path.join(folder, 'package');
		const manifest = fs.readFileSync(path.join(unpacked, 'package.json'), 'utf8');
		const { name } = JSON.parse(manifest) as { name: string };
		const target = path.join(modules, name);
		fs.rmSync(target, { recursive: true, force: true });
		fs.mkdirSync(path.dirname(target), { recursive: true });
		fs.renameSync(unpacked, target);
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
}
