/** What the demo shows in its n8n: the first messages, and a question. */
import type { Sandbox } from '../../sandbox/index.cts';
import type { Client } from '../../test/n8n/client.cts';
import { exampleOf } from '../../test/n8n/example.cts';
import type { ItemJson } from '../../test/n8n/execution.cts';
import * as builders from '../../test/n8n/workflow.cts';

export const CREDENTIAL = 'Outbound Messaging (demo)';

/** Puts credential and workflows in place, whatever an earlier start left there. @returns IDs of the workflows */
export async function setUpShowcase(n8n: Client, sandbox: Sandbox) {
	const credential = { ...builders.credentialFor(sandbox), name: CREDENTIAL };
	const id = await put(await n8n.credentials(), credential, {
		create: n8n.createCredential,
		update: n8n.updateCredential,
	});
	const workflows = await n8n.workflows();
	const calls = { create: n8n.createWorkflow, update: n8n.updateWorkflow };
	const own = { outboundMessagingApi: { id, name: CREDENTIAL } };
	return {
		messages: await put(workflows, exampleOf('first-messages.json', own), calls),
		question: await put(workflows, question(id), calls),
	};
}

export const choices = (...labels: string[]) => ({
	responseType: 'choice',
	choices: { choice: labels.map((label) => ({ label })) },
});

export const QUESTION = {
	operation: 'sendAndWait',
	customerId: '530375758641',
	message: 'Hello Ada, does Friday at 10:00 still suit you?',
	...choices('Confirm', 'Move', 'Cancel'),
	options: { responsePage: { texts: { title: 'Salon Aurora', language: 'en' } } },
};

/** A workflow that asks a customer, and goes on with the answer. */
function question(credentialId: string) {
	const ask = builders.outboundMessaging({
		name: 'Ask the customer',
		credentialId,
		parameters: QUESTION,
	});
	const answer = builders.edit('What the customer answered', {
		answer: '={{ $json.data.choice }}',
	});
	return builders.workflow('A question', [builders.manualTrigger(), ask, answer]);
}

interface Stored {
	id: string;
	name: string;
	isArchived?: boolean;
}

async function put<Wanted extends { name: string }>(
	known: Stored[],
	wanted: Wanted,
	calls: {
		create(wanted: Wanted): Promise<Stored>;
		update(id: string, wanted: Wanted): Promise<Stored>;
	},
): Promise<string> {
	const present = known.find(({ name, isArchived }) => name === wanted.name && !isArchived);
	const { id } = await (present ? calls.update(present.id, wanted) : calls.create(wanted));
	return id;
}

/** Sends one message of each kind. @returns the record of each, and why not all were accepted */
export async function sendMessages(n8n: Client, workflowId: string) {
	const { nodes } = await n8n.workflow(workflowId);
	const trigger = nodes.find(({ type }) => type.endsWith('.manualTrigger'))!.name;
	const { items, status, error } = await n8n.run(workflowId, { trigger });
	const senders = nodes.filter(({ credentials }) => credentials);
	const records = senders.map(({ name }): [string, ItemJson | undefined] => [name, items(name)[0]]);
	const isComplete = status === 'success' && records.every(([, record]) => record?.extra?.success);
	return { records, isComplete, error };
}
