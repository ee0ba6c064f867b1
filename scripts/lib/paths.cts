/** Where things are: the one list of folders that scripts and tests share. */
import fs from 'node:fs';
import path from 'node:path';

export const root = path.resolve(__dirname, '../..');

/** Real n8n, an npm package of its own; another release of it when the tests shall run on that. */
export const n8n = process.env.OUTBOUND_TEST_N8N ?? path.join(root, 'test/n8n');

/** Everything a run leaves on disk; ignored by git. */
export const tmp = path.join(root, '.tmp');

/** Where a program is, if it's in PATH. */
export const inPath = (program: string) =>
	(process.env.PATH ?? '')
		.split(path.delimiter)
		.map((folder) => path.join(folder, program))
		.find((file) => fs.existsSync(file));
