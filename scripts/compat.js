/**
 * `npm run test:compat`: the end-to-end tests on further releases of n8n, with a table at the end.
 *
 *   npm run test:compat             all releases of test/compat/releases.js
 *   npm run test:compat -- 2.0.3    some of them
 *
 * Each release is installed once, into a folder of its own (about 1.6 GB and 3 minutes).
 */
const fs = require('node:fs');
const path = require('node:path');
const { finish, stopAll } = require('./lib/child');
const { onEnd } = require('./lib/lifetime');
const { npm } = require('./lib/npm');
const paths = require('./lib/paths');
const { duration, say, step } = require('./lib/say');
const { ensureDependencies, ensureN8n } = require('./lib/setup');
const releases = require('../test/compat/releases');

const MINUTE = 60_000;
const DRIVER = 'node_modules/sqlite3/build/Release/node_sqlite3.node';

async function compat() {
	await ensureDependencies();
	await ensureN8n();
	const results = [];
	for (const release of chosen(process.argv.slice(2))) {
		say(`\n──── n8n ${release.n8n} ────`);
		const started = Date.now();
		results.push({ release, ...(await tryRelease(release)), ms: Date.now() - started });
	}
	printTable(results);
	return results.every(({ failures }) => failures.length === 0);
}

/** The releases named on the command line; all of them by default. */
function chosen(names) {
	const unknown = names.filter((name) => !releases.some(({ n8n }) => n8n === name));
	if (unknown.length)
		throw new Error(`test/compat/releases.js does not list ${unknown.join(', ')}`);
	return releases.filter(({ n8n }) => names.length === 0 || names.includes(n8n));
}

/** A release that cannot be installed is a result too. */
async function tryRelease(release) {
	const folder = path.join(paths.tmp, 'compat', release.n8n);
	try {
		await install(release, folder);
	} catch (error) {
		return { passed: 0, failures: [`could not be installed: ${error.message}`] };
	}
	return await runTests(release, folder);
}

async function install({ n8n, node, overrides }, folder) {
	const wanted = JSON.stringify({
		private: true,
		name: 'n8n-under-test',
		version: '0.0.0',
		dependencies: { n8n, node },
		overrides,
	});
	const ready = path.join(folder, 'ready.json');
	if (fs.existsSync(ready) && fs.readFileSync(ready, 'utf8') === wanted) return;

	fs.mkdirSync(folder, { recursive: true });
	fs.writeFileSync(path.join(folder, 'package.json'), wanted);
	fs.copyFileSync(path.join(paths.n8n, '.npmrc'), path.join(folder, '.npmrc'));
	await step('Installing it (about 3 minutes, once)', () =>
		npm(['install', '--no-package-lock', '--fetch-retries=0'], { cwd: folder }),
	);
	await step('Preparing its Node and its database driver', () => prepare(folder));
	fs.writeFileSync(ready, wanted);
}

/** The database driver is compiled for no version of Node in particular: the one at hand will do. */
async function prepare(folder) {
	const version = (where) =>
		JSON.parse(fs.readFileSync(path.join(where, 'node_modules/sqlite3/package.json'))).version;
	const atHand = version(folder) === version(paths.n8n);
	const toBuild = ['node', ...(atHand ? [] : ['sqlite3'])];
	await npm(['rebuild', ...toBuild, '--ignore-scripts=false'], { cwd: folder });
	if (!atHand) return;
	fs.mkdirSync(path.dirname(path.join(folder, DRIVER)), { recursive: true });
	fs.copyFileSync(path.join(paths.n8n, DRIVER), path.join(folder, DRIVER));
}

async function runTests({ n8n }, folder) {
	const report = path.join(paths.tmp, `compat-${n8n}.json`);
	fs.rmSync(report, { force: true });
	const { bin } = require('./lib/suites');
	const config = path.join(paths.root, 'test/compat/jest.config.js');
	await finish(
		process.execPath,
		[bin('jest'), '--ci', '--runInBand', '--config', config, '--json', '--outputFile', report],
		{
			cwd: paths.root,
			env: { ...process.env, OUTBOUND_TEST_N8N: folder },
			onOutput: (text) => process.stdout.write(text),
			timeoutMs: 30 * MINUTE,
		},
	);
	if (!fs.existsSync(report)) return { passed: 0, failures: ['the tests did not come to an end'] };
	const { numPassedTests: passed, testResults } = JSON.parse(fs.readFileSync(report, 'utf8'));
	const failures = testResults.flatMap(({ name, message, assertionResults }) => {
		const file = path.basename(name, '.test.js');
		if (assertionResults.length === 0) return [`${file}: ${message}`];
		return assertionResults
			.filter(({ status }) => status !== 'passed')
			.map(({ fullName }) => `${file}: ${fullName}`);
	});
	return { passed, failures };
}

function printTable(results) {
	say('\n| n8n | Node.js | result | what is different there |');
	say('| --- | --- | --- | --- |');
	for (const { release, passed, failures } of results) {
		const result = `${passed} passed, ${failures.length} failed`;
		const { n8n, node, degraded } = release;
		say(`| ${n8n} | ${node} | ${result} | ${degraded.join('; ') || 'nothing'} |`);
	}
	for (const { release, failures, ms } of results) {
		say(`\nn8n ${release.n8n}: ${duration(ms)}`);
		for (const failure of failures) say(`  ✗ ${failure}`);
	}
}

onEnd(async () => {
	await stopAll();
	process.exit(130);
});

compat()
	.catch((error) => {
		say(`\n${error.message}`);
		return false;
	})
	.then((good) => {
		process.exitCode = good ? 0 : 1;
	});
