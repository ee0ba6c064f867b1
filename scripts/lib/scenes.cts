/** What the pictures of the README and the docs show. Each is a file of its name in docs/images. */
import * as builders from '../../test/n8n/workflow.cts';
import type { NodeDefinition } from '../../test/n8n/workflow.cts';
import type { Editor } from '../../test/ui/editor.cts';
import type { Stage } from '../../test/ui/stage.cts';
import { poll } from './child.cts';
import { Recording } from './recording.cts';
import { shoot } from './screenshot.cts';

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
	take(stage: Stage, editor: Editor, file: string): Promise<void>;
}

export const scenes: Record<string, Scene> = {
	'first-message.webp': {
		viewport: { width: 1100, height: 640 },
		async take(stage, editor, file) {
			await openSender(stage, editor, {
				parameters: { ...TEMPLATE, customerPhone: '', headerMedia: {} },
			});
			const recording = await Recording.of(editor.part('ndv'), 200, 420);
			await recording.hold(1_200);
			await recording.moveTo(mappable(editor, 'phone'));
			await recording.hold(300);
			await recording.dragTo(editor.field('customerPhone'));
			await editor.field('customerPhone').getByText('$json.phone').waitFor();
			await recording.hold(1_200);
			await recording.moveTo(editor.part('node-execute-button'));
			await recording.hold(300);
			await editor.part('node-execute-button').click();
			await editor.output.getByText('1 item').first().waitFor();
			await editor.showOutputAs('schema');
			await editor.output.getByText('Template message queued').waitFor();
			await recording.hold(3_500);
			await recording.save(file);
		},
	},
	'safeguards.png': {
		viewport: { width: 1200, height: 900 },
		async take(stage, editor, file) {
			await openSender(stage, editor, {
				list: [
					...ORDERS,
					{ order: 'A-1044', name: 'Cleo', phone: '+1 555 010 0202' },
					{ order: 'A-1045', name: 'Ada', phone: '+1 555 010 0200' },
					{ order: 'A-1046', name: 'Dan', phone: '555 0204' },
				],
				parameters: {
					...{ ...TEMPLATE, headerMedia: {} },
					safeguards: {
						doNotContact: '+1 555 010 0202, +1 555 010 0299',
						maxMessages: 500,
						repeatedRecipients: 'sendFirst',
						sendOnceKey: '={{ $json.order }}-confirmation',
					},
				},
				settings: { onError: 'continueErrorOutput' },
			});
			await editor.executeStep();
			await editor.hints.first().waitFor();
			await editor.showOutputAs('schema');
			await editor.item('sendOnceKey').last().scrollIntoViewIfNeeded();
			await shoot(editor.page, file, editor.part('ndv'));
		},
	},
	'error.png': {
		viewport: { width: 1200, height: 520 },
		async take(stage, editor, file) {
			await openSender(stage, editor, {
				list: [ORDERS[0], { ...ORDERS[1], phone: '555 010 0201' }],
			});
			await editor.executeStep();
			await editor.errorTitle.waitFor();
			await editor.part('radio-button-table', editor.part('ndv-input-panel')).click();
			await shoot(editor.page, file, editor.part('ndv'));
		},
	},
	'question.png': {
		viewport: { width: 360, height: 400 },
		async take({ client, credential, sandbox, n8n }, editor, file) {
			const question = builders.outboundMessaging({
				credentialId: credential.id,
				parameters: {
					operation: 'sendAndWait',
					customerId: '4711',
					message: 'Hello Ada, does your appointment on Friday at 10:00 still suit you?',
					responseType: 'choice',
					choices: { choice: ['Confirm', 'Move', 'Cancel'].map((label) => ({ label })) },
				},
			});
			const { id } = await client.createWorkflow(
				builders.workflow('A question', [builders.manualTrigger(), question]),
			);
			const execution = await client.start(id);
			const isWaiting = async () => (await client.execution(execution)).status === 'waiting';
			await poll(isWaiting, { what: 'the question' });
			const { body } = sandbox.ledger.accepted().at(-1)!;
			const { pathname, search } = new URL(String(body!.text).split('\n').at(-1)!);
			await editor.page.goto(n8n.url + pathname + search);
			// The page lets no style in that `shoot` would add.
			await editor.page.screenshot({ path: file });
		},
	},
};

/** A field of the input that can be dragged. */
const mappable = (editor: Editor, name: string) =>
	editor
		.part('ndv-input-panel')
		.locator('[data-target="mappable"]')
		.filter({ hasText: new RegExp(`^${name}$`) });

/** The trigger: orders that a shop has sent. */
function newOrder(list: object[] = ORDERS.slice(0, 1)): NodeDefinition {
	return { ...builders.webhook('orders', 'New order'), pinned: list.map((json) => ({ json })) };
}

interface Sender {
	list?: object[];
	parameters?: object;
	settings?: object;
}

/** The panel of the node behind that trigger, with a template filled in. */
async function openSender(
	stage: Stage,
	editor: Editor,
	{ list, parameters = TEMPLATE, settings }: Sender,
): Promise<void> {
	const node = builders.outboundMessaging({
		name: SENDER,
		parameters,
		settings,
		credentialId: stage.credential.id,
	});
	await editor.openWorkflow(await saved(stage, newOrder(list), node));
	await editor.openNode(SENDER);
}

/** @returns id of a workflow of these nodes */
async function saved({ client }: Stage, ...chain: NodeDefinition[]): Promise<string> {
	return (await client.createWorkflow(builders.workflow('Order confirmations', chain))).id;
}
