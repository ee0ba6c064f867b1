/**
 * All tests: `npm test` and its relatives run some of the projects. Types are checked
 * by `npm run lint`.
 */
const suite = (name) => ({
	displayName: name,
	cacheDirectory: '<rootDir>/.tmp/jest',
	// Each suite looks at its own folder only: the real n8n under test/n8n has 2,000 packages.
	roots: [`<rootDir>/test/${name}`],
	testMatch: ['**/*.test.{ts,cts}'],
	moduleFileExtensions: ['js', 'ts', 'cts', 'json', 'node'],
	setupFilesAfterEnv: ['<rootDir>/test/hasAssertions.js'],
	transform: { '^.+\\.c?ts$': ['ts-jest', { tsconfig: 'test/tsconfig.json' }] },
});

module.exports = {
	// Generous: a small machine that does other things as well is no defect.
	testTimeout: 120_000,
	// Concurrent tests only wait for servers.
	maxConcurrency: 50,
	projects: [
		// Without an installed n8n.
		...['unit', 'fuzz', 'sandbox', 'package', 'docs', 'engine', 'promises'].map(suite),
		// In a real one.
		{
			...suite('e2e'),
			globalSetup: '<rootDir>/test/e2e/sharedN8n.cts',
			globalTeardown: '<rootDir>/test/e2e/stopSharedN8n.cts',
		},
		{ ...suite('ui'), globalSetup: '<rootDir>/test/ui/setUp.cts' },
		// In queue mode.
		{ ...suite('scale'), globalSetup: '<rootDir>/test/scale/setUp.cts' },
	],
};
