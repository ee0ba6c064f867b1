/** Builders for workflows, so that a test shows what matters to it. */
const { randomUUID } = require('node:crypto');

const node = (name, type, typeVersion, parameters = {}, more = {}) => ({
	id: randomUUID(),
	name,
	type,
	typeVersion,
	parameters,
	...more,
});

/** The trigger that `run()` starts from. */
const manualTrigger = (name = 'Start') => node(name, 'n8n-nodes-base.manualTrigger', 1);

/** A trigger for published workflows; answers when the last node has ended. */
const webhook = (path, name = 'Webhook') =>
	node(
		name,
		'n8n-nodes-base.webhook',
		2,
		{ httpMethod: 'POST', path, responseMode: 'lastNode', responseData: 'allEntries' },
		{ webhookId: path },
	);

/**
 * A node whose output is pinned: it yields these items in manual runs, without a line of user code to run.
 *
 * @param {object[]} list
 */
const items = (list, name = 'Items') =>
	node(name, 'n8n-nodes-base.noOp', 1, {}, { pinned: list.map((json) => ({ json })) });

/**
 * The node under test.
 *
 * @param {object} options
 * @param {object} options.parameters
 * @param {string} [options.credentialId]
 * @param {object} [options.settings] n8n's own settings of a node: `retryOnFail`, `onError`, …
 * @param {string} [options.name]
 */
const outboundMessaging = ({ parameters, credentialId, settings, name = 'Outbound Messaging' }) =>
	node(name, 'n8n-nodes-outbound-messaging.outboundMessaging', 1, parameters, {
		...(credentialId && {
			credentials: { outboundMessagingApi: { id: credentialId, name: 'Outbound Messaging' } },
		}),
		...settings,
	});

/**
 * A workflow of nodes in a chain, in the order given.
 *
 * @param {string} name
 * @param {ReturnType<typeof node>[]} chain
 */
const workflow = (name, chain) =>
	graph(
		name,
		chain,
		chain.slice(1).map((to, index) => [chain[index].name, to.name]),
	);

/**
 * A workflow of nodes connected in any way.
 *
 * @param {string} name
 * @param {ReturnType<typeof node>[]} nodes
 * @param {[from: string, to: string, where?: { output?: number, type?: string }][]} links
 */
function graph(name, nodes, links) {
	const connections = {};
	for (const [from, to, { output = 0, type = 'main' } = {}] of links) {
		const outputs = ((connections[from] ??= {})[type] ??= []);
		while (outputs.length <= output) outputs.push([]);
		outputs[output].push({ node: to, type, index: 0 });
	}
	const pinned = nodes.filter((each) => each.pinned).map((each) => [each.name, each.pinned]);
	return {
		name,
		nodes: nodes.map(({ pinned: _, ...rest }, index) => ({ ...rest, position: [index * 220, 0] })),
		connections,
		pinData: Object.fromEntries(pinned),
		settings: { executionOrder: 'v1' },
		// Older releases want to be told.
		active: false,
	};
}

module.exports = { node, manualTrigger, webhook, items, outboundMessaging, workflow, graph };
