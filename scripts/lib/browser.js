/** The browser of the tests and the pictures. */
const path = require('node:path');
const { finish } = require('./child');
const paths = require('./paths');

const FINDER = path.join(__dirname, 'find-browser.mjs');
const FOLDER = path.join(paths.tmp, 'browser');

/**
 * How playwright starts a browser that was seen to work on this machine: an installed one, or else the one from the
 * package registry.
 *
 * @returns {Promise<import('playwright-core').LaunchOptions>}
 */
async function findBrowser() {
	const { child, problem } = await finish(process.execPath, [FINDER, FOLDER], { cwd: paths.root });
	if (problem) {
		throw new Error(
			`No browser works on this machine (${process.platform} ${process.arch}), neither an installed one nor the one ` +
				`from the package registry: install Chrome, Chromium or Edge, or set CHROME_PATH to one.`,
		);
	}
	const { env, ...options } = JSON.parse(child.output().trim().split('\n').at(-1));
	return { ...options, env: { ...process.env, ...env } };
}

module.exports = { findBrowser };
