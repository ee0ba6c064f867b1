/** A reporter for jest: its last line says how many tests passed, failed and were skipped. */
export default class Counts {
	onRunComplete(_contexts: unknown, results: Record<string, number>): void {
		// And files that couldn't run.
		const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
		const skipped = results.numPendingTests + results.numTodoTests;
		const counts = `${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped`;
		// Behind the summary of jest's own.
		process.once('exit', () => console.log(counts));
	}
}
