/**
 * Where examples branch or loop, on n8n's canvas, for README.md;
 * `node scripts/start.js scripts/pictures.cts` takes them.
 */
import { randomUUID } from 'node:crypto';
import type { Scene } from '../scripts/lib/scenes.cts';
import { shootCanvas } from '../scripts/lib/screenshot.cts';
import { exampleOf } from '../test/n8n/example.cts';

/** By the name of the file, without its ending. */
export const scenes: Record<string, Scene> = {
	...onCanvas('reminders', 'Read the list', 'Rows with stop', 'Remind', 'Tell someone'),
	...onCanvas(
		'send-in-hours',
		'Tell them',
		'Can be sent later',
		'Wait until then',
		'Rows to look at',
	),
	...onCanvas('order-confirmation', 'Order placed', 'Answer: confirmed', 'Answer: not confirmed'),
	...onCanvas(
		'approve-refund',
		'Support agent',
		'Chat model',
		'A manager approves',
		'Refund the order',
	),
};

/** @param nodes what the picture goes around */
function onCanvas(example: string, ...nodes: string[]): Record<string, Scene> {
	const scene: Scene = {
		viewport: { width: 1700, height: 800 },
		async take({ client, credential }, editor, file) {
			const webhookKey = await client.createCredential({
				name: 'Webhook key',
				type: 'httpHeaderAuth',
				data: { name: 'x-webhook-key', value: randomUUID() },
			});
			const openAiApi = await client.createCredential({
				name: 'Model',
				type: 'openAiApi',
				data: { apiKey: randomUUID() },
			});
			const own = { outboundMessagingApi: credential, httpHeaderAuth: webhookKey, openAiApi };
			const { nodes: all, ...workflow } = exampleOf(`${example}.json`, own);
			// README.md has the words of the note.
			const withoutNote = all.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote');
			const { id } = await client.createWorkflow({ ...workflow, nodes: withoutNote });
			await editor.openWorkflow(id);
			await editor.page.waitForLoadState('networkidle');
			await editor.part('zoom-to-fit').click();
			await shootCanvas(editor.page, file, nodes.map(editor.node));
		},
	};
	return { [`examples/${example}.png`]: scene };
}
