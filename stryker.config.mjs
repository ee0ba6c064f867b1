/**
 * Mutation testing: changes the node in many small ways, one at a time, and asks the unit tests
 * which of them they notice: in files of one folder (FOLDER, `validation` or `service`) that
 * changed in the last week, or in those that you name, e.g.
 * `npm run test:mutation -- --mutate 'nodes/OutboundMessaging/validation/text.ts'`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import jest from './jest.config.js';

const unit = jest.projects.find(({ displayName }) => displayName === 'unit');

/**
 * One whose own unit tests are enough. The others need n8n's engine, which takes a minute
 * for each mutant.
 */
const { FOLDER = 'validation' } = process.env;
const SINCE = ['log', '--since=7.days', '--format=', '--name-only', '--diff-filter=d', '--'];
const changed = execFileSync('git', [...SINCE, `nodes/OutboundMessaging/${FOLDER}`], {
	encoding: 'utf8',
});

export default {
	testRunner: 'jest',
	jest: {
		// Stryker reads jest.config.js as well, and would run all of its projects.
		config: {
			...unit,
			projects: [],
			// Only the folder's own tests: nearly every test file reaches a mutant, and jest would load
			// them all. The sources show which do.
			roots: [`${unit.roots[0]}/${FOLDER}`, '<rootDir>/nodes'],
			testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
		},
		// Tests of other files aren't loaded.
		enableFindRelatedTests: true,
	},
	coverageAnalysis: 'perTest',
	// Generous: a small machine that does other things as well is no defect.
	dryRunTimeoutMinutes: 20,
	timeoutMS: 30_000,
	mutate: [...new Set(changed.split('\n').filter((file) => existsSync(file)))],
	// What runs once when a file is loaded (tables, descriptions) would need a process of its own
	// for each mutant.
	ignoreStatic: true,
	// The weekly run fails below.
	thresholds: { high: 98, low: 96, break: 95 },
	tempDirName: '.tmp/stryker/sandboxes',
	// Only what changed since the last run.
	incremental: true,
	incrementalFile: `.tmp/stryker/${FOLDER}.json`,
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
