/** The folder of one run, removed at its end, whatever the end is. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { start } from './child.cts';

/** Its supervisor ends it when this process is gone in whatever way; then it clears up behind the others. */
const JANITOR = `
	const { rmSync } = await import('node:fs');
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

export async function temporaryFolder(prefix: string) {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), prefix));
	// PostgreSQL runs as another user.
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
