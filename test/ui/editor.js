/** n8n's editor as a person uses it: what there is to see and to click, by the words on the screen. */
const { List } = require('./list');

/** How long the editor may take for one step; the machine may be busy. */
const PATIENCE_MS = 20_000;

class Editor {
	/**
	 * @param {import('playwright-core').Page} page
	 * @param {string} url of n8n
	 */
	constructor(page, url) {
		this.page = page;
		this.url = url;
		page.setDefaultTimeout(PATIENCE_MS);
	}

	/** The editor marks what matters for tests of its own. */
	part(id, within = this.page) {
		return within.locator(`[data-test-id="${id}"]`);
	}

	// Canvas

	async openWorkflow(id) {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.part('canvas-node').first().waitFor();
	}

	node(name) {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	async openNode(name) {
		await this.node(name).dblclick();
		await this.part('ndv').waitFor();
	}

	async closeNode() {
		await this.part('ndv-close-button').click();
		await this.part('ndv').waitFor({ state: 'hidden' });
	}

	/** The words of the marks on a node: what is still missing. */
	async issuesOf(name) {
		await this.part('node-issues', this.node(name)).hover();
		return await this.page.locator('.n8n-tooltip:visible', { hasText: 'Issues' }).innerText();
	}

	// Node creator

	/** By the plus sign behind the last node. */
	async openCreator() {
		await this.part('canvas-handle-plus').last().click();
		await this.part('node-creator-search-bar').waitFor();
	}

	async searchNodes(words) {
		await this.part('node-creator-search-bar').fill(words);
	}

	/** An entry of the list of nodes, or of the list of actions of one node. */
	entry(name) {
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

	field(name) {
		return this.part(`parameter-input-${name}`).locator('visible=true');
	}

	/** A field with its label and what is marked beside it. */
	item(name) {
		return this.part('parameter-item').filter({ has: this.part(`parameter-input-${name}`) });
	}

	input(name) {
		return this.field(name).locator('input, textarea');
	}

	async fill(name, text) {
		await this.input(name).fill(text);
	}

	/** Chooses from a drop-down list, by the words in it. */
	async choose(name, option) {
		await this.field(name).click();
		await this.pick(option);
	}

	async pick(option) {
		const entry = this.page.locator('.el-select-dropdown__item:visible', { hasText: option });
		await entry.first().click();
	}

	async chosen(name) {
		return await this.field(name).locator('input').inputValue();
	}

	/** Turns a field into an expression and types it, e.g. `+{{ $json.phone }}`. */
	async express(name, expression) {
		const item = this.item(name);
		await item.hover();
		await this.part('radio-button-expression', item).click();
		const code = this.field(name).locator('.cm-content');
		await code.click();
		const [, before, inner] = expression.match(/^(.*?){{ (.*) }}$/);
		// The editor adds the blanks and closes the brackets by itself, and suggests what could follow.
		await this.page.keyboard.type(`${before}{{${inner}`);
		await this.part('ndv-input-panel').click({ position: { x: 250, y: 700 } });
	}

	async tick(name) {
		await this.field(name).locator('.el-switch').click();
	}

	/** @param {string} name of a fixed collection */
	list(name) {
		return new List(this, name);
	}

	/** Adds an entry of the Options collection. */
	async addOption(label) {
		await this.part('collection-parameter-add').click();
		await this.pick(label);
	}

	async openTab(id) {
		await this.part(`tab-${id}`).click();
	}

	// Running

	get output() {
		return this.part('output-panel');
	}

	/** Executes this node alone and waits until the panel shows how it ended. */
	async executeStep() {
		await this.toastsGone();
		await this.part('node-execute-button').click();
		await this.page.locator('.el-notification:visible').first().waitFor();
	}

	get errorTitle() {
		return this.part('node-error-message', this.output);
	}

	get errorDescription() {
		return this.part('node-error-description', this.output);
	}

	/** @param {'schema' | 'table' | 'json'} mode */
	async showOutputAs(mode) {
		await this.output.hover();
		await this.part(`radio-button-${mode}`, this.output).click();
	}

	/** The items in the output panel, as they are to be read under JSON. */
	async outputItems() {
		await this.showOutputAs('json');
		const json = this.part('ndv-data-container', this.output).locator('.vjs-tree');
		return JSON.parse((await json.innerText()).replaceAll('\u00a0', ' '));
	}

	async toastsGone() {
		const close = this.page.locator('.el-notification__closeBtn:visible');
		while (await close.count()) await close.first().click();
		await this.page.locator('.el-notification').first().waitFor({ state: 'hidden' });
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

	async saveCredential() {
		await this.part('credential-save-button').click();
	}

	// Executions list

	async openExecutions(workflowId) {
		await this.page.goto(`${this.url}/workflow/${workflowId}/executions`);
		await this.part('executions-sidebar').waitFor();
	}

	get executions() {
		return this.part('executions-sidebar');
	}

	/** @param {'original' | 'current'} which workflow the retry runs */
	async retry(which) {
		await this.part('retry-execution-button').first().click();
		await this.part(`retry-execution-button-item-${which}-workflow`)
			.locator('visible=true')
			.click();
	}
}

module.exports = { Editor, PATIENCE_MS };
