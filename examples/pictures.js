/** A picture of each example on n8n's canvas, for README.md; `npm run pictures` makes them. */
const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { shootCanvas } = require('../scripts/lib/shutter');

/**
 * The examples that have a picture here; the first messages have theirs in the main README.
 *
 * @returns {Record<string, import('../scripts/lib/scenes').Scene>} by the name of the file, without its ending
 */
const scenes = () =>
	Object.fromEntries(
		fs
			.readdirSync(__dirname)
			.filter((file) => file.endsWith('.json') && file !== 'first-messages.json')
			.map((file) => path.basename(file, '.json'))
			.map((name) => [`examples/${name}`, onCanvas(name)]),
	);

const onCanvas = (name) => ({
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

/** The example with one's own credentials in every node that wants one. */
function withCredentials(name, credential, webhookKey) {
	const {
		id: _,
		active: __,
		...definition
	} = JSON.parse(fs.readFileSync(path.join(__dirname, `${name}.json`), 'utf8'));
	const reference = ({ id, name }) => ({ id, name });
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

module.exports = { scenes };
