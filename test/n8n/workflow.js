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
function workflow(name, chain) {
	const pairs = chain.slice(1).map((to, index) => [chain[index].name, to.name]);
	const pinned = chain.filter((each) => each.pinned).map((each) => [each.name, each.pinned]);
	return {
		name,
		nodes: chain.map(({ pinned: _, ...rest }, index) => ({ ...rest, position: [index * 220, 0] })),
		connections: Object.fromEntries(
			pairs.map(([from, to]) => [from, { main: [[{ node: to, type: 'main', index: 0 }]] }]),
		),
		pinData: Object.fromEntries(pinned),
		settings: { executionOrder: 'v1' },
	};
}

module.exports = { node, manualTrigger, webhook, items, outboundMessaging, workflow };
