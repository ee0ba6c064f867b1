/** Installs what is missing. Only Node's own modules here: it runs before anything is installed. */
const fs = require('node:fs');
const path = require('node:path');
const { npm } = require('./npm');
const paths = require('./paths');
const { say, step } = require('./say');

const NEEDED_NODE = [20, 19];

/** The tools and libraries of this package (about 1,300 packages, 1 GB). */
async function ensureDependencies() {
	checkNode();
	if (isInstalled(paths.root)) return;
	await step('Installing the tools of this package (about a minute, once)', () =>
		npm(['ci'], { cwd: paths.root }),
	);
}

/** A real n8n with the Node it wants (about 2,100 packages, 2 GB), away from the package itself. */
async function ensureN8n() {
	checkNode();
	if (!isInstalled(paths.n8n)) {
		await step('Installing n8n (about 3 minutes, once)', () => npm(['ci'], { cwd: paths.n8n }));
	}
	if (!n8nBinaries().every((file) => fs.existsSync(file))) {
		// Only these two need their install scripts; others would compile things nobody uses here.
		await step('Preparing its Node and its database driver (up to 2 minutes, once)', () =>
			npm(['rebuild', 'node', 'sqlite3', '--ignore-scripts=false'], { cwd: paths.n8n }),
		);
	}
}

const n8nBinaries = () => [
	n8nNode(),
	path.join(paths.n8n, 'node_modules/sqlite3/build/Release/node_sqlite3.node'),
];

/** The Node binary that n8n runs on. */
const n8nNode = () => path.join(paths.n8n, 'node_modules/node/bin/node');

/**
 * Whether node_modules holds what the lockfile asks for. npm writes its own record of an installation last,
 * so an interrupted one has none.
 */
function isInstalled(folder) {
	const record = path.join(folder, 'node_modules/.package-lock.json');
	if (!fs.existsSync(record)) return false;
	const locked = packagesIn(path.join(folder, 'package-lock.json'));
	const installed = packagesIn(record);
	return Object.entries(locked).every(([name, { version, optional, devOptional, peer }]) => {
		if (name === '' || installed[name]?.version === version) return true;
		return !installed[name] && (optional || devOptional || peer);
	});
}

const packagesIn = (lockfile) => JSON.parse(fs.readFileSync(lockfile, 'utf8')).packages;

function checkNode() {
	const [major, minor] = process.versions.node.split('.').map(Number);
	if (major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1])) return;
	say(`Node ${NEEDED_NODE.join('.')} or newer is needed; this is ${process.versions.node}.`);
	process.exit(1);
}

module.exports = { ensureDependencies, ensureN8n, n8nNode };
