/**
 * Runs the tests that reach a mutant up to the first one that fails: first the file that noticed the mutant before, since
 * mutants come in the order of the code, then the fastest files. Jest itself would load every file to find the tests.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import TestRunner, { type TestRunnerOptions } from 'jest-runner';
import type { Test, TestWatcher } from 'jest-runner';
import environment from './environment.cts';

/** What is known of each file from the run without a mutant, which comes first. */
const FILES = '.tmp/test-files.json';

type Files = Record<string, { milliseconds: number; names: string[] }>;

/** The file that noticed the last mutant that was noticed. */
let lastToNotice: string | undefined;

class LikeliestFirst extends TestRunner {
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
		const cost = ({ path }: Test) => (path === lastToNotice ? 0 : files[path].milliseconds);
		const matching = tests
			.filter(({ path }) => files[path].names.some((name) => pattern.test(name)))
			.sort((one, other) => cost(one) - cost(other));
		for (const test of matching) {
			await super.runTests([test], watcher, options);
			if (!environment.isDecided) continue;
			lastToNotice = test.path;
			return;
		}
	}
}

export = LikeliestFirst;
