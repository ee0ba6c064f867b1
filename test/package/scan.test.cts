/** n8n's verification scan, both legs: the sources, and the unpacked tarball. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as paths from '../../scripts/lib/paths.cts';
import { packNode } from '../n8n/package-under-test.cts';

jest.setTimeout(300_000);

/** In a process of its own: the scanner is an ES module, and its rules want to be loaded by Node itself. */
const SCRIPT = `
	import { analyzePackage, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';
	const patterns = { source: SOURCE_FILE_PATTERNS, package: ['**/*.js', 'package.json'] };
	const { passed, details } = await analyzePackage(process.argv[2], patterns[process.argv[1]]);
	console.log(JSON.stringify({ passed, details }));
`;

/** The rules take every file for a node's main file when they see that a test runs them. */
const { NODE_ENV: _, ...env } = process.env;

function scan(leg: string, folder: string) {
	const args = ['--input-type=module', '-e', SCRIPT, leg, folder];
	const options = { encoding: 'utf8', env, cwd: paths.root } as const;
	return JSON.parse(execFileSync(process.execPath, args, options)) as object;
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'scan-'));

beforeAll(async () => {
	execFileSync('tar', ['-xzf', await packNode(), '-C', folder]);
	for (const name of ['package.json', 'nodes', 'credentials', 'icons']) {
		fs.cpSync(path.join(paths.root, name), path.join(folder, 'source', name), { recursive: true });
	}
});

afterAll(() => fs.rmSync(folder, { recursive: true }));

test.each([
	['source', 'nodes/OutboundMessaging/run.ts'],
	['package', 'dist/nodes/OutboundMessaging/OutboundMessaging.node.js'],
])('%s passes, and would not with something to find', (leg, file) => {
	const where = path.join(folder, leg);
	expect(scan(leg, where)).toEqual({ passed: true });
	fs.appendFileSync(path.join(where, file), 'console.log(process.env.HOME);\n');
	expect(scan(leg, where)).toEqual({
		passed: false,
		details: expect.stringContaining(path.basename(file)),
	});
});
