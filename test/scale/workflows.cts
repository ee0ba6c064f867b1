/**
 * The workflows of the scale run: a webhook takes a list, a sub-workflow sends it batch by batch.
 */
import { randomUUID } from 'node:crypto';
import type { SandboxProcess } from '../../sandbox/process.cts';
import type { Client } from '../n8n/client.cts';
import { credentialFor, node, outboundMessaging, webhook, workflow } from '../n8n/workflow.cts';
import { calledWorkflow } from './executions.cts';
import type { Database } from './services.cts';

const splitOut = (field: string) =>
	node(`Split ${field}`, 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: field, options: {} });

function subWorkflow(value: string) {
	const workflowId = { __rl: true, mode: 'id', value };
	const options = { waitForSubWorkflow: true };
	const parameters = { source: 'database', workflowId, mode: 'each', options };
	return node('Send each batch', 'n8n-nodes-base.executeWorkflow', 1.1, parameters);
}

/**
 * Makes workflows in one n8n that send to one sandbox.
 * @param url of the process that takes webhooks
 */
export async function workflowMaker(
	client: Client,
	url: string,
	database: Database,
	sandbox: SandboxProcess,
) {
	const { id: credentialId } = await client.createCredential(credentialFor(sandbox));
	/** Behind a webhook that answers at once: a customer list takes longer than a caller waits. */
	const called = async (name: string, ...nodes: Array<ReturnType<typeof node>>) => {
		const path = randomUUID();
		const parameters = { httpMethod: 'POST', path, responseMode: 'onReceived' };
		const id = await client.publish(workflow(name, [{ ...webhook(path), parameters }, ...nodes]));
		return calledWorkflow(database, id, `${url}/webhook/${path}`);
	};

	return {
		/**
		 * Webhook → batches → sub-workflow → node. @param more parameters, next to customer and text
		 */
		async batches(name: string, more: object = {}) {
			const start = node('Start', 'n8n-nodes-base.executeWorkflowTrigger', 1);
			const fields = { customerId: '={{ $json.customerId }}', text: '={{ $json.text }}' };
			const parameters = { operation: 'sendText', ...fields, ...more };
			const send = outboundMessaging({ credentialId, parameters });
			const sender = workflow(`${name}: one batch`, [start, splitOut('customers'), send]);
			const id = await client.publish(sender);
			const caller = await called(name, splitOut('body.batches'), subWorkflow(id));
			return { ...caller, senderId: id };
		},
		/** Webhook → question. */
		async question() {
			const customerId = '={{ $json.body.customerId }}';
			const parameters = { operation: 'sendAndWait', customerId, message: 'Does Friday suit you?' };
			return await called('Question', outboundMessaging({ credentialId, parameters }));
		},
	};
}

export type Customer = ReturnType<typeof customers>[number];

/** So many customers, each with a text of its own. */
export const customers = (count: number) =>
	Array.from({ length: count }, (_, index) => ({
		customerId: String(100_000 + index),
		text: `Message for ${index}`,
	}));

/** A list in parts of the same size. */
const inParts = <T,>(list: T[], size: number) =>
	Array.from({ length: Math.ceil(list.length / size) }, (_, part) =>
		list.slice(part * size, (part + 1) * size),
	);

/** The webhook calls for a list: so many customers in each, in batches. */
export const inBatches = (list: Customer[], perCall: number, batch = perCall) =>
	inParts(list, perCall).map((part) => ({
		batches: inParts(part, batch).map((each) => ({ customers: each })),
	}));
