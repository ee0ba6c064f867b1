/**
 * Runs the tests that reach a mutant, the fastest files first, up to the first test that fails. Jest itself would load
 * every file of both suites to find them.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import TestRunner, { type TestRunnerOptions } from 'jest-runner';
import type { Test, TestWatcher } from 'jest-runner';
import environment from './environment.cts';

/** What is known of each file from the run without a mutant, which comes first. */
const FILES = '.tmp/test-files.json';

type Files = Record<string, { milliseconds: number; names: string[] }>;

class FastestFirst extends TestRunner {
	async runTests(tests: Test[], watcher: TestWatcher, options: TestRunnerOptions): Promise<void> {
		const pattern = this._globalConfig.testNamePattern;
		await (pattern === undefined
			? this.#runAll(tests, watcher, options)
			: this.#runMatching(new RegExp(pattern, 'i'), tests, watcher, options));
	}

	async #runAll(tests: Test[], watcher: TestWatcher, options: TestRunnerOptions) {
		const files: Files = {};
		this.on('test-file-success', ([{ path }, { perfStats, testResults }]) => {
			const names = testResults.map(({ fullName }) => fullName);
			files[path] = { milliseconds: perfStats.runtime, names };
		});
		await super.runTests(tests, watcher, options);
		mkdirSync('.tmp', { recursive: true });
		writeFileSync(FILES, JSON.stringify(files));
	}

	async #runMatching(
		pattern: RegExp,
		tests: Test[],
		watcher: TestWatcher,
		options: TestRunnerOptions,
	) {
		const files = JSON.parse(readFileSync(FILES, 'utf8')) as Files;
		const matching = tests
			.filter(({ path }) => files[path].names.some((name) => pattern.test(name)))
			.sort((one, other) => files[one.path].milliseconds - files[other.path].milliseconds);
		for (const test of matching) {
			if (!environment.isDecided) await super.runTests([test], watcher, options);
		}
	}
}

export = FastestFirst;
