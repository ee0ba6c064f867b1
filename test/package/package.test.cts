/** What gets published: no more and no less than n8n needs, and what its guidelines ask of package.json. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import { isBuiltin } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { finish } from '../../scripts/lib/child.cts';
import * as paths from '../../scripts/lib/paths.cts';
import { packNode } from '../n8n/package-under-test.cts';

jest.setTimeout(300_000);

const read = (name: string) => fs.readFileSync(path.join(paths.root, name), 'utf8');

interface Manifest {
	name: string;
	license: string;
	keywords: string[];
	repository: { url: string };
	scripts: Record<string, string>;
	n8n: { strict: boolean; nodes: string[]; credentials: string[] };
	peerDependencies: Record<string, string>;
}

const manifest = JSON.parse(read('package.json')) as Manifest;

describe('the tarball', () => {
	let files: string[];
	beforeAll(async () => {
		const list = execFileSync('tar', ['-tzf', await packNode()], { encoding: 'utf8' });
		files = list
			.trim()
			.split('\n')
			.map((name) => name.replace(/^package\//, ''));
	});

	test('holds the two bundles, the output schemas, the icons and the papers, and nothing else', () => {
		expect(files.toSorted()).toEqual(
			[
				...manifest.n8n.nodes,
				...manifest.n8n.credentials,
				'dist/nodes/OutboundMessaging/OutboundMessaging.node.json',
				...['sendTemplate', 'sendText', 'sendAttachment'].map(
					(operation) => `dist/nodes/OutboundMessaging/__schema__/v1.0.0/${operation}.json`,
				),
				'dist/icons/outboundMessaging.svg',
				'dist/icons/outboundMessaging.dark.svg',
				'package.json',
				'README.md',
				'CHANGELOG.md',
				'LICENSE',
				'THIRD_PARTY_NOTICES',
			].toSorted(),
		);
	});

	test('asks for nothing at run time but what n8n brings', () => {
		for (const file of [...manifest.n8n.nodes, ...manifest.n8n.credentials]) {
			const required = [...read(file).matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
			const packages = required.filter((name) => !isBuiltin(name));
			expect(new Set(packages)).toEqual(new Set(['n8n-workflow']));
		}
	});

	test('names every library that is in it, with its license', () => {
		const bundled = manifest.n8n.nodes.flatMap((file) =>
			[...read(file).matchAll(/^\s*\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(
				([, name]) => name,
			),
		);
		expect(bundled).toContain('libphonenumber-js');
		const notices = read('THIRD_PARTY_NOTICES');
		for (const name of new Set(bundled)) {
			const { license } = JSON.parse(read(`node_modules/${name}/package.json`)) as Manifest;
			expect(license).toMatch(/^(MIT|ISC|BSD-[23]-Clause|Apache-2\.0)$/);
			expect(notices).toContain(
				`${name} (${license})\n\n${read(`node_modules/${name}/LICENSE`).trim()}`,
			);
		}
	});

	test('is below 90 kB', async () => {
		expect(fs.statSync(await packNode()).size).toBeLessThan(90_000);
	});

	test('names nothing of the machine it was built on', () => {
		for (const file of files.filter((name) => /\.(js|ts|json)$/.test(name))) {
			expect(read(file)).not.toContain(paths.root);
			expect(read(file)).not.toContain('sourceMappingURL');
		}
	});

	test('has the class that each file name promises, and its icons', async () => {
		for (const file of [...manifest.n8n.nodes, ...manifest.n8n.credentials]) {
			const [name] = path.basename(file).split('.');
			expect(await import(path.join(paths.root, file))).toHaveProperty(name, expect.any(Function));
			const icons = [...read(file).matchAll(/["']file:([^"']+)["']/g)].map(([, icon]) =>
				path.posix.join(path.posix.dirname(file), icon),
			);
			expect(icons).toHaveLength(2);
			expect(files).toEqual(expect.arrayContaining(icons));
		}
	});
});

describe('package.json', () => {
	test('asks nothing of whoever installs it: no dependencies, no scripts that run on their machine', () => {
		expect(manifest).not.toHaveProperty('dependencies');
		expect(manifest).not.toHaveProperty('optionalDependencies');
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		for (const hook of ['preinstall', 'install', 'postinstall', 'prepare']) {
			expect(manifest.scripts).not.toHaveProperty(hook);
		}
	});

	test('has the name, the keyword, the license and the repository that n8n looks for', () => {
		expect(manifest.name).toBe('n8n-nodes-outbound-messaging');
		expect(manifest.keywords).toContain('n8n-community-node-package');
		expect(manifest.license).toBe('MIT');
		expect(read('LICENSE')).toMatch(/^MIT License/);
		expect(manifest.repository.url).toMatch(/^git\+https:\/\/github\.com\/[^/]+\/[^/]+\.git$/);
		expect(manifest.n8n).toMatchObject({ n8nNodesApiVersion: 1, strict: true });
		const codex = JSON.parse(read('nodes/OutboundMessaging/OutboundMessaging.node.json')) as object;
		expect(codex).toHaveProperty('node', `${manifest.name}.outboundMessaging`);
	});

	test.each(['package-lock.json', 'test/n8n/package-lock.json'])(
		'%s names packages, not the registry they came from',
		(file) => {
			expect(read(file)).not.toMatch(/"resolved"\s*:/);
			expect(read(file)).toContain('"integrity"');
		},
	);
});

describe('publishing from a developer’s machine', () => {
	/** What reached a registry that would take anything. */
	async function publish(what: string) {
		const arrived: Array<string | undefined> = [];
		const registry = http.createServer((request, response) => {
			arrived.push(request.method);
			response.writeHead(request.method === 'PUT' ? 201 : 404).end('{}');
		});
		await once(registry.listen(0, '127.0.0.1'), 'listening');
		const host = `127.0.0.1:${(registry.address() as AddressInfo).port}/`;
		// Whatever kind of CI runs this test, its own right to publish must not get in.
		const { GITHUB_ACTIONS: _, GITLAB_CI: __, SIGSTORE_ID_TOKEN: ___, ...env } = process.env;
		const flags = [`--registry=http://${host}`, `--//${host}:_authToken=any`, '--loglevel=error'];
		try {
			const { child } = await finish('npm', ['publish', what, ...flags], { cwd: paths.root, env });
			return { puts: arrived.filter((method) => method === 'PUT').length, output: child.output() };
		} finally {
			registry.close();
			registry.closeAllConnections();
		}
	}

	test.each([
		['the folder', async () => '.'],
		['a tarball', packNode],
	])(
		'%s is rejected before anything is published, although lifecycle scripts are off',
		async (_, what) => {
			const { puts, output } = await publish(await what());
			expect([puts, output]).toEqual([0, expect.stringMatching(/provenance/)]);
		},
	);
});
