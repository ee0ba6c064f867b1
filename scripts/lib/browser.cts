/** The browser of the tests and the pictures. */
import path from 'node:path';
import type { LaunchOptions } from 'playwright-core';
import { finish } from './child.cts';
import * as paths from './paths.cts';

const FINDER = path.join(__dirname, 'findBrowser.mts');
const FOLDER = path.join(paths.tmp, 'browser');

/**
 * How playwright starts a browser that was seen to work on this machine: an installed one, or else the one from the
 * package registry.
 */
export async function findBrowser(): Promise<LaunchOptions> {
	const { child, problem } = await finish(process.execPath, ['--import', 'tsx', FINDER, FOLDER], {
		cwd: paths.root,
	});
	if (problem) {
		throw new Error(
			`No browser works on this machine (${process.platform} ${process.arch}), neither an installed one nor the one ` +
				`from the package registry: install Chrome, Chromium or Edge, or set CHROME_PATH to one.`,
		);
	}
	const { env, ...options } = JSON.parse(
		child.output().trim().split('\n').at(-1) ?? '',
	) as LaunchOptions;
	return { ...options, env: { ...process.env, ...env } };
}
