/**
 * Published workflows, as they run at night with no editor open. What a send-once key is after each response, and at the
 * same moment, is in test/engine/sendOnce.
 */
import { randomUUID } from 'node:crypto';
import { poll } from '../../scripts/lib/child.cts';
import type { ItemJson } from '../n8n/execution.cts';
import {
	node,
	outboundMessaging,
	webhook,
	workflow,
	type NodeDefinition,
} from '../n8n/workflow.cts';
import { NODE, optedOut, textOf, useN8n } from './help.cts';

const used = useN8n();

const base = (name: string, type: string, version: number, parameters: object) =>
	node(name, `n8n-nodes-base.${type}`, version, parameters);

const sender = () => outboundMessaging({ credentialId: used.credentialId, parameters: textOf() });

/** Publishes a workflow: a webhook, then one item for each entry of its list, and the node given. */
async function publishList(last: NodeDefinition, settings = {}) {
	const path = randomUUID();
	const list = base('List', 'splitOut', 1, { fieldToSplitOut: 'body.list', options: {} });
	const definition = workflow('Production', [webhook(path), list, last]);
	Object.assign(definition.settings, settings);
	const id = await used.client.publish(definition);
	return { id, call: async (list: object[]) => await used.callWebhook<ItemJson[]>(path, { list }) };
}

/** The newest execution of a workflow, once it is over. */
async function lastExecution(workflowId: string) {
	const newest = await poll(async () => (await used.client.executions(workflowId)).at(0), {
		what: `an execution of workflow ${workflowId}`,
	});
	return await used.client.waitForExecution(newest.id);
}

test.each(['once', 'each'])('a sub-workflow called %s: its records come back', async (mode) => {
	const called = base('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
	const id = await used.client.publish(workflow('Sub', [called, sender()]));
	const caller = base('Call', 'executeWorkflow', 1.2, {
		workflowId: { __rl: true, mode: 'id', value: id },
		workflowInputs: { mappingMode: 'defineBelow', value: {} },
		mode,
		options: {},
	});
	const { call } = await publishList(caller);
	// Two items with the same words are two messages.
	const { body } = await call([1, 2].map(() => ({ customer: '31', text: 'by sub' })));
	expect(body.map(({ extra }) => extra.customer_id)).toEqual([31, 31]);
	expect(used.recipients()).toEqual(['31', '31']);
});

test('an error workflow gets the message and the description', async () => {
	const trigger = base('Alarm', 'errorTrigger', 1, {});
	const alarmId = await used.client.publish(
		workflow('Alarm', [trigger, base('Note', 'noOp', 1, {})]),
	);
	used.sandbox.faults.set([optedOut({ recipient: '42' })]);
	const flow = await publishList(sender(), { errorWorkflow: alarmId });
	await flow.call(['41', '42'].map((customer) => ({ customer, text: 'Hello' })));
	const alarmed = await lastExecution(alarmId);
	expect(alarmed.items('Note')).toMatchObject([
		{
			workflow: { id: flow.id, name: 'Production' },
			execution: {
				id: (await lastExecution(flow.id)).id,
				lastNodeExecuted: NODE,
				error: {
					message: 'The service rejected the message (400): Customer has opted out, code opted_out',
					description: expect.stringMatching(
						/1 of 2 messages accepted, 1 rejected\. To send the rest, open 'Executions'/,
					) as string,
				},
			},
		},
	]);
	expect(JSON.stringify(alarmed.stored)).not.toContain(used.sandbox.apiKey);
});
