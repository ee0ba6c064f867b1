/** What the pictures of the README show. Each is a file of its name in docs/images. */
import type { Sandbox } from '../../sandbox/index.cts';
import * as builders from '../../test/n8n/workflow.cts';
import type { NodeDefinition } from '../../test/n8n/workflow.cts';
import type { Editor } from '../../test/ui/editor.cts';
import type { Stage } from '../../test/ui/stage.cts';
import { customerIdOfPhone } from '../../sandbox/customers.cts';
import { shoot, shootCanvas } from './screenshot.cts';
import { setUpShowcase } from './showcase.cts';

const SENDER = 'Confirm the order';

const ORDERS = [
	{ order: 'A-1042', name: 'Ada', phone: '+1 (555) 010-0200' },
	{ order: 'A-1043', name: 'Ben', phone: '+1 (555) 010-0201' },
];

const TEMPLATE = {
	operation: 'sendTemplate',
	templateId: 'order_confirmation',
	channelId: '5001',
	customerPhone: '={{ $json.phone }}',
	specifyAttributes: 'fields',
	attributes: { attribute: [{ value: '={{ $json.name }}' }, { value: '={{ $json.order }}' }] },
	headerMedia: {
		media: { type: 'image', url: '=https://example.com/orders/{{ $json.order }}.jpg' },
	},
	options: {},
};

/** How large the window is, and what happens in it before the picture is taken. */
export interface Scene {
	viewport: { width: number; height: number };
	dark?: boolean;
	take(stage: Stage, editor: Editor, file: string): Promise<void>;
}

export const scenes: Record<string, Scene> = {
	'node-creator': {
		viewport: { width: 1180, height: 640 },
		async take(stage, editor, file) {
			await editor.openWorkflow(await saved(stage, newOrder()));
			await editor.part('node-creator-plus-button').click();
			await editor.searchNodes('whatsapp');
			await editor.entry('Outbound Messaging').click();
			await editor.entry('Send text message').waitFor();
			await shoot(editor.page, file);
		},
	},
	template: {
		viewport: { width: 1410, height: 1230 },
		async take(stage, editor, file) {
			await openSender(stage, editor);
			await editor.executeStep();
			await editor.showOutputAs('schema');
			await editor.item('url').getByText('A-1042.jpg', { exact: false }).last().waitFor();
			await shoot(editor.page, file, editor.part('ndv'));
		},
	},
	output: {
		viewport: { width: 1440, height: 530 },
		async take(stage, editor, file) {
			await openSender(stage, editor);
			await editor.executeStep();
			await editor.outputItems();
			await shoot(editor.page, file, editor.output);
		},
	},
	error: {
		viewport: { width: 1440, height: 572 },
		async take(stage, editor, file) {
			const list = [ORDERS[0], { ...ORDERS[1], phone: '555 010 0201' }];
			await openSender(stage, editor, list);
			await editor.executeStep();
			await editor.errorTitle.waitFor();
			await editor.part('radio-button-table', editor.part('ndv-input-panel')).click();
			await shoot(editor.page, file, editor.part('ndv'));
		},
	},
	credential: {
		viewport: { width: 1200, height: 820 },
		async take(stage, editor, file) {
			await openSender(stage, editor);
			await editor.part('credential-edit-button').click();
			await editor.dialog.getByText('Connection tested successfully').waitFor();
			await shoot(
				editor.page,
				file,
				editor.page.locator('.el-dialog:visible').filter({ has: editor.dialog }),
			);
		},
	},
	inbox: {
		viewport: { width: 1180, height: 570 },
		async take({ sandbox }, editor, file) {
			await fillInbox(sandbox);
			await editor.page.goto(sandbox.inboxUrl);
			await editor.page.getByText('invoice-a-1042.pdf').first().waitFor();
			await shoot(editor.page, file);
		},
	},
	'workflow-light': exampleOnCanvas(false),
	'workflow-dark': exampleOnCanvas(true),
};

function exampleOnCanvas(dark: boolean): Scene {
	return {
		viewport: { width: 1400, height: 900 },
		dark,
		async take({ client, sandbox }, editor, file) {
			const { page } = editor;
			await editor.openWorkflow(await setUpShowcase(client, sandbox));
			await editor.part('execute-workflow-button').last().click();
			await page.getByText('Workflow executed successfully').waitFor();
			await editor.part('zoom-to-fit').click();
			const items = page.getByText('1 item', { exact: true });
			while ((await items.count()) < 6) await items.first().waitFor();
			await shootCanvas(page, file);
		},
	};
}

/** The trigger: orders that a shop has sent. */
function newOrder(list: object[] = ORDERS.slice(0, 1)): NodeDefinition {
	return { ...builders.webhook('orders', 'New order'), pinned: list.map((json) => ({ json })) };
}

/** The panel of the node behind that trigger, with a template filled in. */
async function openSender(stage: Stage, editor: Editor, list?: object[]): Promise<void> {
	const node = builders.outboundMessaging({
		name: SENDER,
		parameters: TEMPLATE,
		credentialId: stage.credential.id,
	});
	await editor.openWorkflow(await saved(stage, newOrder(list), node));
	await editor.openNode(SENDER);
}

/** @returns id of a workflow of these nodes */
async function saved({ client }: Stage, ...chain: NodeDefinition[]): Promise<string> {
	return (await client.createWorkflow(builders.workflow('Order confirmations', chain))).id;
}

/** Three customers, each with a conversation. */
async function fillInbox(sandbox: Sandbox): Promise<void> {
	const send = async (address: string, body: object) => {
		const response = await fetch(`${sandbox.url}/stable/open/${address}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', [sandbox.headerName]: sandbox.apiKey },
			body: JSON.stringify(body),
		});
		if (!response.ok) throw new Error(`The sandbox rejected a message: ${await response.text()}`);
	};
	const template = (phone: string, attributes: object, attachment?: object) =>
		send('whatsapp/send-template-message', {
			template_id: 'order_confirmation',
			channel_id: '5001',
			customer_phone: phone,
			attributes,
			...(attachment && { attachment }),
		});
	const text = (phone: string, words: string) =>
		send('customers/send-text-message', {
			customer_id: String(customerIdOfPhone(phone)),
			text: words,
		});

	await fetch(new URL('/_sandbox/ledger', sandbox.url), { method: 'DELETE' });
	const [ada, ben, cleo] = ['+15550100200', '+15550100201', '+15550100202'];
	await template(cleo, { 1: 'Cleo', 2: 'A-1039' });
	await text(cleo, 'Hello Cleo, your order A-1039 waits for you in our shop.');
	await template(
		ben,
		{ 1: 'Ben', 2: 'A-1043' },
		{ image: 'https://example.com/orders/A-1043.jpg' },
	);
	await template(ada, { 1: 'Ada', 2: 'A-1042' });
	await text(ada, 'Hello Ada, your order A-1042 is on its way. It should reach you on Friday. 📦');
	await send('customers/send-attachment-message', {
		customer_id: String(customerIdOfPhone(ada)),
		attachment_type: 'document',
		attachment_url: 'https://example.com/orders/invoice-a-1042.pdf',
	});
}
