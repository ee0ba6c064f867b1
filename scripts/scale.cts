/**
 * `npm run scale`: n8n in queue mode with real Redis, PostgreSQL and workers, and the node in it.
 *
 *   npm run scale                                          in full; writes the figures of bench/SCALE.md
 *   npm run scale -- --quick                               small numbers, as in the run of all tests; writes nothing
 *   npm run scale -- --only campaign                       tests with this word in their names, and their figures
 *   npm run scale -- --only campaign --recipients 20000    a shorter campaign
 */
import fs from 'node:fs';
import path from 'node:path';
import { finish, stopAll } from './lib/child.cts';
import { onEnd } from './lib/lifetime.cts';
import * as paths from './lib/paths.cts';
import { log } from './lib/log.cts';
import { ensureN8n } from './lib/setup.cts';
import { FIGURES as PUBLISHED, writePage, type Figures } from '../test/scale/page.cts';

const MINUTES = { full: 60, quick: 20 };
const FIGURES = path.join(paths.tmp, 'scale.json');

async function scale(form: 'full' | 'quick'): Promise<void> {
	await ensureN8n();

	fs.mkdirSync(paths.tmp, { recursive: true });
	fs.rmSync(FIGURES, { force: true });
	const jest = fs.realpathSync(path.join(paths.root, 'node_modules/.bin/jest'));
	const only = valueOf('--only');
	const args = [jest, '--ci', '--selectProjects', 'scale', '--runInBand', 'scale.test'];
	if (only) args.push('--testNamePattern', only);
	const { problem } = await finish(process.execPath, args, {
		cwd: paths.root,
		env: {
			...process.env,
			SCALE_FORM: form,
			SCALE_FIGURES: FIGURES,
			SCALE_RECIPIENTS: valueOf('--recipients') ?? '100000',
		},
		onOutput: (text) => process.stdout.write(text),
		timeoutMs: MINUTES[form] * 60_000,
	});
	if (problem) throw new Error(problem);
	if (form === 'quick') return log(`\nAll of it holds. Figures: ${FIGURES}`);

	const read = (file: string) => JSON.parse(fs.readFileSync(file, 'utf8')) as Figures;
	await writePage({ ...(only && read(PUBLISHED)), ...read(FIGURES) });
	log('\nAll of it holds. Its figures are in bench/SCALE.md now.');
}

/** What follows a flag. */
function valueOf(flag: string): string | undefined {
	const at = process.argv.indexOf(flag);
	return at < 0 ? undefined : process.argv[at + 1];
}

onEnd(async () => {
	await stopAll();
	process.exit(130);
});

scale(process.argv.includes('--quick') ? 'quick' : 'full').catch((error: Error) => {
	log(`\nThe scale run failed: ${error.message}`);
	process.exitCode = 1;
});
