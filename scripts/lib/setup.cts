/** Installs the real n8n; what this package itself needs is there already. */
import fs from 'node:fs';
import path from 'node:path';
import { isInstalled } from '../start.js';
import { step } from './log.cts';
import { npm } from './npm.cts';
import * as paths from './paths.cts';

/** A real n8n with the Node it wants (about 2,100 packages, 2 GB), away from the package itself. */
export async function ensureN8n(): Promise<void> {
	if (!isInstalled(paths.n8n)) {
		await step('Installing n8n (about 3 minutes, once)', () => npm(['ci'], { cwd: paths.n8n }));
	}
	if (!n8nBinaries().every((file) => fs.existsSync(file))) {
		// Only these two need their install scripts; others would compile things that aren't used here.
		await step('Preparing its Node and its database driver (up to 2 minutes, once)', () =>
			npm(['rebuild', 'node', 'sqlite3', '--ignore-scripts=false'], { cwd: paths.n8n }),
		);
	}
}

const n8nBinaries = () => [
	n8nNode(),
	path.join(paths.n8n, 'node_modules/sqlite3/build/Release/node_sqlite3.node'),
];

/** The Node binary that n8n runs on. */
export const n8nNode = () => path.join(paths.n8n, 'node_modules/node/bin/node');
