/** A picture of each example on n8n's canvas, for README.md; `node scripts/start.js scripts/pictures.cts` makes them. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Scene } from '../scripts/lib/scenes.cts';
import { shootCanvas } from '../scripts/lib/screenshot.cts';
import { exampleOf } from '../test/n8n/example.cts';

/**
 * The examples that have a picture here; the first messages have theirs in the main README. By the name of the file,
 * without its ending.
 */
export const scenes = (): Record<string, Scene> =>
	Object.fromEntries(
		fs
			.readdirSync(__dirname)
			.filter((file) => file.endsWith('.json') && file !== 'first-messages.json')
			.map((file) => path.basename(file, '.json'))
			.map((name) => [`examples/${name}.png`, onCanvas(name)]),
	);

const onCanvas = (name: string): Scene => ({
	viewport: { width: 1100, height: 700 },
	async take({ client, credential }, editor, file) {
		const webhookKey = await client.createCredential({
			name: 'Webhook key',
			type: 'httpHeaderAuth',
			data: { name: 'x-webhook-key', value: randomUUID() },
		});
		const postgres = await client.createCredential({
			name: 'Campaigns',
			type: 'postgres',
			data: { host: 'localhost', database: 'campaigns', user: 'campaigns', password: randomUUID() },
		});
		const openAiApi = await client.createCredential({
			name: 'Model',
			type: 'openAiApi',
			data: { apiKey: randomUUID() },
		});
		const own = {
			outboundMessagingApi: credential,
			httpHeaderAuth: webhookKey,
			postgres,
			openAiApi,
		};
		const { nodes, ...workflow } = exampleOf(`${name}.json`, own);
		// README.md has the words of the note.
		const withoutNote = nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote');
		const { id } = await client.createWorkflow({ ...workflow, nodes: withoutNote });
		await editor.openWorkflow(id);
		await editor.page.waitForLoadState('networkidle');
		await editor.part('zoom-to-fit').click();
		await shootCanvas(editor.page, file);
	},
});
