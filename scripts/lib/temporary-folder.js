/** The folder of one run, removed at its end, whatever the end is. */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { start } = require('./child');

/** Its guard ends it when this process is gone in whatever way; then it clears up behind the others. */
const JANITOR = `
	const { rmSync } = require('node:fs');
	const { argv: [, folder] } = process;
	let tries = 0;
	const clear = () => {
		try {
			rmSync(folder, { recursive: true, force: true });
		} catch {}
		if (++tries === 36) process.exit();
		setTimeout(clear, 250);
	};
	process.once('SIGTERM', clear);
	setInterval(() => {}, 60_000);
`;

/** @param {string} prefix of its name */
async function temporaryFolder(prefix) {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), prefix));
	// PostgreSQL runs as somebody else.
	fs.chmodSync(folder, 0o755);
	const janitor = await start(process.execPath, ['-e', JANITOR, folder]);
	return {
		folder,
		async remove() {
			fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
			await janitor.stop(0);
		},
	};
}

module.exports = { temporaryFolder };
