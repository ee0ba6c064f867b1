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
import { bin, command, jest, type Count, type Suite, type SuiteOptions } from './lib/suites.cts';
import { projects } from '../jest.config.js';
import { packNode } from '../test/n8n/package-under-test.cts';
import { ensureServices } from '../test/scale/services/installed.cts';
import { temporaryFolder } from './lib/temporaryFolder.cts';

interface Result extends Count {
	name: string;
	ms: number;
}

/** Jest projects that need more than the defaults. */
const PROJECTS: Record<string, SuiteOptions | undefined> = {
	engine: { minutes: 20, args: ['--maxWorkers=100%'] },
	// Two files at a time: while one waits for n8n to boot or to end a call, the other works.
	e2e: { minutes: 30, args: ['--maxWorkers=2'] },
	ui: { minutes: 30, args: ['--runInBand'] },
	// The key store's processes need no n8n, and much of both is waiting.
	scale: { minutes: 30, args: ['--maxWorkers=2'] },
};

/** The suites that are worth the minutes it takes to install n8n. */
const IN_REAL_N8N = ['e2e', 'ui', 'scale', 'demo'];

/** Suites that take longer than one wants to wait, and servers that not everyone has: they run in CI, or when named. */
const ONLY_IN_CI = ['scale'];

/** Suites that mind the load of an installation beside them. */
const WANT_QUIET = ['engine'];

/** Suites that run beside another one, because both of them wait for n8n most of the time. */
const BESIDE: Record<string, string | undefined> = { ui: 'e2e' };

/** In the order they run; asked for after the set-up, because some tools are only there then. */
function allSuites(): Suite[] {
	return [
		command('lint', [bin('n8n-node'), 'lint']),
		command('lint-tools', [bin('eslint'), '-c', 'eslint.tools.config.mjs', '.']),
		command('types', [bin('tsc'), '-p', 'tsconfig.tools.json']),
		command('format', [bin('prettier'), '--check', '.']),
		command('spelling', [bin('cspell'), '--no-progress', '--no-summary']),
		command('build', [bin('gulp'), 'build']),
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

	// The first set-up takes minutes, and the fast suites do not need it: both run at the same time.
	const needsN8n = IN_REAL_N8N.some(includes);
	const n8nReady = needsN8n ? ensureN8n() : undefined;
	n8nReady?.catch(() => {});

	// What the suites leave behind goes with it, also when they are interrupted.
	const { folder, remove } = await temporaryFolder('outbound-test-');
	process.env.TMPDIR = folder;

	const results: Result[] = [];
	for (const group of groups(suites)) {
		const includesOneOf = (names: string[]) => group.some(({ name }) => names.includes(name));
		if (includesOneOf([...IN_REAL_N8N, ...WANT_QUIET])) await n8nReady;
		// Once for all of them, so that no two build at the same time.
		if (includesOneOf(IN_REAL_N8N)) await packNode();
		results.push(...(await runWithProgress(group, suites)));
	}
	await remove();
	return results;
}

/** Each suite alone, or with those that run beside it. */
function groups(suites: Suite[]): Suite[][] {
	const all: Suite[][] = [];
	for (const suite of suites) {
		const beside = all.find((group) => group.some(({ name }) => name === BESIDE[suite.name]));
		if (beside) beside.push(suite);
		else all.push([suite]);
	}
	return all;
}

/** Runs suites at the same time: how far they are, then the counts of each, and the output of nothing but what failed. */
async function runWithProgress(group: Suite[], all: Suite[]): Promise<Result[]> {
	const started = Date.now();
	const progress = new Map(group.map(({ name }) => [name, '']));
	const hideStatus = showStatus(() => {
		const elapsed = duration(Date.now() - started);
		const each = [...progress].map(([name, text]) => {
			const position = all.findIndex((suite) => suite.name === name) + 1;
			return `  ${name} (${position} of ${all.length}, ${elapsed})${text && `: ${text}`}`;
		});
		return each.join('');
	});
	try {
		return await Promise.all(
			group.map(async ({ name, run }) => {
				const result = await run((text) => progress.set(name, text));
				if (interrupted) throw new Error('Interrupted');
				const entry = { name, ms: Date.now() - started, ...result };
				progress.delete(name);
				log(line(entry));
				if (result.failures) log(`\n${result.failures}\n`);
				return entry;
			}),
		);
	} finally {
		hideStatus();
	}
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

let interrupted = false;

onEnd(async () => {
	interrupted = true;
	log('\nStopping …');
	await stopAll();
	process.exit(130);
});

void test()
	.catch((error: Error): Result[] => {
		if (!interrupted) log(`\n${error.message}`);
		return [{ name: 'set-up', ms: 0, passed: 0, failed: 1, remarks: [] }];
	})
	.then((results) => {
		// The results are of no use, and the handler above ends this process.
		if (interrupted) return;
		const sum = (key: 'passed' | 'failed') =>
			results.reduce((total, result) => total + result[key], 0);
		const failed = results.length > 1 ? results.filter((result) => result.failed) : [];
		log();
		for (const result of failed) log(line(result));
		log(`${sum('passed')} passed, ${sum('failed')} failed`);
		process.exitCode = sum('failed') ? 1 : 0;
	});
