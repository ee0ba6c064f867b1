/** A reporter for jest that prints how far it is, a short line at a time; scripts/lib/suites.js reads them. */
const path = require('node:path');

const PREFIX = '@progress ';
const MAX_NAME_CHARS = 80;

class ProgressReporter {
	#files = 0;
	#endedFiles = 0;
	#tests = 0;
	#current = '';

	onRunStart({ numTotalTestSuites }) {
		this.#files = numTotalTestSuites;
		this.#print();
	}

	onTestFileStart({ path: file }) {
		this.#current = path.basename(file);
		this.#print();
	}

	onTestCaseResult(_test, { fullName }) {
		this.#tests += 1;
		this.#current = fullName;
		this.#print();
	}

	onTestFileResult() {
		this.#endedFiles += 1;
		this.#print();
	}

	#print() {
		// Names of tests may hold whatever the test is about: very long texts, invisible characters, line breaks.
		const name = this.#current.slice(0, MAX_NAME_CHARS).replace(/[\p{C}\p{Z}]+/gu, ' ');
		const counts = `${this.#endedFiles} of ${this.#files} files, ${this.#tests} tests`;
		process.stdout.write(`${PREFIX}${counts}: ${name}\n`);
	}
}

module.exports = ProgressReporter;
module.exports.PREFIX = PREFIX;
