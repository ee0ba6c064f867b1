/** n8n's verification scan, both legs: the sources, and the unpacked tarball. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
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

const folders: string[] = [];
const temporaryFolder = () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'scan-'));
	folders.push(folder);
	return folder;
};
let unpacked: string;

beforeAll(async () => {
	const tarball = await packNode();
	unpacked = temporaryFolder();
	execFileSync('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
});

afterAll(() => folders.forEach((folder) => fs.rmSync(folder, { recursive: true })));

test('the sources pass', () => {
	expect(scan('source', paths.root)).toEqual({ passed: true });
});

test('the packed package passes', () => {
	expect(scan('package', unpacked)).toEqual({ passed: true });
});

describe('the scan finds something where there is something', () => {
	/** The sources, without what installs and builds leave behind. */
	const copyOfSources = () => {
		const copy = temporaryFolder();
		for (const name of ['package.json', 'nodes', 'credentials']) {
			fs.cpSync(path.join(paths.root, name), path.join(copy, name), { recursive: true });
		}
		return copy;
	};

	test('in the sources: a look at the environment, and a dependency', () => {
		const copy = copyOfSources();
		fs.appendFileSync(
			path.join(copy, 'nodes/OutboundMessaging/run.ts'),
			'export const home = process.env.HOME;\n',
		);
		const manifest = path.join(copy, 'package.json');
		const { n8n, ...rest } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
		fs.writeFileSync(manifest, JSON.stringify({ ...rest, n8n, overrides: { left: '1' } }));
		const { passed, details } = scan('source', copy);
		expect(passed).toBe(false);
		expect(details).toMatch(/run\.ts[^]*process/);
		expect(details).toMatch(/package\.json[^]*overrides/);
	});

	test('in the packed package: a line on the console', () => {
		const copy = temporaryFolder();
		fs.cpSync(unpacked, copy, { recursive: true });
		fs.appendFileSync(
			path.join(copy, 'dist/nodes/OutboundMessaging/OutboundMessaging.node.js'),
			'console.log("here");\n',
		);
		const { passed, details } = scan('package', copy);
		expect(passed).toBe(false);
		expect(details).toMatch(/OutboundMessaging\.node\.js[^]*no-console/);
	});
});
