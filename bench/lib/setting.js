/** On what the numbers were taken. */
const { execFileSync } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');
const paths = require('../../scripts/lib/paths.cts');
const { n8nNode } = require('../../scripts/lib/setup.cts');

function setting() {
	const cpus = os.cpus();
	const versionOf = (folder) => require(path.join(folder, 'package.json')).version;
	return {
		date: new Date().toISOString().slice(0, 10),
		cpu: cpus[0].model.trim(),
		cores: cpus.length,
		memoryGb: Math.round(os.totalmem() / 2 ** 30),
		system: `${os.type()} ${os.release()} (${os.arch()})`,
		node: execFileSync(n8nNode(), ['--version'], { encoding: 'utf8' }).trim(),
		n8n: versionOf(path.join(paths.n8n, 'node_modules/n8n')),
		package: versionOf(paths.root),
	};
}

module.exports = { setting };
