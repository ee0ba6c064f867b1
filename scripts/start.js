/**
 * Runs a script of this project or a tool that it uses: `node scripts/start.js scripts/demo.cts --once`, `node
 * scripts/start.js jest --selectProjects unit`. It installs what is missing first, so it is JavaScript, and uses Node's
 * own modules only.
 */
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

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
	console.log(
		`Node ${NEEDED_NODE.join('.')} or newer is needed; this is ${process.versions.node}.`,
	);
	process.exit(1);
}

/** Whether node_modules holds what the lockfile asks for. npm writes its record last: an interrupted installation has none. */
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
	console.log('  Installing the tools of this package (about a minute, once) …');
	const [command, ...first] = npmCommand();
	const args = [...first, 'ci', '--no-audit', '--no-fund', '--loglevel=error'];
	const npm = spawn(command, args, { cwd: ROOT, stdio: 'inherit' });
	const forget = onEnd(() => {
		npm.kill();
		process.exit(130);
	});
	// npm keeps trying for minutes without a word.
	const words =
		'    still at it. Is the registry of `npm config get registry` reachable, and HTTPS_PROXY right?';
	const hint = setTimeout(() => console.log(words), 120_000);
	const code = await new Promise((resolve) => {
		npm.once('error', () => resolve(1));
		npm.once('close', resolve);
	});
	clearTimeout(hint);
	forget();
	if (code !== 0) process.exit(1);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Calls the handler on Ctrl+C and its relatives. npm passes a signal to the shell between it and this script, and that
 * shell dies alone, so its loss counts too. @returns what ends that
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

/** The npm that runs this script, or else the one in PATH. */
function npmCommand() {
	const cli = process.env.npm_execpath;
	return cli && path.basename(cli) === 'npm-cli.js' ? [process.execPath, cli] : ['npm'];
}

module.exports = { isInstalled, npmCommand, onEnd, tool };

if (require.main === module) void start(process.argv[2]);
