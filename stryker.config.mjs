/**
 * Mutation testing: `npm run test:mutation`, or one folder with `-- --mutate 'nodes/OutboundMessaging/validation/**'`.
 * Changes the node in thousands of small ways, one at a time, and asks the unit tests which of them they notice.
 */
import jest from './jest.config.js';

const unit = jest.projects.find(({ displayName }) => displayName === 'unit');

export default {
	testRunner: 'jest',
	// Stryker reads jest.config.js as well, and would run all of its projects.
	jest: { config: { ...unit, testTimeout: jest.testTimeout, projects: [] } },
	coverageAnalysis: 'perTest',
	// Generous: a small machine that does other things as well is no defect.
	dryRunTimeoutMinutes: 20,
	timeoutMS: 15_000,
	mutate: ['nodes/**/*.ts', 'credentials/**/*.ts', '!nodes/**/wireFormat.ts'],
	// What runs once when a file is loaded (tables, descriptions) would need a process of its own for each mutant.
	ignoreStatic: true,
	// Only what changed since the last run.
	incremental: true,
	incrementalFile: '.tmp/stryker/incremental.json',
	ignorePatterns: ['/dist', '/.tmp', '/docs', '/examples', '/bench', '/test/n8n', '/test/e2e'],
	reporters: ['clear-text', 'html', 'progress-append-only'],
	clearTextReporter: { allowColor: false, reportTests: false, skipFull: true },
	htmlReporter: { fileName: '.tmp/stryker/report.html' },
};
