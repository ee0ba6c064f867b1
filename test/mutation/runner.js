/**
 * Runs the tests that reach a mutant, the fastest files first, up to the first test that fails. Jest itself would load
 * every file of both suites to find them. JavaScript, since Jest loads it as it is.
 */
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { default: TestRunner } = require('jest-runner');

const environment = require('./environment');

/** What is known of each file from the run without a mutant, which comes first. */
const FILES = '.tmp/test-files.json';
/** Stryker searches for tests with a pattern of their names: a longer one would slow down each mutant. */
const LONGEST_NAME = 1000;

module.exports = class extends TestRunner {
	async runTests(tests, watcher, options) {
		const pattern = this._globalConfig.testNamePattern;
		await (pattern === undefined
			? this.runAll(tests, watcher, options)
			: this.runMatching(new RegExp(`^(${pattern})$`), tests, watcher, options));
	}

	async runAll(tests, watcher, options) {
		const files = {};
		this.on('test-file-success', ([{ path }, { perfStats, testResults }]) => {
			const names = testResults.map(({ fullName }) => fullName);
			files[path] = { milliseconds: perfStats.runtime, names };
		});
		await super.runTests(tests, watcher, options);
		const names = Object.values(files).flatMap((file) => file.names);
		const long = names.find(({ length }) => length > LONGEST_NAME);
		if (long) throw new Error(`The name of a test is too long: ${long.slice(0, 100)}`);
		mkdirSync('.tmp', { recursive: true });
		writeFileSync(FILES, JSON.stringify(files));
	}

	async runMatching(pattern, tests, watcher, options) {
		const files = JSON.parse(readFileSync(FILES, 'utf8'));
		const milliseconds = ({ path }) => files[path].milliseconds;
		const matching = tests
			.filter(({ path }) => files[path].names.some((name) => pattern.test(name)))
			.sort((one, other) => milliseconds(one) - milliseconds(other));
		for (const test of matching) {
			if (!environment.isDecided) await super.runTests([test], watcher, options);
		}
	}
};
