/**
 * Mutation testing: changes the node in many small ways, one at a time, and asks the tests which of them they notice. In
 * the folders that changed in the last week, or in those that you name:
 * `npm run test:mutation -- --mutate 'nodes/OutboundMessaging/validation/**'`.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import jest from './jest.config.js';

const [unit, engine] = ['unit', 'engine'].map((name) =>
	jest.projects.find(({ displayName }) => displayName === name),
);

const SINCE = ['log', '--since=7.days', '--format=', '--name-only', '--', 'nodes', 'credentials'];
const changed = execFileSync('git', SINCE, { encoding: 'utf8' })
	.split('\n')
	.filter((file) => file.endsWith('.ts'));
const folders = new Set(changed.map((file) => `${path.posix.dirname(file)}/*.ts`));

export default {
	testRunner: 'jest',
	jest: {
		// Stryker reads jest.config.js as well, and would run all of its projects.
		config: {
			...unit,
			projects: [],
			// With the sources, from which the tests that reach a mutant are found.
			roots: [...unit.roots, ...engine.roots, '<rootDir>/nodes', '<rootDir>/credentials'],
			testMatch: undefined,
			testRegex: ['/test/unit/.*\\.test\\.ts$', '/test/engine/forMutants\\.ts$'],
			testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
		},
		// Tests of other files aren't loaded.
		enableFindRelatedTests: true,
	},
	coverageAnalysis: 'perTest',
	// Each time n8n-core is loaded, it leaves memory behind, and hooks that slow down every promise.
	maxTestRunnerReuse: 20,
	// Generous: a small machine that does other things as well is no defect.
	dryRunTimeoutMinutes: 20,
	timeoutMS: 30_000,
	mutate: [...folders],
	// What runs once when a file is loaded (tables, descriptions) would need a process of its own for each mutant.
	ignoreStatic: true,
	// The weekly run fails below.
	thresholds: { high: 98, low: 96, break: 95 },
	// Only what changed since the last run.
	incremental: true,
	incrementalFile: '.tmp/stryker/incremental.json',
	ignorePatterns: [
		'/dist',
		'/.tmp',
		'/docs/images',
		'/bench',
		'/test/n8n/node_modules',
		'/test/e2e',
	],
	reporters: ['clear-text', 'html', 'progress-append-only'],
	clearTextReporter: { allowColor: false, reportTests: false, skipFull: true },
	htmlReporter: { fileName: '.tmp/stryker/report.html' },
};
