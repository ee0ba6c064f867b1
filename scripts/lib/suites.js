/** How a step of the test run is carried out and counted. */
const fs = require('node:fs');
const path = require('node:path');
const { finish } = require('./child');
const paths = require('./paths');

const MINUTE = 60_000;

/** Prints how far jest is, a line at a time; nothing else of its output is of use while it runs. */
const PROGRESS = require.resolve('./jest-progress');
const { PREFIX } = require(PROGRESS);

/** Lines of a command's output that are shown when it failed. */
const SHOWN_LINES = 200;

/**
 * @typedef {{ passed: number, failed: number, remarks: string[], failures?: string }} Count `failures` is what a
 *   person has to read
 * @typedef {{ name: string, run: (onProgress: (text: string) => void) => Promise<Count> }} Suite
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
		const { problem, output } = await execute(args, minutes);
		if (!problem) return { passed: 1, failed: 0, remarks: [] };
		return { passed: 0, failed: 1, remarks: [problem], failures: output };
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
	async run(onProgress) {
		const report = path.join(paths.tmp, `jest-${name}.json`);
		fs.mkdirSync(paths.tmp, { recursive: true });
		fs.rmSync(report, { force: true });
		const selected = ['--ci', '--selectProjects', name, '--reporters', PROGRESS];
		const reported = ['--json', '--outputFile', report];
		const { problem, output } = await execute(
			[bin('jest'), ...selected, ...reported, ...args],
			minutes,
			onProgress,
		);
		return count(report, problem, output);
	},
});

/** What is not proven counts as failed: skipped tests, files that could not run, an empty project. */
function count(report, problem, output) {
	const remarks = problem ? [problem] : [];
	if (!fs.existsSync(report)) {
		return { passed: 0, failed: 1, remarks: [...remarks, 'no report'], failures: output };
	}
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
	const messages = result.testResults
		.filter(({ status }) => status === 'failed')
		.map(({ name, message }) => `${path.relative(paths.root, name)}\n\n${message.trimEnd()}\n`);
	return {
		passed,
		// A run can end badly with every test green, for one by a time-out.
		failed: failed || (problem ? 1 : 0),
		remarks: unproven.length ? unproven.map(([number, what]) => `${number} ${what}`) : remarks,
		failures: messages.join('\n') || (problem && output),
	};
}

/** Runs a script out of sight. */
async function execute(args, minutes, onProgress = () => {}) {
	let rest = '';
	const { child, problem } = await finish(process.execPath, args, {
		cwd: paths.root,
		env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
		onOutput(text) {
			const lines = (rest + text).split('\n');
			rest = lines.pop();
			const latest = lines.findLast((line) => line.startsWith(PREFIX));
			if (latest) onProgress(latest.slice(PREFIX.length));
		},
		timeoutMs: minutes * MINUTE,
	});
	const lines = child
		.output()
		.split('\n')
		.filter((line) => !line.startsWith(PREFIX));
	return { problem, output: lines.slice(-SHOWN_LINES).join('\n') };
}

/** Script behind a command of an installed package. */
const bin = (name) => fs.realpathSync(path.join(paths.root, 'node_modules/.bin', name));

module.exports = { command, jest, bin };
