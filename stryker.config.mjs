/**
 * Mutation testing: changes the node in thousands of small ways, one at a time, and asks the tests which of them they
 * notice. For the folders that you changed: `npm run test:mutation -- --mutate 'nodes/OutboundMessaging/validation/**'`.
 */
import jest from './jest.config.js';

const unit = jest.projects.find(({ displayName }) => displayName === 'unit');

export default {
	testRunner: 'jest',
	jest: {
		// Stryker reads jest.config.js as well, and would run all of its projects.
		config: {
			...unit,
			projects: [],
			// With the sources, from which the tests that reach a mutant are found.
			roots: [...unit.roots, '<rootDir>/nodes', '<rootDir>/credentials'],
			testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
		},
		// Tests of other files aren't loaded.
		enableFindRelatedTests: true,
	},
	coverageAnalysis: 'perTest',
	// Generous: a small machine that does other things as well is no defect.
	dryRunTimeoutMinutes: 20,
	timeoutMS: 10_000,
	mutate: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	// What runs once when a file is loaded (tables, descriptions) would need a process of its own for each mutant.
	ignoreStatic: true,
	// Only what changed since the last run.
	incremental: true,
	incrementalFile: '.tmp/stryker/incremental.json',
	thresholds: { high: 98, low: 95, break: 95 },
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
