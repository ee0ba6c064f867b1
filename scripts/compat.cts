/**
 * `npm run test:compat`: the end-to-end tests on several releases of n8n, with a table at the end.
 *
 *   npm run test:compat              all releases of test/compat/releases.cts
 *   npm run test:compat -- 2.0.3     some of them, or any other one
 *   npm run test:compat -- latest    the newest one on npm
 *
 * Each release is installed once, into a folder of its own below .tmp/compat (about 2
 * GB and 3 minutes).
 */
import fs from 'node:fs';
import path from 'node:path';
import { finish } from './lib/child.cts';
import { runScript } from './lib/lifetime.cts';
import { npm } from './lib/npm.cts';
import * as paths from './lib/paths.cts';
import { ensureN8n, prepareN8n } from './lib/setup.cts';
import { recent, releases, type Release } from '../test/compat/releases.cts';
import pinned from '../test/n8n/package.json';
import { log, step, tool } from './start.js';

type Result = [release: Release, problem: string | undefined];

async function compat(): Promise<boolean> {
	const results: Result[] = [];
	for (const release of await chosen(process.argv.slice(2))) {
		log(`\n──── n8n ${release.n8n} ────`);
		results.push([release, await tryRelease(release)]);
	}
	log('\n| n8n | Node.js | result |\n| --- | --- | --- |');
	for (const [{ n8n, node }, problem] of results) {
		log(`| ${n8n} | ${node} | ${problem ?? 'all passed'} |`);
	}
	return results.every(([, problem]) => !problem);
}

/** The releases named on the command line; all of the list by default. */
async function chosen(names: string[]): Promise<Release[]> {
	if (names.length === 0) return releases;
	return await Promise.all(
		names.map(async (name) => {
			const version = (await npm(['view', `n8n@${name}`, 'version'])).trim();
			return releases.find(({ n8n }) => n8n === version) ?? recent(version);
		}),
	);
}

/** @returns what went wrong; a release that cannot be installed is a result too */
async function tryRelease(release: Release): Promise<string | undefined> {
	const isPinned = release.n8n === pinned.dependencies.n8n;
	const folder = isPinned ? paths.n8n : path.join(paths.tmp, 'compat', release.n8n);
	try {
		await (isPinned ? ensureN8n() : install(release, folder));
	} catch (error) {
		return `could not be installed: ${(error as Error).message}`;
	}
	const config = path.join(paths.root, 'test/compat/jest.config.js');
	const args = [tool('jest'), '--ci', '--maxWorkers=2', '--config', config];
	const { problem } = await finish(process.execPath, args, {
		cwd: paths.root,
		env: { ...process.env, OUTBOUND_TEST_N8N: folder },
		onOutput: (text) => process.stdout.write(text),
		timeoutMs: 30 * 60_000,
	});
	return problem && 'failed, see above';
}

async function install({ n8n, node, overrides }: Release, folder: string): Promise<void> {
	const wanted = JSON.stringify({
		private: true,
		name: 'n8n-under-test',
		version: '0.0.0',
		dependencies: { n8n, node },
		overrides,
	});
	const ready = path.join(folder, 'ready.json');
	if (fs.existsSync(ready) && fs.readFileSync(ready, 'utf8') === wanted) return;

	fs.mkdirSync(folder, { recursive: true });
	fs.writeFileSync(path.join(folder, 'package.json'), wanted);
	fs.copyFileSync(path.join(paths.n8n, '.npmrc'), path.join(folder, '.npmrc'));
	const args = ['install', '--no-package-lock', '--fetch-retries=0'];
	await step('Installing it, once', () => npm(args, { cwd: folder }), 180);
	await step('Preparing n8n, once', () => prepareN8n(folder), 60);
	fs.writeFileSync(ready, wanted);
}

void runScript(compat);
