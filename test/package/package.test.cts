/** What gets published: no more and no less than n8n needs, and n8n's scan for verified nodes. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { operations } from '../../nodes/OutboundMessaging/operations/index.ts';
import { PAGE_TEXTS } from '../../nodes/OutboundMessaging/waitForResponse/question.ts';
import { readAnswer } from '../../nodes/OutboundMessaging/waitForResponse/webhook.ts';
import manifest from '../../package.json';
import { resultOf } from '../../sandbox/results.cts';
import { operationList } from '../../sandbox/specification.cts';
import { finish } from '../../scripts/lib/child.cts';
import * as paths from '../../scripts/lib/paths.cts';
import { temporaryFolder } from '../../scripts/lib/temporaryFolder.cts';
import { sectionOf } from '../docs/markdown.cts';
import { packNode } from '../n8n/package-under-test.cts';
import { bodies } from '../sandbox/sandbox.cts';

jest.setTimeout(300_000);

const read = (name: string) => fs.readFileSync(path.join(paths.root, name), 'utf8');

const SCHEMAS = 'dist/nodes/OutboundMessaging/__schema__/v1.0.0/message';

const bundles = [...manifest.n8n.nodes, ...manifest.n8n.credentials];

let tarball: string;
beforeAll(async () => {
	tarball = await packNode();
});

test('the tarball holds bundles, output schemas, icons and papers, and nothing else', () => {
	const list = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
	expect([...list.matchAll(/^package\/(.+)$/gm)].map(([, name]) => name).toSorted()).toEqual(
		[
			...bundles,
			'dist/nodes/OutboundMessaging/OutboundMessaging.node.json',
			...operations.map(({ option }) => `${SCHEMAS}/${option.value}.json`),
			'dist/icons/outboundMessaging.svg',
			'dist/icons/outboundMessaging.dark.svg',
			'package.json',
			'README.md',
			'CHANGELOG.md',
			'LICENSE',
			'dist/THIRD_PARTY_NOTICES',
		].toSorted(),
	);
});

test('the tarball needs only what n8n brings, and names nothing of the build machine', () => {
	for (const code of bundles.map(read)) {
		const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
		const packages = required.filter((name) => !isBuiltin(name));
		expect(new Set(packages)).toEqual(new Set(['n8n-workflow']));
		expect(code).not.toContain(paths.root);
		expect(code).not.toContain('sourceMappingURL');
	}
});

test('the tarball names every library that is in it, with its license', () => {
	const code = manifest.n8n.nodes.map(read).join('\n');
	const sources = code.matchAll(/^\s*\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm);
	const bundled = new Set([...sources].map(([, name]) => name));
	expect(bundled).toContain('libphonenumber-js');
	const notices = read('dist/THIRD_PARTY_NOTICES');
	// Its data is Google's.
	expect(notices).toMatch(/Apache-2\.0.*\n\n.*Google/);
	for (const name of bundled) {
		const { license } = JSON.parse(read(`node_modules/${name}/package.json`));
		expect(license).toMatch(/^(MIT|ISC|BSD-[23]-Clause|Apache-2\.0)$/);
		const text = read(`node_modules/${name}/LICENSE`).trim();
		expect(notices).toContain(`${name} (${license})\n\n${text}`);
	}
});

test('the tarball is below 200 kB', () => {
	expect(fs.statSync(tarball).size).toBeLessThan(200_000);
});

const schemaOf = (value: unknown): object => {
	if (typeof value !== 'object')
		return { type: typeof value === 'number' ? 'integer' : typeof value };
	const fields = Object.entries(value!).map(([name, field]) => [name, schemaOf(field)]);
	return { type: 'object', properties: Object.fromEntries(fields) as object };
};

/** Every field that an answer can have. */
const ANSWER: object = Object.assign(
	{ respondedAt: '2031-02-03T04:05:06Z', timedOut: true },
	...(['approval', 'choice', 'freeText'] as const).map((type) => {
		const labels = type === 'freeText' ? undefined : ['Yes'];
		const question = { type, labels, message: 'Does Friday suit you?', texts: PAGE_TEXTS };
		const answer = readAnswer(question, '0');
		return 'data' in answer ? answer.data : {};
	}),
);

/** What n8n's editor offers before anything was sent. */
test.each(operations)(
	'the output schema of $option.name has the fields of its output, and no others',
	({ option, path: url, asks }) => {
		const endpoint = operationList.find((each) => each.path === url)!;
		const body = Object.values(bodies).find((each) => endpoint.validateBody(each))!;
		const record = resultOf(endpoint.name, body);
		const expected = schemaOf(asks ? { data: ANSWER, record } : record);
		const schema = JSON.parse(read(`${SCHEMAS}/${option.value}.json`)) as object;
		expect(schema).toEqual({ ...expected, version: 1 });
	},
);

test('the release check stops at what has no owner, and at a tag of another version', async () => {
	const check = async (tag: string) => {
		const args = ['scripts/start.js', 'scripts/releaseCheck.cts', tag];
		const { child, problem } = await finish(process.execPath, args, { cwd: paths.root });
		return [problem === undefined, child.output()];
	};
	const missing = [
		/example/.test(manifest.author.email) && "author's email address",
		/isn't on npm/.test(read('README.md')) && "isn't on npm: take that out",
	].filter((what) => what !== false);
	const [isReady, said] = await check(manifest.version);
	expect(isReady).toBe(missing.length === 0);
	for (const what of missing) expect(said).toContain(what);
	expect(await check('0.0.0')).toEqual([false, expect.stringContaining('The tag is "0.0.0"')]);
});

test("the README's commands put the package where n8n looks for it, without internet", async () => {
	const { section } = sectionOf('README.md', 'Installation');
	const [, commands] = /```bash\n([^]*?)```/.exec(section)!;
	const [pack, ...install] = commands.trim().split('\n');
	// packNode() runs it, too.
	expect(pack).toBe('npm pack --ignore-scripts=false');

	const { folder, remove } = temporaryFolder('clone-');
	const home = path.join(folder, 'home');
	fs.mkdirSync(home);
	const name = `${manifest.name}-${manifest.version}.tgz`;
	fs.copyFileSync(tarball, path.join(folder, name));
	const env = { ...process.env, HOME: home, npm_config_offline: 'true' };
	const { problem } = await finish('bash', ['-ec', install.join('\n')], { cwd: folder, env });
	const installed = path.join(home, '.n8n/nodes/node_modules', manifest.name);
	expect([problem, fs.existsSync(path.join(installed, manifest.n8n.nodes[0]))]).toEqual([
		undefined,
		true,
	]);
	remove();
});

const LOCKS = ['package-lock.json', 'test/n8n/package-lock.json'];
test.each(LOCKS)('%s names packages, not the registry they came from', (file) => {
	expect(read(file)).not.toMatch(/"resolved"\s*:/);
	expect(read(file)).toContain('"integrity"');
});

test('publishing from a developer’s machine fails, also without lifecycle scripts', async () => {
	// Whatever kind of CI runs this test, its own right to publish must not get in.
	const { GITHUB_ACTIONS: _, GITLAB_CI: __, SIGSTORE_ID_TOKEN: ___, ...env } = process.env;
	// Nothing listens there, and npm says so if it gets as far as that.
	const registry = ['--registry=http://127.0.0.1:9', '--//127.0.0.1:9/:_authToken=any'];
	const flags = [...registry, '--fetch-retries=0', '--loglevel=error'];
	for (const what of ['.', tarball]) {
		const options = { cwd: paths.root, env };
		const { child, problem } = await finish('npm', ['publish', what, ...flags], options);
		expect(problem).toBeDefined();
		expect(child.output()).toMatch(/provenance/);
		expect(child.output()).not.toContain('ECONNREFUSED');
	}
});

/**
 * n8n's verification scan of each folder, both legs: the sources, and the unpacked tarball. In a
 * process of its own: the scanner is an ES module, and its rules want to be loaded by Node itself.
 */
const SCAN = `
	import * as scanner from '@n8n/scan-community-package/scanner/scanner.mjs';
	const { analyzePackage, SOURCE_FILE_PATTERNS } = scanner;
	const patterns = { source: SOURCE_FILE_PATTERNS, package: ['**/*.js', 'package.json'] };
	const results = [];
	for (const folder of process.argv.slice(1)) {
		for (const [leg, pattern] of Object.entries(patterns)) {
			const { passed, details } = await analyzePackage(folder + '/' + leg, pattern);
			results.push({ passed, details });
		}
	}
	console.log(JSON.stringify(results));
`;

test("n8n's scan passes, of sources and package, and finds what there is to find", () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'scan-'));
	try {
		const [good, bad] = ['good', 'bad'].map((name) => path.join(folder, name));
		for (const name of ['package.json', 'nodes', 'credentials', 'icons']) {
			fs.cpSync(path.join(paths.root, name), path.join(good, 'source', name), { recursive: true });
		}
		execFileSync('tar', ['-xzf', tarball, '-C', good]);
		const spoiled = ['source/nodes/OutboundMessaging/run.ts', `package/${bundles[0]}`];
		for (const file of spoiled.map((name) => path.join(bad, name))) {
			fs.mkdirSync(path.dirname(file), { recursive: true });
			fs.writeFileSync(file, 'console.log(process.env.HOME);\n');
		}
		// The rules take every file for a node's main file when they see that a test runs them.
		const { NODE_ENV: _, ...env } = process.env;
		const args = ['--input-type=module', '-e', SCAN, good, bad];
		const options = { encoding: 'utf8', env, cwd: paths.root } as const;
		const found = spoiled.map((file) => {
			return { passed: false, details: expect.stringContaining(path.basename(file)) };
		});
		expect(JSON.parse(execFileSync(process.execPath, args, options))).toEqual([
			{ passed: true },
			{ passed: true },
			...found,
		]);
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
});
