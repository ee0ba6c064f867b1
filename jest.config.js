/** One runner for every suite; each can be run alone with --selectProjects. */
const typescript = {
	testMatch: ['**/*.test.ts'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'test/tsconfig.json' }] },
};
const javascript = { testMatch: ['**/*.test.js'], transform: {} };

/** Each suite looks at its own folder only: the real n8n under test/n8n has 2,000 packages. */
const suite = (name, kind) => ({ displayName: name, roots: [`<rootDir>/test/${name}`], ...kind });

module.exports = {
	// Generous: a small machine that does other things as well is no defect.
	testTimeout: 30_000,
	projects: [
		suite('unit', typescript),
		suite('fuzz', typescript),
		suite('engine', typescript),
		suite('sandbox', javascript),
		suite('package', javascript),
		suite('docs', javascript),
		suite('e2e', javascript),
		suite('ui', javascript),
		suite('scale', javascript),
	],
};
