/** What every end-to-end test needs: one n8n with the node, one sandbox, one credential. */
const { startSandbox } = require('../../sandbox/index.cts');
const { signIn } = require('../n8n/client');
const { startN8n } = require('../n8n/instance');
const { items, manualTrigger, outboundMessaging, workflow } = require('../n8n/workflow');

const BOOT_TIMEOUT_MS = 240_000;

/** Name of the node under test in all workflows here. */
const NODE = 'Outbound Messaging';

jest.setTimeout(120_000);

/**
 * Boots n8n and a sandbox for a test file, and ends both after it.
 *
 * @param {object} [options]
 * @param {object} [options.sandbox] options of the sandbox
 * @param {NodeJS.ProcessEnv} [options.env] of n8n
 */
function useN8n({ sandbox: sandboxOptions, env } = {}) {
	const used = {};

	beforeAll(async () => {
		used.sandbox = await startSandbox(sandboxOptions);
		used.n8n = await startN8n({ env });
		used.client = await signIn(used.n8n.url);
		used.credentialId = await used.createCredential();
	}, BOOT_TIMEOUT_MS);

	afterAll(async () => {
		await used.n8n?.stop();
		await used.sandbox?.stop();
	}, BOOT_TIMEOUT_MS);

	/** Values of a credential for the sandbox. */
	used.credentialData = (more = {}) => ({
		baseUrl: used.sandbox.url,
		apiKeyHeader: used.sandbox.headerName,
		apiKey: used.sandbox.apiKey,
		...more,
	});

	used.createCredential = async (more) => {
		const data = used.credentialData(more);
		const credential = { name: NODE, type: 'outboundMessagingApi', data };
		return (await used.client.createCredential(credential)).id;
	};

	/**
	 * A workflow of trigger, pinned items, the node, and whatever shall follow.
	 *
	 * @param {object} definition `parameters` and `settings` of the node, and besides them
	 * @param {object[]} [definition.list] json of the items
	 * @param {object} [definition.trigger]
	 * @param {object[]} [definition.after] nodes that follow
	 * @param {object} [definition.failed] node at the error output
	 */
	used.define = ({ list, trigger = manualTrigger(), after = [], failed, ...node }) => {
		const sender = outboundMessaging({ credentialId: used.credentialId, ...node });
		const chain = [trigger, ...(list ? [items(list)] : []), sender, ...after];
		const definition = workflow('Test', chain);
		if (!failed) return definition;
		const [success] = definition.connections[NODE]?.main ?? [[]];
		definition.nodes.push({ ...failed, position: [0, 300] });
		definition.connections[NODE] = {
			main: [success, [{ node: failed.name, type: 'main', index: 0 }]],
		};
		return definition;
	};

	/** @returns {Promise<string>} id of the saved workflow */
	used.save = async (definition) => (await used.client.createWorkflow(used.define(definition))).id;

	/** Saves and runs it. */
	used.send = async (definition) => await used.client.run(await used.save(definition));

	return used;
}

/** Parameters of a text message whose fields come from the item. */
const textOf = (options = {}) => ({
	operation: 'sendText',
	customerId: '={{ $json.customer }}',
	text: '={{ $json.text }}',
	options,
});

/**
 * Works through a list with a few at a time.
 *
 * @template T, R
 * @param {T[]} list
 * @param {number} atATime
 * @param {(each: T, index: number) => Promise<R>} work
 * @returns {Promise<R[]>} in the order of the list
 */
async function inParallel(list, atATime, work) {
	const results = [];
	const queue = list.entries();
	const worker = async () => {
		for (const [index, each] of queue) results[index] = await work(each, index);
	};
	await Promise.all(Array.from({ length: atATime }, worker));
	return results;
}

module.exports = { useN8n, textOf, inParallel, NODE };
