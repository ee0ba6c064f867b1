/** A reporter for jest that prints how far it is, a short line at a time; scripts/lib/suites.js reads them. */
import path from 'node:path';
import type { Reporter } from '@jest/reporters';

export const PREFIX = '@progress ';
const MAX_NAME_CHARS = 80;

export default class ProgressReporter
	implements
		Pick<Reporter, 'onRunStart' | 'onTestFileStart' | 'onTestCaseResult' | 'onTestFileResult'>
{
	#files = 0;
	#endedFiles = 0;
	#tests = 0;
	#current = '';

	onRunStart({ numTotalTestSuites }: { numTotalTestSuites: number }): void {
		this.#files = numTotalTestSuites;
		this.#print();
	}

	onTestFileStart({ path: file }: { path: string }): void {
		this.#current = path.basename(file);
		this.#print();
	}

	onTestCaseResult(_test: unknown, { fullName }: { fullName: string }): void {
		this.#tests += 1;
		this.#current = fullName;
		this.#print();
	}

	onTestFileResult(): void {
		this.#endedFiles += 1;
		this.#print();
	}

	#print(): void {
		// Names of tests may hold whatever the test is about: very long texts, invisible characters, line breaks.
		const name = this.#current.slice(0, MAX_NAME_CHARS).replace(/[\p{C}\p{Z}]+/gu, ' ');
		const counts = `${this.#endedFiles} of ${this.#files} files, ${this.#tests} tests`;
		process.stdout.write(`${PREFIX}${counts}: ${name}\n`);
	}
}
