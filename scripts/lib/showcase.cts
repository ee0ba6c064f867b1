/**
 * What the demo shows in its n8n: the first messages, a question, and the examples that are run
 * by their tables.
 */
import { randomBytes } from 'node:crypto';
import type { Sandbox } from '../../sandbox/index.cts';
import type { Client } from '../../test/n8n/client.cts';
import { exampleOf, readList, readReminders } from '../../test/n8n/example.cts';
import type { ItemJson } from '../../test/n8n/execution.cts';
import * as builders from '../../test/n8n/workflow.cts';

export const CREDENTIAL = 'Outbound Messaging (demo)';

/**
 * Puts credential and workflows in place, whatever an earlier start left there.
 * @returns IDs of the workflows
 */
export async function setUpShowcase(n8n: Client, sandbox: Sandbox) {
	const credential = { ...builders.credentialFor(sandbox), name: CREDENTIAL };
	const known = (await n8n.credentials()).find(({ name }) => name === CREDENTIAL);
	const { id } = known
		? await n8n.updateCredential(known.id, credential)
		: await n8n.createCredential(credential);
	const stored: Array<{ id: string; name: string; isArchived?: boolean }> = await n8n.workflows();
	const put = async (wanted: { name: string; settings?: object }) => {
		const same = stored.find(({ name, isArchived }) => name === wanted.name && !isArchived);
		return (await (same ? n8n.updateWorkflow(same.id, wanted) : n8n.createWorkflow(wanted))).id;
	};
	const webhookKey = randomBytes(24).toString('base64url');
	const own = {
		outboundMessagingApi: { id, name: CREDENTIAL },
		httpHeaderAuth: await putWebhookKey(n8n, webhookKey),
	};
	await putTables(n8n);
	// Tomorrow is where this machine is.
	const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
	const putExample = async (file: string) => {
		const json = JSON.stringify(exampleOf(file, own));
		return await put(JSON.parse(json.replaceAll('America/New_York', timeZone)) as { name: string });
	};
	const optOuts = await putExample('opt-outs.json');
	// So that its webhook can be called.
	await n8n.activate(optOuts);
	return {
		webhookKey,
		messages: await put(exampleOf('first-messages.json', own)),
		question: await put(question(id)),
		reminders: await putExample('reminders.json'),
		campaign: await putExample('bulk-campaign.json'),
		confirmations: await putExample('confirm-appointments.json'),
		optOuts,
	};
}

/** The tables of the examples, with rows to look at. */
async function putTables(n8n: Client) {
	const tomorrow = new Date(Date.now() + 86_400_000).toLocaleDateString('sv');
	const appointments = readReminders(tomorrow);
	await n8n.importTable('reminders', appointments);
	const unanswered = appointments.map((row) => ({ ...row, Answer: null }));
	await n8n.importTable('confirmations', unanswered);
	const customers = readList('campaign.csv').map((row) => {
		const [Status, Note, Tracking] = [null, null, null];
		return { ...row, Status, Note, Tracking };
	});
	await n8n.importTable('campaign', customers);
	await n8n.importTable('stopped_numbers', [{ Phone: '+12025550112' }]);
}

/** A credential with what the callers of webhooks must send. */
async function putWebhookKey(n8n: Client, key: string) {
	const data = { name: 'x-webhook-key', value: key };
	const credential = { name: 'Webhook key (demo)', type: 'httpHeaderAuth', data };
	const known = (await n8n.credentials()).find(({ name }) => name === credential.name);
	return known
		? await n8n.updateCredential(known.id, credential)
		: await n8n.createCredential(credential);
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
	const ask = builders.outboundMessaging({ name: 'Ask', credentialId, parameters: QUESTION });
	const answer = builders.edit('Their answer', { answer: '={{ $json.data.choice }}' });
	return builders.workflow('A question', [builders.manualTrigger(), ask, answer]);
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
