/** How a step of the test run is carried out and counted. */
import fs from 'node:fs';
import path from 'node:path';
import type { FormattedTestResults } from '@jest/test-result';
import { PREFIX } from './jestProgress.cts';
import { finish } from './child.cts';
import * as paths from './paths.cts';

const MINUTE = 60_000;

/** Prints how far jest is, a line at a time; nothing else of its output is of use while it runs. */
const PROGRESS = path.join(__dirname, 'jestProgress.cts');

/** The reporter is TypeScript, and jest loads it before it has a transform. */
const TYPESCRIPT = ['--require', 'tsx/cjs'];

/** Lines of a command's output that are shown when it failed. */
const SHOWN_LINES = 200;

/** Jest's report also counts these; its types don't say so. */
type AggregatedCounts = FormattedTestResults & { numTodoTests: number };

export interface Count {
	passed: number;
	failed: number;
	remarks: string[];
	/** What a person has to read. */
	failures?: string;
}

export interface Suite {
	name: string;
	run(onProgress: (text: string) => void): Promise<Count>;
}

export interface SuiteOptions {
	minutes?: number;
	args?: string[];
}

/** A command that counts as one test: it ends well or it does not. @param args script and arguments, run with this Node */
export const command = (
	name: string,
	args: string[],
	{ minutes = 10 }: SuiteOptions = {},
): Suite => ({
	name,
	async run() {
		const { problem, output } = await execute(args, minutes);
		if (!problem) return { passed: 1, failed: 0, remarks: [] };
		return { passed: 0, failed: 1, remarks: [problem], failures: output };
	},
});

/** Work that counts as one test. */
export const task = (name: string, work: () => Promise<unknown>): Suite => ({
	name,
	async run() {
		try {
			await work();
			return { passed: 1, failed: 0, remarks: [] };
		} catch (error) {
			return { passed: 0, failed: 1, remarks: [], failures: (error as Error).message };
		}
	},
});

/** One project of the jest configuration; its tests are counted one by one. */
export const jest = (name: string, { minutes = 10, args = [] }: SuiteOptions = {}): Suite => ({
	name,
	async run(onProgress) {
		const report = path.join(paths.tmp, `jest-${name}.json`);
		fs.mkdirSync(paths.tmp, { recursive: true });
		fs.rmSync(report, { force: true });
		const selected = ['--ci', '--selectProjects', name, '--reporters', PROGRESS];
		const reported = ['--json', '--outputFile', report];
		const { problem, output } = await execute(
			[...TYPESCRIPT, bin('jest'), ...selected, ...reported, ...args],
			minutes,
			onProgress,
		);
		return count(report, problem, output);
	},
});

/** What is not proven counts as failed: skipped tests, files that could not run, an empty project. */
function count(report: string, problem: string | undefined, output: string): Count {
	const remarks = problem ? [problem] : [];
	if (!fs.existsSync(report)) {
		return { passed: 0, failed: 1, remarks: [...remarks, 'no report'], failures: output };
	}
	const result = JSON.parse(fs.readFileSync(report, 'utf8')) as AggregatedCounts;
	const passed = result.numPassedTests;
	const counts: Array<[number, string]> = [
		[result.numFailedTests, 'failed'],
		[result.numPendingTests, 'skipped'],
		[result.numTodoTests, 'to do'],
		[result.numRuntimeErrorTestSuites, 'file(s) that could not run'],
		[passed + result.numFailedTests === 0 ? 1 : 0, 'project without a test'],
	];
	const unproven = counts.filter(([number]) => number > 0);
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
async function execute(
	args: string[],
	minutes: number,
	onProgress: (text: string) => void = () => {},
) {
	let rest = '';
	const { child, problem } = await finish(process.execPath, args, {
		cwd: paths.root,
		env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
		onOutput(text) {
			const lines = (rest + text).split('\n');
			rest = lines.pop() ?? '';
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
export const bin = (name: string) =>
	fs.realpathSync(path.join(paths.root, 'node_modules/.bin', name));
