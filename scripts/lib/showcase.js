/** The example workflow inside a running n8n, with a credential for the sandbox. */
const example = require('../../examples/first-messages.json');

const CREDENTIAL = { name: 'Outbound Messaging (demo)', type: 'outboundMessagingApi' };
const TRIGGER = example.nodes.find(({ type }) => type.endsWith('.manualTrigger')).name;
const SENDERS = example.nodes.filter(({ credentials }) => credentials).map(({ name }) => name);

/**
 * Puts credential and workflow in place, whatever an earlier start left there.
 *
 * @param {Awaited<ReturnType<import('../../test/n8n/client.cts').signIn>>} n8n
 * @param {{ url: string, headerName: string, apiKey: string }} sandbox
 * @returns {Promise<string>} id of the workflow
 */
async function setUpShowcase(n8n, sandbox) {
	const credentialId = await createOrUpdate({
		known: await n8n.credentials(),
		wanted: {
			...CREDENTIAL,
			data: {
				baseUrl: sandbox.url,
				apiKeyHeader: sandbox.headerName,
				apiKey: sandbox.apiKey,
			},
		},
		create: n8n.createCredential,
		update: n8n.updateCredential,
	});
	const { id: _, active: __, ...definition } = example;
	return await createOrUpdate({
		known: await n8n.workflows(),
		wanted: {
			...definition,
			nodes: definition.nodes.map((node) => withCredential(node, credentialId)),
		},
		create: n8n.createWorkflow,
		update: n8n.updateWorkflow,
	});
}

async function createOrUpdate({ known, wanted, create, update }) {
	const present = known.find(({ name, isArchived }) => name === wanted.name && !isArchived);
	const { id } = present ? await update(present.id, wanted) : await create(wanted);
	return id;
}

const withCredential = (node, id) =>
	node.credentials
		? { ...node, credentials: { [CREDENTIAL.type]: { id, name: CREDENTIAL.name } } }
		: node;

/**
 * Sends one message of each kind.
 *
 * @returns {Promise<{ execution: object, results: { name: string, record?: object }[] }>}
 */
async function runShowcase(n8n, workflowId) {
	const execution = await n8n.run(workflowId, { trigger: TRIGGER });
	const results = SENDERS.map((name) => ({ name, record: execution.items(name)[0] }));
	return { execution, results };
}

/** The service took the message; the record says so itself. */
const isAccepted = ({ record }) => Boolean(record?.id) && record.extra?.success === true;

module.exports = { setUpShowcase, runShowcase, isAccepted };
