/**
 * n8n's editor as a person uses it: what there is to see and to click, by the words on the screen.
 */
import type { Locator, Page } from 'playwright-core';
import type { ItemJson } from '../n8n/execution.cts';

/** How long the editor may take for one step; the machine may be busy. */
export const STEP_TIMEOUT_MS = 40_000;

export type Editor = ReturnType<typeof editorOn>;

/** @param url of n8n */
export function editorOn(page: Page, url: string) {
	page.setDefaultTimeout(STEP_TIMEOUT_MS);

	/** The editor marks what matters for tests of its own. */
	const part = (id: string, within: Page | Locator = page) =>
		within.locator(`[data-test-id="${id}"]`);
	const node = (name: string) =>
		page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	const field = (name: string) => part(`parameter-input-${name}`).locator('visible=true');
	const input = (name: string) => field(name).locator('input, textarea');
	const output = part('output-panel');
	const dialog = part('credential-edit-dialog');
	const pick = async (option: string) => {
		const entries = '.el-select-dropdown__item:visible, [role="menuitem"]:visible';
		await page.locator(entries, { hasText: option }).first().click();
	};
	const show = async (panel: 'input' | 'output', mode: 'schema' | 'table' | 'json') => {
		const where = panel === 'input' ? part('ndv-input-panel') : output;
		await where.hover();
		await part(`radio-button-${mode}`, where).click();
	};

	return {
		...{ page, url, part, node, field, input, output, dialog, show },
		async openWorkflow(id: string) {
			await page.goto(`${url}/workflow/${id}`);
			await part('canvas-node').first().waitFor();
		},
		async openNode(name: string) {
			await node(name).dblclick();
			await part('ndv').waitFor();
		},
		async closeNode() {
			await part('ndv-close-button').click();
			await part('ndv').waitFor({ state: 'hidden' });
		},
		/** What a node on the canvas says: its name, its subtitle, and after a run how many items. */
		captionOf: async (name: string) => (await node(name).innerText()).split('\n'),

		/** Opens the list of nodes: by the last plus sign on the canvas, or in a part of it. */
		async openCreator(within?: Locator) {
			// Opened before its code is there, it lists no groups of nodes (n8n 2.40).
			await page.locator('[class*="nodeCreatorScrim"]').waitFor({ state: 'attached' });
			await part('canvas-handle-plus', within).last().click();
			await part('node-creator-search-bar').waitFor();
		},
		/** An entry of the list of nodes, or of the list of actions of one node. */
		entry: (name: string) =>
			part('node-creator-item-name').filter({ hasText: new RegExp(`^${name}$`) }),

		/** The labels of the fields in sight, from top to bottom. */
		async labels() {
			const labels = part('ndv').locator('label:visible').locator('.n8n-text:first-child');
			return (await labels.allInnerTexts()).map((label) => label.trim());
		},
		/** A field with its label and what is marked beside it. */
		item: (name: string) => part('parameter-item').filter({ has: part(`parameter-input-${name}`) }),
		async fill(name: string, text: string) {
			await input(name).fill(text);
			// In focus it shows a tip over what is below it.
			await input(name).blur();
		},
		/** Chooses from a drop-down list, by the words in it. */
		async choose(name: string, option: string) {
			await field(name).click();
			await pick(option);
		},
		/** Adds an entry of the last collection. */
		async addSafeguard(label: string) {
			await part('collection-parameter-add').last().click();
			await pick(label);
		},

		/** Executes this node alone and waits until the panel shows how it ended. */
		async executeStep() {
			const toast = page.locator('.el-notification:visible').first();
			const close = page.locator('.el-notification__closeBtn:visible').first();
			// Each also closes by itself after a while.
			while (await close.count()) await close.click({ timeout: 1_000 }).catch(() => {});
			await toast.waitFor({ state: 'hidden' });
			await part('node-execute-button').click();
			await toast.waitFor();
		},
		/** The notes above the output. */
		hints: part('node-hint', output),
		errorTitle: part('node-error-message', output),
		/** The items in the output panel, as they are to be read under JSON. */
		async outputItems() {
			await show('output', 'json');
			const json = part('ndv-data-container', output).locator('.vjs-tree');
			return JSON.parse((await json.innerText()).replaceAll('\u00a0', ' ')) as ItemJson[];
		},

		async newCredential() {
			await part('node-credentials-select').click();
			await part('node-credentials-select-item-new').locator('visible=true').click();
			await dialog.waitFor();
		},
	};
}
