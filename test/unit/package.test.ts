/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- tests run on a developer's machine */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const json = (file: string) => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));

/** All files below a folder, with slashes, relative to the root. */
const filesIn = (folder: string): string[] =>
	readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
		.map((file) => file.split(path.sep).join('/'));

const BUNDLES = [
	'dist/credentials/OutboundMessagingApi.credentials.js',
	'dist/nodes/OutboundMessaging/OutboundMessaging.node.js',
];
const SCHEMAS = ['sendTemplate', 'sendText', 'sendAttachment'].map(
	(operation) => `dist/nodes/OutboundMessaging/__schema__/v1.0.0/${operation}.json`,
);
const COPIES = ['nodes/OutboundMessaging/OutboundMessaging.node.json', ...filesIn('icons')].map(
	(source) => `dist/${source}`,
);

function isStale(): boolean {
	const changed = (file: string) =>
		existsSync(path.join(ROOT, file)) ? statSync(path.join(ROOT, file)).mtimeMs : 0;
	const sources = [...filesIn('nodes'), ...filesIn('credentials'), ...filesIn('icons')];
	const newest = Math.max(...[...sources, 'sandbox/openapi.yaml', 'gulpfile.js'].map(changed));
	return BUNDLES.some((bundle) => changed(bundle) < newest);
}

interface Packed {
	size: number;
	files: Array<{ path: string; size: number }>;
}

function packed(): Packed {
	if (isStale())
		execFileSync(process.execPath, ['node_modules/gulp/bin/gulp.js', 'build'], { cwd: ROOT });
	const output = execFileSync('npm pack --dry-run --json --loglevel=error', {
		cwd: ROOT,
		shell: true,
		encoding: 'utf8',
	});
	const [result] = JSON.parse(output) as Packed[];
	return result;
}

jest.setTimeout(120_000);

let pack: Packed;
let files: string[];
beforeAll(() => {
	pack = packed();
	files = pack.files.map((file) => file.path);
});

describe('what would be published', () => {
	it('the bundles, codex, output schemas and icons, with the pages that explain them', () => {
		const pages = ['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD_PARTY_NOTICES', 'package.json'];
		expect([...files].sort()).toEqual([...BUNDLES, ...SCHEMAS, ...COPIES, ...pages].sort());
		expect(filesIn('dist').sort()).toEqual([...BUNDLES, ...SCHEMAS, ...COPIES].sort());
	});

	it('below 90 kB', () => {
		expect(pack.size).toBeLessThan(90_000);
	});

	it('code that names nothing of the machine it was built on', () => {
		for (const file of files.filter((name) => /\.(js|ts|json)$/.test(name))) {
			const text = readFileSync(path.join(ROOT, file), 'utf8');
			expect(text).not.toContain(ROOT);
			expect(text).not.toContain('sourceMappingURL');
		}
	});
});

describe('package.json', () => {
	const manifest = json('package.json');

	it('nothing has to be installed with it', () => {
		expect(manifest.dependencies ?? {}).toEqual({});
		expect(manifest.optionalDependencies ?? {}).toEqual({});
		expect(manifest.bundledDependencies ?? []).toEqual([]);
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	});

	it('nothing runs when it is installed', () => {
		for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
			expect(manifest.scripts).not.toHaveProperty(script);
		}
	});

	it('n8n finds every file that it names', () => {
		const named = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
		expect(named).toHaveLength(2);
		for (const file of named) expect(files).toContain(file);
	});

	it('each of them has the class that its file name promises', async () => {
		for (const file of [...manifest.n8n.nodes, ...manifest.n8n.credentials]) {
			const [name] = path.basename(file).split('.');
			expect(await import(path.join(ROOT, file))).toHaveProperty(name, expect.any(Function));
		}
	});

	it('the icons that are named are there', () => {
		const named = filesIn('dist')
			.filter((file) => /\.(node|credentials)\.js$/.test(file))
			.flatMap((file) => {
				const text = readFileSync(path.join(ROOT, file), 'utf8');
				return [...text.matchAll(/["']file:([^"']+)["']/g)].map(([, icon]) =>
					path.posix.join(path.posix.dirname(file), icon),
				);
			});
		expect(named).toHaveLength(4);
		for (const icon of named) expect(files).toContain(icon);
	});

	it('the codex names the node by its full type', () => {
		const codex = json('nodes/OutboundMessaging/OutboundMessaging.node.json');
		expect(codex.node).toBe(`${manifest.name}.outboundMessaging`);
	});

	it('is what n8n looks for', () => {
		expect(manifest.name).toBe('n8n-nodes-outbound-messaging');
		expect(manifest.keywords).toContain('n8n-community-node-package');
		expect(manifest.n8n).toMatchObject({ n8nNodesApiVersion: 1, strict: true });
	});
});

it.each(['package-lock.json', 'test/n8n/package-lock.json'])(
	'%s names packages, not the registry they came from',
	(file) => {
		const text = readFileSync(path.join(ROOT, file), 'utf8');
		expect(text).not.toMatch(/"resolved"\s*:/);
		expect(text).toContain('"integrity"');
	},
);
