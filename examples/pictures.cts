/** A picture of each example on n8n's canvas, for README.md; `npm run pictures` makes them. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Scene } from '../scripts/lib/scenes.cts';
import { shootCanvas } from '../scripts/lib/screenshot.cts';

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
	viewport: { width: 1400, height: 900 },
	async take({ client, credential }, editor, file) {
		const webhookKey = await client.createCredential({
			name: 'Webhook key',
			type: 'httpHeaderAuth',
			data: { name: 'x-webhook-key', value: randomUUID() },
		});
		const { id } = await client.createWorkflow(withCredentials(name, credential, webhookKey));
		await editor.openWorkflow(id);
		await editor.page.waitForLoadState('networkidle');
		await editor.part('zoom-to-fit').click();
		await shootCanvas(editor.page, file);
	},
});

interface Reference {
	id: string;
	name: string;
}

interface Example {
	id: string;
	active: boolean;
	nodes: Array<{ credentials?: object; parameters: { authentication?: string } }>;
}

/** The example with one's own credentials in every node that wants one. */
function withCredentials(name: string, credential: Reference, webhookKey: Reference) {
	const text = fs.readFileSync(path.join(__dirname, `${name}.json`), 'utf8');
	const { id: _, active: __, ...definition } = JSON.parse(text) as Example;
	const reference = ({ id, name }: Reference) => ({ id, name });
	const nodes = definition.nodes.map((node) => {
		if (node.credentials) {
			return { ...node, credentials: { outboundMessagingApi: reference(credential) } };
		}
		if (node.parameters.authentication === 'headerAuth') {
			return { ...node, credentials: { httpHeaderAuth: reference(webhookKey) } };
		}
		return node;
	});
	return { ...definition, nodes };
}
