/**
 * `npm run scale`: n8n in queue mode with real Redis, PostgreSQL and workers, and the node in it.
 *
 *   npm run scale               in full (under 25 minutes); writes the figures of docs/large-sends.md
 *   npm run scale -- --quick    small numbers, as in the run of all tests; writes nothing
 */
import fs from 'node:fs';
import path from 'node:path';
import { finish, stopAll } from './lib/child.cts';
import { onEnd } from './lib/lifetime.cts';
import * as paths from './lib/paths.cts';
import { log } from './lib/log.cts';
import { ensureN8n } from './lib/setup.cts';
import { writePage } from '../test/scale/page.cts';

const MINUTES = { full: 45, quick: 20 };
const FIGURES = path.join(paths.tmp, 'scale.json');

async function scale(form: 'full' | 'quick'): Promise<void> {
	await ensureN8n();

	fs.mkdirSync(paths.tmp, { recursive: true });
	fs.rmSync(FIGURES, { force: true });
	const jest = fs.realpathSync(path.join(paths.root, 'node_modules/.bin/jest'));
	const args = [jest, '--ci', '--selectProjects', 'scale', '--runInBand', 'scale.test'];
	const { problem } = await finish(process.execPath, args, {
		cwd: paths.root,
		env: { ...process.env, SCALE_FORM: form, SCALE_FIGURES: FIGURES },
		onOutput: (text) => process.stdout.write(text),
		timeoutMs: MINUTES[form] * 60_000,
	});
	if (problem) throw new Error(problem);
	if (form === 'quick') return log(`\nAll of it holds. Figures: ${FIGURES}`);

	await writePage(JSON.parse(fs.readFileSync(FIGURES, 'utf8')));
	log('\nAll of it holds. Its figures are in docs/large-sends.md now.');
}

onEnd(async () => {
	await stopAll();
	process.exit(130);
});

scale(process.argv.includes('--quick') ? 'quick' : 'full').catch((error: Error) => {
	log(`\nThe scale run failed: ${error.message}`);
	process.exitCode = 1;
});
