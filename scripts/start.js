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

/**
 * Whether node_modules holds what the lockfile asks for. npm writes its own record of an installation last,
 * so an interrupted one has none.
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

const IN_VAIN =
	"still at it. If npm can't reach its registry, check HTTPS_PROXY and `npm config get registry`.";

/** The tools and libraries of this package (about 1,300 packages, 1 GB). */
async function install() {
	console.log('  Installing the tools of this package (about a minute, once) …');
	const [command, ...first] = npmCommand();
	const args = [...first, 'ci', '--no-audit', '--no-fund', '--loglevel=error'];
	const npm = spawn(command, args, { cwd: ROOT, stdio: 'inherit' });
	const stop = () => {
		npm.kill();
		process.exit(130);
	};
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
	// npm passes a signal to the shell between it and this script, and that shell dies alone.
	const shell = process.ppid;
	const watch = setInterval(() => process.ppid !== shell && stop(), 500);
	// npm keeps trying for minutes without a word.
	const hint = setTimeout(() => console.log(`    ${IN_VAIN}`), 120_000);
	const code = await new Promise((resolve) => {
		npm.once('error', () => resolve(1));
		npm.once('close', resolve);
	});
	clearInterval(watch);
	clearTimeout(hint);
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, stop);
	if (code !== 0) process.exit(1);
}

/** The npm that runs this script, or else the one in PATH. */
function npmCommand() {
	const cli = process.env.npm_execpath;
	return cli && path.basename(cli) === 'npm-cli.js' ? [process.execPath, cli] : ['npm'];
}

module.exports = { isInstalled, npmCommand, tool };

if (require.main === module) void start(process.argv[2]);
