/** The folder of one run, removed at its end. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export function temporaryFolder(prefix: string) {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), prefix));
	const remove = () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
	process.once('exit', remove);
	return { folder, remove };
}
