/** The npm that runs this script, or else the one in PATH. */
const path = require('node:path');
const { run } = require('./child');

/**
 * @param {string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
async function npm(args, options) {
	const cli = process.env.npm_execpath;
	const viaNode = cli && path.basename(cli) === 'npm-cli.js';
	const [command, first] = viaNode ? [process.execPath, [cli]] : ['npm', []];
	return await run(
		command,
		[...first, ...args, '--no-audit', '--no-fund', '--loglevel=error'],
		options,
	);
}

module.exports = { npm };
