/** What gets published: no more and no less than n8n needs, and what its guidelines ask of package.json. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import manifest from '../../package.json';
import { finish } from '../../scripts/lib/child.cts';
import * as paths from '../../scripts/lib/paths.cts';
import { packNode } from '../n8n/package-under-test.cts';

jest.setTimeout(300_000);

const read = (name: string) => fs.readFileSync(path.join(paths.root, name), 'utf8');

const bundles = [...manifest.n8n.nodes, ...manifest.n8n.credentials];

describe('the tarball', () => {
	let files: string[];
	beforeAll(async () => {
		const list = execFileSync('tar', ['-tzf', await packNode()], { encoding: 'utf8' });
		files = [...list.matchAll(/^package\/(.+)$/gm)].map(([, name]) => name);
	});

	test('holds the two bundles, the output schemas, the icons and the papers, and nothing else', () => {
		expect(files.toSorted()).toEqual(
			[
				...bundles,
				'dist/nodes/OutboundMessaging/OutboundMessaging.node.json',
				...['sendTemplate', 'sendText', 'sendAttachment', 'sendAndWait'].map(
					(name) => `dist/nodes/OutboundMessaging/__schema__/v1.0.0/message/${name}.json`,
				),
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

	test('asks for nothing at run time but what n8n brings, and names nothing of the machine it was built on', () => {
		for (const code of bundles.map(read)) {
			const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
			const packages = required.filter((name) => !isBuiltin(name));
			expect(new Set(packages)).toEqual(new Set(['n8n-workflow']));
			expect(code).not.toContain(paths.root);
			expect(code).not.toContain('sourceMappingURL');
		}
	});

	test('is below 150 kB, and has the licenses of the libraries and of their data in it', async () => {
		expect(fs.statSync(await packNode()).size).toBeLessThan(150_000);
		const notices = read('dist/THIRD_PARTY_NOTICES');
		expect(notices).toMatch(/^libphonenumber-js \(MIT\)$[^]*^Copyright \(C\) Google/m);
	});
});

test('the release check stops at what has no owner yet, and at a tag of another version', async () => {
	const check = async (tag: string) => {
		const args = ['scripts/start.js', 'scripts/releaseCheck.cts', tag];
		const { child, problem } = await finish(process.execPath, args, { cwd: paths.root });
		return [problem === undefined, child.output()];
	};
	const isReady = !/example/.test(manifest.author.email);
	expect(await check(manifest.version)).toEqual([
		isReady,
		isReady ? '' : expect.stringContaining("author's email address"),
	]);
	expect(await check('0.0.0')).toEqual([false, expect.stringContaining('The tag is "0.0.0"')]);
});

test.each(['package-lock.json', 'test/n8n/package-lock.json'])(
	'%s names packages, not the registry they came from',
	(file) => {
		expect(read(file)).not.toMatch(/"resolved"\s*:/);
		expect(read(file)).toContain('"integrity"');
	},
);

test('publishing folder or tarball from a developer’s machine is rejected before anything is published, although lifecycle scripts are off', async () => {
	// Whatever kind of CI runs this test, its own right to publish must not get in.
	const { GITHUB_ACTIONS: _, GITLAB_CI: __, SIGSTORE_ID_TOKEN: ___, ...env } = process.env;
	// Nothing listens there, and npm says so if it gets as far as that.
	const registry = ['--registry=http://127.0.0.1:9', '--//127.0.0.1:9/:_authToken=any'];
	const flags = [...registry, '--fetch-retries=0', '--loglevel=error'];
	for (const what of ['.', await packNode()]) {
		const { child, problem } = await finish('npm', ['publish', what, ...flags], {
			cwd: paths.root,
			env,
		});
		expect(problem).toBeDefined();
		expect(child.output()).toMatch(/provenance/);
		expect(child.output()).not.toContain('ECONNREFUSED');
	}
});
