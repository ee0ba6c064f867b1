/** n8n's verification scan, both legs: the sources, and the unpacked tarball. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import type { Leg, Verdict } from './scan.mts' with { 'resolution-mode': 'import' };
import { packNode } from '../n8n/package-under-test.cts';

jest.setTimeout(300_000);

/** The rules take every file for a node's main file when they see that a test runs them. */
const { NODE_ENV: _, ...env } = process.env;

const scan = (leg: Leg, folder: string) =>
	JSON.parse(
		execFileSync(
			process.execPath,
			['--import', 'tsx', path.join(__dirname, 'scan.mts'), leg, folder],
			{ encoding: 'utf8', env },
		),
	) as Verdict;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'scan-'));
const unpacked = path.join(folder, 'package');
const sources = path.join(folder, 'sources');

beforeAll(async () => {
	execFileSync('tar', ['-xzf', await packNode(), '-C', folder]);
	for (const name of ['package.json', 'nodes', 'credentials']) {
		fs.cpSync(path.join(paths.root, name), path.join(sources, name), { recursive: true });
	}
});

afterAll(() => fs.rmSync(folder, { recursive: true }));

test.each<[Leg, string]>([
	['source', paths.root],
	['package', unpacked],
])('%s passes', (leg, where) => {
	expect(scan(leg, where)).toEqual({ passed: true });
});

test.each<[Leg, string, string, string]>([
	['source', sources, 'nodes/OutboundMessaging/run.ts', 'export const home = process.env.HOME;'],
	[
		'package',
		unpacked,
		'dist/nodes/OutboundMessaging/OutboundMessaging.node.js',
		'console.log("here");',
	],
])('%s fails when there is something to find', (leg, where, file, line) => {
	fs.appendFileSync(path.join(where, file), `${line}\n`);
	const { passed, details } = scan(leg, where);
	expect(passed).toBe(false);
	expect(details).toContain(path.basename(file));
});
