/** The example workflow inside a running n8n, with a credential for the sandbox. */
import type { Sandbox } from '../../sandbox/index.cts';
import type { Client } from '../../test/n8n/client.cts';
import type { Execution, ItemJson } from '../../test/n8n/execution.cts';
import * as builders from '../../test/n8n/workflow.cts';
import example from '../../examples/first-messages.json';

const CREDENTIAL = { name: 'Outbound Messaging (demo)', type: 'outboundMessagingApi' };
const TRIGGER = example.nodes.find(({ type }) => type.endsWith('.manualTrigger'))?.name;
const SENDERS = example.nodes.filter((node) => 'credentials' in node).map(({ name }) => name);

type SandboxAccess = Pick<Sandbox, 'url' | 'headerName' | 'apiKey'>;

/** Puts credential and workflow in place, whatever an earlier start left there. @returns id of the workflow */
export async function setUpShowcase(n8n: Client, sandbox: SandboxAccess): Promise<string> {
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

/** A workflow that asks a customer, and goes on with the answer. @returns its id */
export async function askQuestion(n8n: Client): Promise<string> {
	const credential = (await n8n.credentials()).find(({ name }) => name === CREDENTIAL.name);
	const question = builders.outboundMessaging({
		name: 'Ask the customer',
		credentialId: credential!.id,
		parameters: {
			operation: 'sendAndWait',
			customerId: '530375758641',
			message: 'Hello Ada, does Friday at 10:00 still suit you?',
			responseType: 'choice',
			choices: { choice: ['Confirm', 'Move', 'Cancel'].map((label) => ({ label })) },
			options: { responsePage: { texts: { title: 'Salon Aurora', language: 'en' } } },
		},
	});
	const answer = builders.edit('What the customer answered', {
		answer: '={{ $json.data.choice }}',
	});
	const id = await createOrUpdate({
		known: await n8n.workflows(),
		wanted: builders.workflow('A question', [builders.manualTrigger(), question, answer]),
		create: n8n.createWorkflow,
		update: n8n.updateWorkflow,
	});
	await n8n.start(id);
	return id;
}

interface Stored {
	id: string;
	name: string;
	isArchived?: boolean;
}

async function createOrUpdate<Wanted extends { name: string }>({
	known,
	wanted,
	create,
	update,
}: {
	known: Stored[];
	wanted: Wanted;
	create: (wanted: Wanted) => Promise<Stored>;
	update: (id: string, wanted: Wanted) => Promise<Stored>;
}): Promise<string> {
	const present = known.find(({ name, isArchived }) => name === wanted.name && !isArchived);
	const { id } = present ? await update(present.id, wanted) : await create(wanted);
	return id;
}

const withCredential = (node: object, id: string) =>
	'credentials' in node
		? { ...node, credentials: { [CREDENTIAL.type]: { id, name: CREDENTIAL.name } } }
		: node;

export interface ShowcaseResult {
	name: string;
	record?: ItemJson;
}

/** Sends one message of each kind. */
export async function runShowcase(
	n8n: Client,
	workflowId: string,
): Promise<{ execution: Execution; results: ShowcaseResult[] }> {
	const execution = await n8n.run(workflowId, { trigger: TRIGGER });
	const results = SENDERS.map((name) => ({ name, record: execution.items(name)[0] }));
	return { execution, results };
}

/** The service took the message; the record says so itself. */
export const isAccepted = ({ record }: ShowcaseResult): boolean =>
	Boolean(record?.id) && record?.extra?.success === true;
