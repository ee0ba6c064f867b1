/** The n8n under test: its release, and the packages that it brings along. */
import { createRequire } from 'node:module';
import * as paths from '../../scripts/lib/paths.cts';

/** Loads one of n8n's own packages: no further one to install. */
export const fromN8n = createRequire(`${paths.n8n}/package.json`);

const { version } = fromN8n('n8n/package.json') as { version: string };

/** @param release e.g. `2.40.0` */
export const isAtLeast = (release: string): boolean =>
	version.localeCompare(release, 'en', { numeric: true }) >= 0;
