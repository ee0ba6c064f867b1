/**
 * One runner for every suite; each can be run alone with --selectProjects. Types are checked by `npm run lint`.
 */
const suite = (name) => ({
	displayName: name,
	// Kept between runs: `npm test` removes the folder for temporary files, where it would be.
	cacheDirectory: '<rootDir>/.tmp/jest',
	// Each suite looks at its own folder only: the real n8n under test/n8n has 2,000 packages.
	roots: [`<rootDir>/test/${name}`],
	testMatch: ['**/*.test.{ts,cts}'],
	moduleFileExtensions: ['js', 'ts', 'cts', 'json', 'node'],
	transform: { '^.+\\.c?ts$': ['ts-jest', { tsconfig: 'test/tsconfig.json' }] },
});

module.exports = {
	// Generous: a small machine that does other things as well is no defect.
	testTimeout: 30_000,
	// Concurrent tests only wait for servers.
	maxConcurrency: 50,
	projects: [
		// In the order in which `npm test` runs them.
		...['unit', 'fuzz', 'sandbox', 'package', 'docs', 'engine'].map(suite),
		{
			...suite('e2e'),
			globalSetup: '<rootDir>/test/e2e/sharedN8n.cts',
			globalTeardown: '<rootDir>/test/e2e/stopSharedN8n.cts',
		},
		...['ui', 'scale', 'pauses'].map(suite),
	],
};
