/** The release of n8n under test. */
import fs from 'node:fs';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';

const manifest = path.join(paths.n8n, 'node_modules/n8n/package.json');
const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string };

/** @param release e.g. `2.40.0` */
export const isAtLeast = (release: string): boolean =>
	version.localeCompare(release, 'en', { numeric: true }) >= 0;
