/** n8n's editor as a person uses it: what there is to see and to click, by the words on the screen. */
import type { Locator, Page } from 'playwright-core';
import type { ItemJson } from '../n8n/execution.cts';

/** How long the editor may take for one step; the machine may be busy. */
export const STEP_TIMEOUT_MS = 40_000;

export class Editor {
	/** @param url of n8n */
	constructor(
		readonly page: Page,
		readonly url: string,
	) {
		page.setDefaultTimeout(STEP_TIMEOUT_MS);
	}

	/** The editor marks what matters for tests of its own. */
	part(id: string, within: Page | Locator = this.page): Locator {
		return within.locator(`[data-test-id="${id}"]`);
	}

	// Canvas

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.part('canvas-node').first().waitFor();
	}

	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	async openNode(name: string): Promise<void> {
		await this.node(name).dblclick();
		await this.part('ndv').waitFor();
	}

	async closeNode() {
		await this.part('ndv-close-button').click();
		await this.part('ndv').waitFor({ state: 'hidden' });
	}

	// Node creator

	/** By the last plus sign on the canvas, or in a part of it. */
	async openCreator(within?: Locator) {
		await this.part('canvas-handle-plus', within).last().click();
		await this.part('node-creator-search-bar').waitFor();
	}

	/** An entry of the list of nodes, or of the list of actions of one node. */
	entry(name: string): Locator {
		return this.part('node-creator-item-name').filter({ hasText: new RegExp(`^${name}$`) });
	}

	async entries() {
		return await this.part('node-creator-item-name').allInnerTexts();
	}

	// Node panel

	/** The labels of the fields in sight, from top to bottom. */
	async labels() {
		const labels = this.part('ndv').locator('label:visible').locator('.n8n-text:first-child');
		return (await labels.allInnerTexts()).map((label) => label.trim());
	}

	field(name: string): Locator {
		return this.part(`parameter-input-${name}`).locator('visible=true');
	}

	/** A field with its label and what is marked beside it. */
	item(name: string): Locator {
		return this.part('parameter-item').filter({ has: this.part(`parameter-input-${name}`) });
	}

	input(name: string): Locator {
		return this.field(name).locator('input, textarea');
	}

	async fill(name: string, text: string): Promise<void> {
		await this.input(name).fill(text);
		// In focus it shows a tip over what is below it.
		await this.input(name).blur();
	}

	/** Chooses from a drop-down list, by the words in it. */
	async choose(name: string, option: string): Promise<void> {
		await this.field(name).click();
		await this.pick(option);
	}

	async pick(option: string): Promise<void> {
		const entries = '.el-select-dropdown__item:visible, [role="menuitem"]:visible';
		const entry = this.page.locator(entries, { hasText: option });
		await entry.first().click();
	}

	/** Adds an entry of the last collection. */
	async addSafeguard(label: string): Promise<void> {
		await this.part('collection-parameter-add').last().click();
		await this.pick(label);
	}

	/** Adds an entry to a list of fields, in the newer way of showing lists. */
	async addEntry(name: string): Promise<void> {
		await this.part(
			'fixed-collection-add-top-level-button',
			this.part(`fixed-collection-${name}`),
		).click();
	}

	/** The entries of a list of fields that can be dragged to another place. */
	entriesOf(name: string): Locator {
		return this.part(`fixed-collection-${name}`).locator(
			'[data-draggable="true"]:has(.drag-handle)',
		);
	}

	/** The notes above the output. */
	get hints() {
		return this.part('node-hint', this.output);
	}

	/** What a node on the canvas says: its name, its subtitle, and after a run how many items. */
	async captionOf(name: string): Promise<string[]> {
		return (await this.node(name).innerText()).split('\n');
	}

	// Running

	get output() {
		return this.part('output-panel');
	}

	/** Executes this node alone and waits until the panel shows how it ended. */
	async executeStep() {
		const toast = this.page.locator('.el-notification:visible').first();
		const close = this.page.locator('.el-notification__closeBtn:visible').first();
		// Each also closes by itself after a while.
		while (await close.count()) await close.click({ timeout: 1_000 }).catch(() => {});
		await toast.waitFor({ state: 'hidden' });
		await this.part('node-execute-button').click();
		await toast.waitFor();
	}

	get errorTitle() {
		return this.part('node-error-message', this.output);
	}

	async show(panel: 'input' | 'output', mode: 'schema' | 'table' | 'json'): Promise<void> {
		const where = panel === 'input' ? this.part('ndv-input-panel') : this.output;
		await where.hover();
		await this.part(`radio-button-${mode}`, where).click();
	}

	/** The items in the output panel, as they are to be read under JSON. */
	async outputItems(): Promise<ItemJson[]> {
		await this.show('output', 'json');
		const json = this.part('ndv-data-container', this.output).locator('.vjs-tree');
		return JSON.parse((await json.innerText()).replaceAll('\u00a0', ' ')) as ItemJson[];
	}

	// Credential dialog

	get dialog() {
		return this.part('credential-edit-dialog');
	}

	async newCredential() {
		await this.part('node-credentials-select').click();
		await this.part('node-credentials-select-item-new').locator('visible=true').click();
		await this.dialog.waitFor();
	}
}
