/**
 * `npm test`: everything that is checked, in order, with one line of counts at the end.
 *
 *   npm test                        all of it
 *   npm test -- --only unit,engine  some of it
 */
import { stopAll } from './lib/child.cts';
import { findBrowser } from './lib/browser.cts';
import { onEnd } from './lib/lifetime.cts';
import { duration, log, showStatus, step } from './lib/log.cts';
import { ensureN8n } from './lib/setup.cts';
import {
	bin,
	command,
	jest,
	task,
	type Count,
	type Suite,
	type SuiteOptions,
} from './lib/suites.cts';
import { projects } from '../jest.config.js';
import { packNode } from '../test/n8n/package-under-test.cts';
import { ensureServices } from '../test/scale/installed.cts';
import { temporaryFolder } from './lib/temporaryFolder.cts';

interface Result extends Count {
	name: string;
	ms: number;
}

/** Jest projects that need more than the defaults. */
const PROJECTS: Record<string, SuiteOptions | undefined> = {
	engine: { minutes: 20, args: ['--maxWorkers=100%'] },
	// Three files at a time: while some wait for n8n to boot or to end a call, the others work.
	e2e: { minutes: 30, args: ['--maxWorkers=3'] },
	ui: { minutes: 30, args: ['--runInBand'] },
	// The key store's processes need no n8n, and much of both is waiting.
	scale: { minutes: 30, args: ['--maxWorkers=2'] },
};

/**
 * The suites that are worth the minutes it takes to install n8n. Those of a lane wait for each other, and the lanes run at
 * the same time, because all of them wait for n8n much of the time.
 */
const N8N_LANES = [
	['e2e', 'demo'],
	['ui', 'scale'],
];

/** They measure time, so they run on their own, after all others. */
const LAST = ['pauses'];

/** Suites that take longer than one wants to wait, and servers that not everyone has: they run in CI, or when named. */
const ONLY_IN_CI = ['scale'];

const BUILD = 'build';

/** In the order they run; asked for after the set-up, because some tools are only there then. */
function allSuites(): Suite[] {
	return [
		task(BUILD, packNode),
		command('lint', [bin('n8n-node'), 'lint']),
		command('lint-tools', [bin('eslint'), '-c', 'eslint.tools.config.mjs', '.']),
		command('types', [bin('tsc'), '-p', 'tsconfig.tools.json']),
		command('format', [bin('prettier'), '--check', '.']),
		command('spelling', [bin('cspell'), '--no-progress', '--no-summary']),
		...projects.map(({ displayName: name }) => jest(name, PROJECTS[name])),
		command('demo', ['scripts/start.js', 'scripts/demo.cts', '--once']),
	];
}

async function test(): Promise<Result[]> {
	const suites = chosen(allSuites());
	const includes = (name: string) => suites.some((suite) => suite.name === name);
	// What is missing is said before the first test starts.
	if (includes('ui')) await step('Finding a browser', findBrowser);
	if (includes('scale')) {
		await step('Finding Redis and PostgreSQL', ensureServices);
	}

	// What the suites leave behind goes with it, also when they are interrupted.
	const { folder, remove } = await temporaryFolder('outbound-test-');
	process.env.TMPDIR = folder;

	const results: Result[] = [];
	const run = async (lane: Suite[]) => {
		for (const suite of lane) results.push(await runSuite(suite));
	};
	const lanes = N8N_LANES.map((names) => suites.filter(({ name }) => names.includes(name)));
	const inN8n = lanes.flat();
	const last = suites.filter(({ name }) => LAST.includes(name));
	const elsewhere = [...inN8n, ...last];
	const others = suites.filter((suite) => suite.name !== BUILD && !elsewhere.includes(suite));
	const hideStatus = showStatus(() => statusOf(suites));
	// So that no two build at the same time.
	const built = run(suites.filter(({ name }) => name === BUILD));
	/** The first set-up takes minutes, and the other suites don't need it. */
	const runInN8n = async () => {
		await Promise.all([ensureN8n(), built]);
		await packNode();
		await Promise.all(lanes.map(run));
	};
	await Promise.all([
		built.then(async () => await run(others)),
		inN8n.length > 0 && runInN8n().catch((error: Error) => results.push(notSetUp(error))),
	])
		.then(async () => await run(last))
		.finally(hideStatus);
	await remove();
	return results;
}

/** The suites that run now: how far each of them is. */
const running = new Map<string, { since: number; text: string }>();

const statusOf = (suites: Suite[]) =>
	[...running]
		.map(([name, { since, text }]) => {
			const position = suites.findIndex((suite) => suite.name === name) + 1;
			const elapsed = duration(Date.now() - since);
			return `  ${name} (${position} of ${suites.length}, ${elapsed})${text && `: ${text}`}`;
		})
		.join('');

/** Runs a suite: how far it is, then its counts, and the output of nothing but what failed. */
async function runSuite({ name, run }: Suite): Promise<Result> {
	const since = Date.now();
	running.set(name, { since, text: '' });
	const result = await run((text) => running.set(name, { since, text }));
	if (interrupted) throw new Error('Interrupted');
	const entry = { name, ms: Date.now() - since, ...result };
	running.delete(name);
	log(line(entry));
	if (result.failures) log(`\n${result.failures}\n`);
	return entry;
}

/** The suites named by `--only`; a name that does not exist is a mistake, not an empty run. */
function chosen(suites: Suite[]): Suite[] {
	const flag = process.argv.indexOf('--only');
	if (flag < 0) {
		return suites.filter(({ name }) => process.env.CI === 'true' || !ONLY_IN_CI.includes(name));
	}
	const names = (process.argv[flag + 1] ?? '').split(',');
	const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
	if (unknown.length) {
		const known = suites.map(({ name }) => name).join(', ');
		throw new Error(`No suite is called "${unknown.join('", "')}". There are: ${known}.`);
	}
	return suites.filter(({ name }) => names.includes(name));
}

function line({ name, passed, failed, ms, remarks }: Result): string {
	const counts = `${passed} passed, ${failed} failed`;
	const remark = remarks.length ? `  (${remarks.join(', ')})` : '';
	return `${failed ? '✗' : '✓'} ${name.padEnd(10)} ${counts.padEnd(24)} ${duration(ms)}${remark}`;
}

/** What can't be tested counts as failed. */
function notSetUp(error: Error): Result {
	if (!interrupted) log(`\n${error.message}`);
	return { name: 'set-up', ms: 0, passed: 0, failed: 1, remarks: [] };
}

const started = Date.now();
let interrupted = false;

onEnd(async () => {
	interrupted = true;
	log('\nStopping …');
	await stopAll();
	process.exit(130);
});

void test()
	.catch((error: Error) => [notSetUp(error)])
	.then((results) => {
		// The results are of no use, and the handler above ends this process.
		if (interrupted) return;
		const sum = (key: 'passed' | 'failed') =>
			results.reduce((total, result) => total + result[key], 0);
		const failed = results.length > 1 ? results.filter((result) => result.failed) : [];
		log();
		for (const result of failed) log(line(result));
		log(`${results.length} suites in ${duration(Date.now() - started)}`);
		log(`${sum('passed')} passed, ${sum('failed')} failed`);
		process.exitCode = sum('failed') ? 1 : 0;
	});
