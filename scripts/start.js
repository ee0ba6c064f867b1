/**
 * Runs a script of this project or a tool that it uses:
 * `node scripts/start.js scripts/demo.cts --once`,
 * `node scripts/start.js jest --selectProjects unit`. It installs what is missing first, so it is
 * JavaScript, and uses Node's own modules only.
 */
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');
const { pathToFileURL } = require('node:url');
const { promisify } = require('node:util');

const ROOT = path.join(__dirname, '..');
const NEEDED_NODE = [20, 19];

async function start(name) {
	checkNode();
	if (!isInstalled(ROOT)) await install();
	keepLoopbackDirect();
	// From here on as if the script had been started itself.
	process.argv.splice(1, 2, path.extname(name) ? path.resolve(name) : tool(name));
	require('tsx/cjs');
	// Some tools are ES modules.
	if (path.extname(process.argv[1]) === '.cts') require(process.argv[1]);
	else await import(pathToFileURL(process.argv[1]).href);
}

/** The script behind a command of an installed package. */
const tool = (name) => fs.realpathSync(path.join(ROOT, 'node_modules/.bin', name));

/** A proxy is for the package registry. What the tests talk to is on this machine. */
function keepLoopbackDirect() {
	const { NO_PROXY, no_proxy = NO_PROXY } = process.env;
	process.env.NO_PROXY = [no_proxy, '127.0.0.1', 'localhost'].filter(Boolean).join();
	process.env.no_proxy = process.env.NO_PROXY;
}

function checkNode() {
	const [major, minor] = process.versions.node.split('.').map(Number);
	if (major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1])) return;
	console.log(`Node ${NEEDED_NODE.join('.')} or newer is needed, not ${process.versions.node}.`);
	process.exit(1);
}

/**
 * Whether node_modules holds what the lockfile asks for. npm writes its record last: an interrupted
 * installation has none.
 */
function isInstalled(folder) {
	const record = path.join(folder, 'node_modules/.package-lock.json');
	if (!fs.existsSync(record)) return false;
	const packagesIn = (lockfile) => JSON.parse(fs.readFileSync(lockfile, 'utf8')).packages;
	const locked = packagesIn(path.join(folder, 'package-lock.json'));
	const installed = packagesIn(record);
	return Object.entries(locked).every(([name, { version, optional, devOptional, peer }]) => {
		if (name === '' || installed[name]?.version === version) return true;
		return !installed[name] && Boolean(optional || devOptional || peer);
	});
}

/** The tools and libraries of this package (about 1,500 packages, 1 GB). */
async function install() {
	const npm = promisify(execFile)(...npmCommand('ci'), { cwd: ROOT });
	const forget = onEnd(() => {
		npm.child.kill();
		process.exit(130);
	});
	try {
		await step('Installing tools (1 GB), once', () => npm, 60);
	} catch (error) {
		console.log(error.stderr || error.message);
		process.exit(1);
	}
	forget();
}

/**
 * Runs what takes a while, and shows how long: in one line that moves, or, without a terminal, in a
 * line every 30 s.
 * @param usually seconds on most machines
 */
async function step(name, work, usually) {
	const started = Date.now();
	const usual = usually ? `, usually ${clock(usually)}` : '';
	const show = () => {
		const seconds = (Date.now() - started) / 1000;
		const slow = seconds > 2 * usually ? ' (slow machine or network)' : '';
		showLine(`  ${name}: ${clock(seconds)}${usual}${slow}`);
	};
	show();
	const timer = setInterval(show, process.stdout.isTTY ? 1000 : 30_000);
	try {
		return await work();
	} finally {
		clearInterval(timer);
		show();
		if (process.stdout.isTTY) console.log();
	}
}

/** E.g. 02:05. */
const clock = (seconds) => new Date(seconds * 1000).toISOString().slice(14, 19);

/** Writes over the line that the cursor is in; without a terminal, below it. */
function showLine(text) {
	const { stdout } = process;
	if (!stdout.isTTY) return console.log(text);
	readline.cursorTo(stdout, 0);
	stdout.write(text.slice(0, stdout.columns - 1));
	readline.clearLine(stdout, 1);
}

/** Prints in the place of a step's line, which then continues below. */
function log(text = '') {
	if (process.stdout.isTTY) showLine('');
	console.log(text);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Calls the handler on Ctrl+C and its relatives. npm passes a signal to the shell between it and
 * this script, and that shell dies alone, so its loss counts too.
 * @returns what ends that
 */
function onEnd(handler) {
	for (const signal of SIGNALS) process.on(signal, handler);
	const shell = process.ppid;
	const watch = setInterval(() => {
		if (!process.env.npm_lifecycle_event || process.ppid === shell) return;
		clearInterval(watch);
		handler();
	}, 500).unref();
	return () => {
		clearInterval(watch);
		for (const signal of SIGNALS) process.off(signal, handler);
	};
}

/** A command of the npm that runs this script, or else of the one in PATH. */
function npmCommand(...args) {
	const cli = process.env.npm_execpath;
	const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
	const isNpm = cli && path.basename(cli) === 'npm-cli.js';
	return isNpm ? [process.execPath, [cli, ...args, ...quiet]] : ['npm', [...args, ...quiet]];
}

module.exports = { isInstalled, log, npmCommand, onEnd, step, tool };

if (require.main === module) void start(process.argv[2]);
