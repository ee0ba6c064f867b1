/**
 * Mutation testing: `npm run test:mutation`, or one folder with `-- --mutate 'nodes/OutboundMessaging/validation/**'`.
 * Changes the node in thousands of small ways, one at a time, and asks the tests which of them they notice.
 */
import jest from './jest.config.js';

const [unit, engine] = ['unit', 'engine'].map((name) =>
	jest.projects.find(({ displayName }) => displayName === name),
);

export default {
	testRunner: 'jest',
	jest: {
		// Stryker reads jest.config.js as well, and would run all of its projects.
		config: {
			...unit,
			// A mutant that waits for ever fails a test; to end its process instead takes longer.
			testTimeout: 10_000,
			projects: [],
			roots: [...unit.roots, ...engine.roots, '<rootDir>/test/mutation'],
			testMatch: undefined,
			testRegex: ['/test/(unit|mutation)/.*\\.test\\.ts$'],
			// The sources in place of what is built from them.
			moduleNameMapper: { 'dist/((nodes|credentials)/.*)\\.js$': '<rootDir>/$1.ts' },
			runner: './test/mutation/runner.cts',
			testEnvironment: './test/mutation/environment.cts',
		},
		enableFindRelatedTests: false,
	},
	// The runner and its environment are TypeScript.
	testRunnerNodeArgs: ['--require', 'tsx/cjs'],
	coverageAnalysis: 'perTest',
	// Each time n8n-core is loaded, it leaves memory behind, and hooks that slow down every promise.
	maxTestRunnerReuse: 20,
	// Generous: a small machine that does other things as well is no defect.
	dryRunTimeoutMinutes: 20,
	timeoutMS: 30_000,
	mutate: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	// What runs once when a file is loaded (tables, descriptions) would need a process of its own for each mutant.
	ignoreStatic: true,
	// Only what changed since the last run.
	incremental: true,
	incrementalFile: '.tmp/stryker/incremental.json',
	ignorePatterns: [
		'/dist',
		'/.tmp',
		'/docs/images',
		'/examples',
		'/bench',
		'/test/n8n',
		'/test/e2e',
	],
	reporters: ['clear-text', 'html', 'progress-append-only'],
	clearTextReporter: { allowColor: false, reportTests: false, skipFull: true },
	htmlReporter: { fileName: '.tmp/stryker/report.html' },
};
