/**
 * Makes every picture of the documents again, in a real n8n and a real browser.
 *
 * node scripts/start.js scripts/pictures.cts            all of them, light and dark
 * node scripts/start.js scripts/pictures.cts dry error  only those whose names start with these
 *                                                       words
 */
import fs from 'node:fs';
import path from 'node:path';
import { runScript } from './lib/lifetime.cts';
import * as paths from './lib/paths.cts';
import { ensureN8n } from './lib/setup.cts';
import { log, step } from './start.js';
import { openWindow, startUi } from '../test/ui/stage.cts';
import { scenes as ofExamples } from '../examples/pictures.cts';
import { scenes } from './lib/scenes.cts';

const FOLDER = path.join(paths.root, 'docs/images');

async function pictures(names: string[]): Promise<void> {
	const all = Object.entries({ ...scenes, ...ofExamples });
	const chosen = all.filter(([file]) => names.some((name) => file.startsWith(name)));
	if (names.length && !chosen.length)
		throw new Error(`no such picture; there are ${all.map(([file]) => file).join(', ')}`);
	await ensureN8n();
	const stage = await step('Starting n8n, the sandbox and a browser', () => startUi());
	for (const [name, { viewport, take }] of names.length ? chosen : all) {
		for (const dark of [false, true]) {
			await step(dark ? `${name}, dark` : name, async () => {
				const window = await openWindow(stage, {
					viewport,
					dark,
					bypassCSP: true,
					deviceScaleFactor: 2,
					timezoneId: morning(),
				});
				const file = path.join(FOLDER, dark ? name.replace('.', '-dark.') : name);
				fs.mkdirSync(path.dirname(file), { recursive: true });
				await take(stage, await window.open(), file);
				await window.close();
				const size = Math.round(fs.statSync(file).size / 1000);
				log(`    ${path.relative(paths.root, file)}: ${size} kB`);
			});
		}
	}
	await stage.end();
}

/** A time zone in which it is ten in the morning: no one writes to customers at night. */
function morning() {
	const hoursAhead = ((10 - new Date().getUTCHours() + 36) % 24) - 12;
	return `Etc/GMT${hoursAhead > 0 ? '-' : '+'}${Math.abs(hoursAhead)}`;
}

void runScript(async () => await pictures(process.argv.slice(2)));
