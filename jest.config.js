/** One runner for every suite; each project can be run alone with --selectProjects. */
const typescript = {
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'test/tsconfig.json', isolatedModules: true }] },
};

module.exports = {
	projects: [
		{ displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'], ...typescript },
		{ displayName: 'engine', testMatch: ['<rootDir>/test/engine/**/*.test.ts'], ...typescript },
		{ displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.test.js'] },
		{ displayName: 'ui', testMatch: ['<rootDir>/test/ui/**/*.test.js'] },
	],
};
