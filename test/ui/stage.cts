/**
 * What the browser tests and the pictures need: one n8n with the node, one sandbox, one browser.
 */
import { chromium, type BrowserContextOptions } from 'playwright-core';
import { startSandbox } from '../../sandbox/index.cts';
import { findBrowser } from '../../scripts/lib/browser.cts';
import { freePort } from '../../scripts/lib/ports.cts';
import { signIn } from '../n8n/client.cts';
import { startN8n } from '../n8n/instance.cts';
import { credentialFor } from '../n8n/workflow.cts';
import { editorOn } from './editor.cts';

/** The editor asks for nothing beyond this machine, and neither does the browser on its own. */
const FLAGS = [
	...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
	...['--disable-background-networking', '--disable-component-update'],
	// Letters keep their distances when n8n scales its canvas.
	'--font-render-hinting=none',
	'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** n8n shows lists of fields in an older and in a newer way, and chooses by this switch. */
const NEW_LISTS = { '048_collection_overhaul': 'variant' };

export const launchBrowser = async () =>
	await chromium.launch({ ...(await findBrowser()), args: FLAGS });

export type Stage = Awaited<ReturnType<typeof startUi>>;

/**
 * Starts what the pictures show, on the usual ports of n8n and the sandbox if they're free. If that
 * fails, the script ends what it has started.
 */
export async function startUi() {
	const sandbox = await startSandbox({ port: await freePort(8025) });
	const n8n = await startN8n({ port: 5678 });
	const client = await signIn(n8n.url);
	const browser = await launchBrowser();
	const credential = { ...credentialFor(sandbox), name: 'Shop messages' };
	const { id } = await client.createCredential(credential);
	const end = async () => {
		await browser.close();
		await n8n.stop();
		await sandbox.stop();
	};
	return { sandbox, n8n, client, browser, credential: { ...credential, id }, end };
}

type Look = BrowserContextOptions & { newLists?: boolean; dark?: boolean };

/** A browser window in which the owner is signed in. */
export async function openWindow(
	{ browser, client }: Pick<Stage, 'browser' | 'client'>,
	{ newLists = false, dark = false, ...options }: Look = {},
) {
	const context = await browser.newContext({
		viewport: { width: 1440, height: 900 },
		reducedMotion: 'reduce',
		colorScheme: dark ? 'dark' : 'light',
		...options,
	});
	const cookies = client.cookie.split('; ').map((cookie) => {
		const [name, ...value] = cookie.split('=');
		return { name, value: value.join('='), url: client.url };
	});
	await context.addCookies(cookies);
	const stored: Record<string, string> = {
		'n8n-browserId': client.browserId,
		N8N_THEME: dark ? 'dark' : 'light',
		...(newLists && { N8N_EXPERIMENT_OVERRIDES: JSON.stringify(NEW_LISTS) }),
	};
	await context.addInitScript((values) => {
		for (const [key, value] of Object.entries(values)) localStorage.setItem(key, value);
	}, stored);
	return {
		open: async () => editorOn(await context.newPage(), client.url),
		close: () => context.close(),
	};
}
