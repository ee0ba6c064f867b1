/** How a browser test is written here: one n8n and one browser for all of them, one page for each. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import * as paths from '../../scripts/lib/paths.cts';
import { NODE, useOwnN8n } from '../e2e/help.cts';
import { STEP_TIMEOUT_MS, type Editor } from './editor.cts';
import { launchBrowser, openWindow } from './stage.cts';

const FAILURES = path.join(paths.tmp, 'ui-failures');

jest.setTimeout(180_000);

/** How the editor looks. */
type Look = Parameters<typeof openWindow>[1];

export function useEditor() {
	const used = useOwnN8n();
	let browser: Browser | undefined;
	/** One for each look, so that the editor is loaded from the browser's own store. */
	const windows: Record<string, Awaited<ReturnType<typeof openWindow>>> = {};

	beforeAll(async () => {
		fs.rmSync(FAILURES, { recursive: true, force: true });
		browser = await launchBrowser();
	});
	afterAll(async () => await browser?.close());

	return Object.assign(used, {
		/** Opens the node's panel in a workflow. */
		async openPanel(editor: Editor, definition: Parameters<typeof used.save>[0]) {
			await editor.openWorkflow(await used.save(definition));
			await editor.openNode(NODE);
		},

		/** A test with a page of its own; when it fails, a picture of it is kept. */
		test(name: string, body: (editor: Editor) => Promise<void>, look: Look = {}) {
			test(name, async () => {
				const key = JSON.stringify(look);
				windows[key] ??= await openWindow({ client: used.client, browser: browser! }, look);
				const editor = await windows[key].open();
				try {
					await body(editor);
				} catch (error) {
					const file = name.replace(/[^a-z0-9]+/gi, '-');
					await editor.page.screenshot({ path: path.join(FAILURES, `${file}.png`) });
					throw error;
				} finally {
					await editor.page.close();
				}
			});
		},
	});
}

/** Looks until it matches what is expected: what is seen on a screen comes when it comes. */
export async function shows(look: () => unknown, expected: unknown): Promise<void> {
	const deadline = Date.now() + STEP_TIMEOUT_MS;
	for (;;) {
		try {
			return expect([await look()]).toMatchObject([expected]);
		} catch (error) {
			if (Date.now() > deadline) throw error;
		}
		await sleep(100);
	}
}
