/**
 * Runs the tests that reach a mutant, the fast ones first, up to the first that fails. Jest itself would load every file
 * of both suites to find them.
 */
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { default: TestRunner } = require('jest-runner');

const environment = require('./environment');

/** The names of each file's tests, kept by the run without a mutant, which comes first. */
const NAMES = '.tmp/test-names.json';

/** Stryker searches for tests with a pattern of their names: a longer one would slow down each mutant. */
const LONGEST_NAME = 1000;

const isEngine = ({ path }) => path.includes('/test/engine/');

module.exports = class extends TestRunner {
	async runTests(tests, watcher, options) {
		const pattern = this._globalConfig.testNamePattern;
		await (pattern === undefined
			? this.runAll(tests, watcher, options)
			: this.runMatching(new RegExp(pattern, 'i'), tests, watcher, options));
	}

	async runAll(tests, watcher, options) {
		const names = {};
		this.on('test-file-success', ([{ path }, { testResults }]) => {
			names[path] = testResults.map(({ fullName }) => fullName);
		});
		await super.runTests(tests, watcher, options);
		const long = Object.values(names)
			.flat()
			.find(({ length }) => length > LONGEST_NAME);
		if (long) throw new Error(`The name of a test is too long: ${long.slice(0, 100)}`);
		mkdirSync('.tmp', { recursive: true });
		writeFileSync(NAMES, JSON.stringify(names));
	}

	async runMatching(pattern, tests, watcher, options) {
		const names = JSON.parse(readFileSync(NAMES, 'utf8'));
		const matching = tests.filter(({ path }) => names[path].some((name) => pattern.test(name)));
		for (const test of matching.sort((a, b) => isEngine(a) - isEngine(b))) {
			if (!environment.isDecided) await super.runTests([test], watcher, options);
		}
	}
};
