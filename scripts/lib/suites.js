/** How a step of the test run is carried out and counted. */
const fs = require('node:fs');
const path = require('node:path');
const { finish } = require('./child');
const paths = require('./paths');

const MINUTE = 60_000;

/**
 * @typedef {{ passed: number, failed: number, remarks: string[] }} Count
 * @typedef {{ name: string, run: () => Promise<Count> }} Suite
 */

/**
 * A command that counts as one test: it ends well or it does not.
 *
 * @param {string} name
 * @param {string[]} args script and arguments, run with this Node
 * @param {{ minutes?: number }} [options]
 * @returns {Suite}
 */
const command = (name, args, { minutes = 10 } = {}) => ({
	name,
	async run() {
		const remarks = await execute(args, minutes);
		return { passed: remarks.length ? 0 : 1, failed: remarks.length ? 1 : 0, remarks };
	},
});

/**
 * One project of the jest configuration; its tests are counted one by one.
 *
 * @param {string} name
 * @param {{ minutes?: number, args?: string[] }} [options]
 * @returns {Suite}
 */
const jest = (name, { minutes = 10, args = [] } = {}) => ({
	name,
	async run() {
		const report = path.join(paths.tmp, `jest-${name}.json`);
		fs.mkdirSync(paths.tmp, { recursive: true });
		fs.rmSync(report, { force: true });
		const remarks = await execute(
			[bin('jest'), '--ci', '--selectProjects', name, '--json', '--outputFile', report, ...args],
			minutes,
		);
		return count(report, remarks);
	},
});

/** What is not proven counts as failed: skipped tests, files that could not run, an empty project. */
function count(report, remarks) {
	if (!fs.existsSync(report)) return { passed: 0, failed: 1, remarks: [...remarks, 'no report'] };
	const result = JSON.parse(fs.readFileSync(report, 'utf8'));
	const passed = result.numPassedTests;
	const unproven = [
		[result.numFailedTests, 'failed'],
		[result.numPendingTests, 'skipped'],
		[result.numTodoTests, 'to do'],
		[result.numRuntimeErrorTestSuites, 'file(s) that could not run'],
		[passed + result.numFailedTests === 0 ? 1 : 0, 'project without a test'],
	].filter(([number]) => number > 0);
	const failed = unproven.reduce((sum, [number]) => sum + number, 0);
	return {
		passed,
		// A run can end badly with every test green, for one by a time-out.
		failed: failed || (remarks.length ? 1 : 0),
		remarks: unproven.length ? unproven.map(([number, what]) => `${number} ${what}`) : remarks,
	};
}

/** Runs with the output in sight; gives back what went wrong, if anything. */
async function execute(args, minutes) {
	const { problem } = await finish(process.execPath, args, {
		cwd: paths.root,
		env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
		onOutput: (text) => process.stdout.write(text),
		timeoutMs: minutes * MINUTE,
	});
	return problem ? [problem] : [];
}

/** Script behind a command of an installed package. */
const bin = (name) => fs.realpathSync(path.join(paths.root, 'node_modules/.bin', name));

module.exports = { command, jest, bin };
