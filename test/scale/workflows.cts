/** The workflows of the scale run: a webhook takes a list, a sub-workflow sends it batch by batch. */
import { randomUUID } from 'node:crypto';
import type { SandboxProcess } from '../../sandbox/process.cts';
import type { Client } from '../n8n/client.cts';
import {
	credentialFor,
	node,
	outboundMessaging,
	webhook,
	workflow,
	type NodeDefinition,
} from '../n8n/workflow.cts';
import { calledWorkflow } from './executions.cts';
import type { Database } from './services.cts';

/** Answers at once: a customer list takes longer than a caller waits. */
const intake = (path: string) => {
	const trigger = webhook(path);
	return { ...trigger, parameters: { httpMethod: 'POST', path, responseMode: 'onReceived' } };
};

const splitOut = (field: string) =>
	node(`Split ${field}`, 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: field, options: {} });

const subWorkflow = (workflowId: string) =>
	node('Send each batch', 'n8n-nodes-base.executeWorkflow', 1.1, {
		source: 'database',
		workflowId: { __rl: true, mode: 'id', value: workflowId },
		mode: 'each',
		options: { waitForSubWorkflow: true },
	});

/** Until a moment that the call names: two executions start the next node at the same time. */
const waitUntil = () =>
	node('Wait', 'n8n-nodes-base.wait', 1.1, {
		resume: 'specificTime',
		dateTime: '={{ $json.body.at }}',
	});

/** How a workflow sends. */
export interface Sending {
	options?: object;
	safeguards?: object;
	/** n8n's own settings of the node. */
	settings?: object;
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
	const send = ({ source = '$json', settings, ...more }: Sending & { source?: string }) => {
		const fields = { customerId: `={{ ${source}.customerId }}`, text: `={{ ${source}.text }}` };
		const parameters = { operation: 'sendText', ...fields, ...more };
		return outboundMessaging({ credentialId, settings, parameters });
	};
	/** Behind a webhook. */
	const called = async (name: string, ...nodes: NodeDefinition[]) => {
		const path = randomUUID();
		const id = await client.publish(workflow(name, [intake(path), ...nodes]));
		return calledWorkflow(database, id, `${url}/webhook/${path}`);
	};

	return {
		/** Webhook → batches → sub-workflow → node. */
		async batches(name: string, how: Sending = {}) {
			const start = node('Start', 'n8n-nodes-base.executeWorkflowTrigger', 1);
			const batch = workflow(`${name}: one batch`, [start, splitOut('customers'), send(how)]);
			const sender = await client.publish(batch);
			return await called(name, splitOut('body.batches'), subWorkflow(sender));
		},
		/** Webhook → list → node, in one execution. */
		list: async (name: string, how: Sending = {}) =>
			await called(name, splitOut('body.customers'), send(how)),
		/** Webhook → wait for the moment → node, one message. */
		together: async (name: string, how: Sending = {}) =>
			await called(name, waitUntil(), send({ ...how, source: '$json.body' })),
		/** Webhook → question. */
		async question(name: string) {
			const parameters = {
				operation: 'sendAndWait',
				customerId: '={{ $json.body.customerId }}',
				message: 'Does Friday suit you?',
			};
			return await called(name, outboundMessaging({ credentialId, parameters }));
		},
	};
}

export interface Customer {
	customerId: string;
	text: string;
	/** For Send Once Key. */
	key: string;
}

/** `count` customers from a number on, each with a text of its own. */
export const customers = (count: number, from = 100_000): Customer[] =>
	Array.from({ length: count }, (_, index) => ({
		customerId: String(from + index),
		text: `Message for ${from + index}`,
		key: `order-${from + index}`,
	}));

/** A list in parts of the same size. */
const inParts = <T,>(list: T[], size: number) =>
	Array.from({ length: Math.ceil(list.length / size) }, (_, part) =>
		list.slice(part * size, (part + 1) * size),
	);

/** The webhook calls for a list: so many customers in each, in batches. */
export const inBatches = (list: Customer[], perCall: number, batch: number) =>
	inParts(list, perCall).map((part) => ({
		batches: inParts(part, batch).map((each) => ({ customers: each })),
	}));
