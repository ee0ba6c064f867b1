/**
 * The node in n8n's editor, in a real browser: one n8n and one browser for all tests,
 * one page for each.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { operations } from '../../nodes/OutboundMessaging/operations/index.ts';
import { safeguards } from '../../nodes/OutboundMessaging/safeguards/index.ts';
import * as paths from '../../scripts/lib/paths.cts';
import { NODE, optedOut, textOf, useOwnN8n } from '../e2e/help.cts';
import { manualTrigger, node, workflow } from '../n8n/workflow.cts';
import { STEP_TIMEOUT_MS, type Editor } from './editor.cts';
import { launchBrowser, openWindow } from './stage.cts';

const FAILURES = path.join(paths.tmp, 'ui-failures');

jest.setTimeout(180_000);

const used = useOwnN8n();
let browser: Browser | undefined;
/** One for each look, so that the editor is loaded from the browser's own store. */
const windows: Record<string, Awaited<ReturnType<typeof openWindow>>> = {};

beforeAll(async () => {
	fs.rmSync(FAILURES, { recursive: true, force: true });
	browser = await launchBrowser();
});
afterAll(async () => await browser?.close());

/** A test with a page of its own; when it fails, a picture of it is kept. */
const testEditor = (name: string, body: (editor: Editor) => Promise<void>, look: object = {}) =>
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

/** Opens the node's panel in a workflow. */
async function openPanel(editor: Editor, definition: Parameters<typeof used.save>[0]) {
	const id = await used.save(definition);
	await editor.openWorkflow(id);
	await editor.openNode(NODE);
	return id;
}

/** Looks until it matches what is expected: what is seen on a screen comes when it comes. */
async function shows(look: () => unknown, expected: unknown): Promise<void> {
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

const TEXT = { operation: 'sendText', customerId: '4711', text: 'Hello Ada' };

const DESCRIPTION =
	'Send WhatsApp template messages, text messages and attachments to real customers';
const ACTIONS = operations.map(({ option }) => option.action).sort();

const SEARCHES =
	'message,whatsapp,outbound,reminder,sms,send message,text message,bulk message'.split(',');

testEditor('the node is found by the words that people look for', async (editor) => {
	const { id } = await used.client.createWorkflow(workflow('Empty', [manualTrigger()]));
	await editor.openWorkflow(id);
	await editor.openCreator();
	const searchBar = editor.part('node-creator-search-bar');
	const entries = editor.part('node-creator-item-name');
	const listed = async () => await entries.allInnerTexts();
	for (const words of SEARCHES) {
		await searchBar.fill('no such node');
		await editor.entry(NODE).waitFor({ state: 'hidden' });
		await searchBar.fill(words);
		await editor.entry(NODE).waitFor();
		// Among the first: few people read further.
		await shows(async () => (await listed()).slice(0, 5), expect.arrayContaining([NODE]));
		await editor.part('node-creator').getByText(DESCRIPTION).waitFor();
	}
	await editor.entry(NODE).click();
	await shows(async () => (await listed()).sort(), ACTIONS);

	await editor.entry('Send attachment').click();
	await editor.part('ndv').waitFor();
	// Which fields each operation has is in test/unit/operations.
	const own = ['Customer ID', 'Attachment Type', 'Attachment URL'];
	await shows(() => editor.labels(), ['Credential', 'Operation', ...own, 'Options', 'Safeguards']);
	await editor.closeNode();
	// n8n names the node after its action.
	const name = 'Send attachment';
	await shows(() => editor.captionOf(name), [name, name]);
	const icon = await editor.node(name).locator('img').getAttribute('src');
	expect(icon).toMatch(/outboundMessaging\.svg$/);
});

testEditor('a person can review an agent: the node is one of the channels', async (editor) => {
	await editor.openWorkflow((await used.saveAgent({ script: [], tool: { parameters: TEXT } })).id);
	const input = '.vue-flow__handle[data-handleid="inputs/ai_tool/0"]';
	await editor.openCreator(editor.page.locator(input).first());
	await editor.entry('Human review').click();
	await editor.entry(NODE).click();
	await editor.page.getByText('Add to workflow').click();
	await editor.part('ndv').waitFor();
	const fields = 'Credential,Message,Send As,Customer ID,Approval Options,Options,Safeguards';
	await shows(() => editor.labels(), fields.split(','));
});

testEditor('the next node is offered the fields of the record beforehand', async (editor) => {
	const after = [node('Next', 'n8n-nodes-base.noOp', 1)];
	await editor.openWorkflow(await used.save({ parameters: TEXT, after }));
	await editor.openNode('Next');
	const offered = editor.part('run-data-schema-item', editor.part('ndv-input-panel'));
	const fields = expect.stringMatching(/project_id.*customer_id.*success/s);
	await shows(async () => (await offered.allInnerTexts()).join(), fields);
});

testEditor('safeguards are set; hints say what keeps messages back', async (editor) => {
	await openPanel(editor, { parameters: TEXT });
	await editor.field('text').waitFor();
	expect(await editor.hints.count()).toBe(0);
	await editor.addSafeguard('Allowed Hours');
	await editor.fill('from', '00:00');
	await editor.fill('until', '24:00');
	await editor.addSafeguard('Test Recipient');
	await editor.fill('testRecipient', '4799');
	await editor.addSafeguard('Dry Run');
	await shows(
		() => editor.hints.allInnerTexts(),
		[
			expect.stringContaining("'Dry Run' is on"),
			expect.stringContaining("'Test Recipient' is set"),
		],
	);
	await editor.executeStep();
	const body = { customer_id: '4799', text: 'Hello Ada' };
	await shows(() => editor.outputItems(), [{ dryRun: true, request: { body } }]);
	expect(used.requests()).toEqual([]);
	await editor.closeNode();
	await shows(() => editor.captionOf(NODE), expect.arrayContaining(['Dry run: Send text']));
});

testEditor(
	'a safeguard that is added and left as it is is stored with its default',
	async (editor) => {
		const id = await openPanel(editor, { parameters: TEXT });
		const added = Object.entries(safeguards);
		for (const [, { displayName }] of added) await editor.addSafeguard(displayName);
		await editor.closeNode();
		// That each of them acts as it's stored is in test/engine/safeguards.
		const stored = Object.fromEntries(added.map(([name, field]) => [name, field.default]));
		const parameters = { ...TEXT, options: {}, safeguards: stored };
		const nodes = expect.arrayContaining([expect.objectContaining({ parameters })]);
		await shows(async () => await used.client.workflow(id), { nodes });
	},
);

const TEMPLATE = {
	...{ operation: 'sendTemplate', templateId: 'order_confirmation', channelId: '5001' },
	customerPhone: '+15550100200',
};

// In the newer way of showing lists, which n8n tries out; all other tests have the older one.
testEditor(
	'attributes, which can be sorted, and header media are added',
	async (editor) => {
		await openPanel(editor, { parameters: TEMPLATE });
		const entries = editor
			.part('fixed-collection-attributes')
			.locator('[data-draggable="true"]:has(.drag-handle)');
		const add = async (list: string) =>
			await editor
				.part('fixed-collection-add-top-level-button', editor.part(`fixed-collection-${list}`))
				.click();
		for (const [index, value] of ['Ada', 'A-1042'].entries()) {
			await add('attributes');
			await entries.nth(index).locator('input[type="text"]').first().fill(value);
		}
		const headings = expect.stringMatching(/^Variable 1: Ada$.*^Variable 2: A-1042$/ms);
		await shows(async () => (await entries.allInnerTexts()).join('\n'), headings);
		await add('headerMedia');
		await editor.choose('type', 'Document');
		const url = 'https://example.com/orders/a-1042/invoice.pdf';
		await editor.fill('url', url);
		await editor.executeStep();
		const attributes = { 1: 'Ada', 2: 'A-1042' };
		await shows(used.accepted, [{ body: { attributes, attachment: { document: url } } }]);
	},
	{ newLists: true },
);

testEditor('a check stops the list; then failed items are in the error output', async (editor) => {
	used.sandbox.faults.set([optedOut({ recipient: '4712' })]);
	const list = ['Hello', 'Hello', ' '].map((text, index) => ({ customer: 4711 + index, text }));
	await openPanel(editor, { list, parameters: textOf() });
	await editor.executeStep();
	const empty = "'Text' is empty";
	await shows(() => editor.errorTitle.innerText(), `${empty} [item 2]`);
	const description = editor.part('node-error-description', editor.output);
	expect(await description.innerText()).toContain('Nothing was sent');
	expect(used.requests()).toEqual([]);

	await editor.part('tab-settings').click();
	await editor.choose('onError', 'Continue (using error output)');
	await editor.executeStep();
	await editor.output.getByText('1 of 3 messages accepted, 2 rejected').waitFor();
	await editor.output.getByText('Success Branch (1 item)').waitFor();
	await editor.output.getByText('Error Branch (2 items)').click();
	const said = 'The service rejected the message (400): Customer has opted out, code opted_out';
	await shows(
		() => editor.outputItems(),
		[
			{ customer: 4712, error: said, details: { delivery: 'rejected', itemIndex: 1 } },
			{ customer: 4713, error: empty },
		],
	);
	await editor.closeNode();
	const handles = editor.node(NODE).locator('xpath=..').locator('.vue-flow__handle.source');
	expect(await handles.allInnerTexts()).toEqual([
		expect.stringContaining('Success'),
		expect.stringContaining('Error'),
	]);
});

// Last, because n8n would select its credential in every node added later.
testEditor('creates a credential: says what is wrong, and takes a good one', async (editor) => {
	await openPanel(editor, { parameters: TEXT });
	await editor.newCredential();
	await editor.input('apiKey').waitFor();
	await shows(() => editor.input('apiKeyHeader').inputValue(), 'X-Service-Api-Key');
	expect(await editor.input('apiKey').getAttribute('type')).toBe('password');

	await editor.fill('baseUrl', used.sandbox.url);
	await editor.fill('apiKey', 'not-the-key');
	await editor.part('credential-save-button').click();
	await editor.dialog.getByText('Couldn’t connect with these settings').waitFor();
	await editor.dialog.getByText('More details').click();
	const words = new RegExp(
		"The service didn't accept the API key \\(401\\): Invalid API key provided.*" +
			"Check 'API Key' in the credential, and that 'API Key Header'",
		's',
	);
	await shows(() => editor.dialog.innerText(), expect.stringMatching(words));
	expect(await editor.dialog.innerText()).not.toContain('not-the-key');

	// n8n closes the dialog after a credential that works.
	await editor.fill('apiKey', used.sandbox.apiKey);
	await editor.part('credential-save-button').click();
	await editor.dialog.waitFor({ state: 'hidden' });
	await editor.part('credential-edit-button').click();
	await editor.dialog.getByText('Connection tested successfully').waitFor();
	expect(await editor.input('apiKey').inputValue()).not.toContain(used.sandbox.apiKey);
	expect(used.accepted()).toEqual([]);
});
