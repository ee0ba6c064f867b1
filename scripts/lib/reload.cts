/** Brings every saved change of the node into an n8n that runs with N8N_DEV_RELOAD. */
import fs from 'node:fs';
import path from 'node:path';
import { run } from './child.cts';
import { duration, log } from './log.cts';
import * as paths from './paths.cts';

const FOLDERS = ['nodes', 'credentials', 'icons'];
/** An editor saves several files at once. */
const SETTLED_MS = 200;
const PACKAGE = 'n8n-nodes-outbound-messaging';

/** @param home of the n8n */
export function reloadOnChange(home: string): void {
	const dist = path.join(home, '.n8n/nodes/node_modules', PACKAGE, 'dist');
	let timer: NodeJS.Timeout | undefined;
	let building = Promise.resolve();

	const rebuild = async () => {
		const started = Date.now();
		try {
			// Types are the editor's and the linter's work: this is quicker without.
			await run(process.execPath, ['node_modules/gulp/bin/gulp.js', 'assemble'], {
				cwd: paths.root,
			});
			// n8n watches this folder. A file that is no longer built stays until the next start.
			fs.cpSync(path.join(paths.root, 'dist'), dist, { recursive: true });
			log(`  Rebuilt in ${duration(Date.now() - started)}; n8n loads it.`);
		} catch (error) {
			log(`  The change was not built: ${(error as Error).message}`);
		}
	};

	// Folder by folder: Node's recursive watch loses files that an editor replaces.
	for (const folder of FOLDERS.flatMap(withSubfolders)) {
		fs.watch(folder, () => {
			clearTimeout(timer);
			timer = setTimeout(() => (building = building.then(rebuild)), SETTLED_MS);
		});
	}
	log('\nEvery saved change of nodes/, credentials/ and icons/ is built and loaded.');
}

const withSubfolders = (name: string): string[] => {
	const folder = path.join(paths.root, name);
	const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
	const below = entries.filter((entry) => entry.isDirectory());
	return [folder, ...below.map((entry) => path.join(entry.parentPath, entry.name))];
};
