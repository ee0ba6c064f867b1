/**
 * A published workflow, as it runs at night with no editor open. What becomes of a send-once key after each response is in
 * test/unit/delivery, and with several executions at once in test/fuzz; sub-workflows are in test/scale.
 */
import { randomUUID } from 'node:crypto';
import { poll } from '../../scripts/lib/child.cts';
import { node, outboundMessaging, webhook, workflow } from '../n8n/workflow.cts';
import { NODE, optedOut, textOf, useN8n } from './help.cts';

const used = useN8n();

/** The newest execution of a workflow, once it is over. */
async function lastExecution(workflowId: string) {
	const newest = async () => (await used.client.executions(workflowId)).at(0);
	const { id } = await poll(newest, { what: `an execution of workflow ${workflowId}` });
	return await used.client.waitForExecution(id);
}

/** A workflow that sends the list that is posted to its webhook. */
function fromList(name: string, parameters: object) {
	const path = randomUUID();
	const split = { fieldToSplitOut: 'body.list', options: {} };
	const flow = workflow(name, [
		webhook(path),
		node('List', 'n8n-nodes-base.splitOut', 1, split),
		outboundMessaging({ credentialId: used.credentialId, parameters }),
	]);
	return { path, flow };
}

test('an error workflow gets the message and the description', async () => {
	const alarm = node('Alarm', 'n8n-nodes-base.errorTrigger', 1);
	const errorWorkflow = await used.client.publish(workflow('Alarm', [alarm]));
	const { path, flow } = fromList('Production', textOf());
	Object.assign(flow.settings, { errorWorkflow });
	const id = await used.client.publish(flow);

	used.sandbox.faults.set([optedOut({ recipient: '42' })]);
	const list = ['41', '42'].map((customer) => ({ customer, text: 'Hello' }));
	await used.callWebhook(path, { list });
	const alarmed = await lastExecution(errorWorkflow);
	expect(alarmed.items('Alarm')).toMatchObject([
		{
			workflow: { id, name: 'Production' },
			execution: {
				id: (await lastExecution(id)).id,
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

test('Dry Run for manual executions: the published workflow sends, and its output keeps the input', async () => {
	const parameters = {
		...textOf(),
		options: { includeInputFields: true },
		safeguards: { dryRun: 'manualExecutions' },
	};
	const { path, flow } = fromList('Dry run', parameters);
	const id = await used.client.publish(flow);
	const item = { customer: '43', text: 'Hello' };
	await used.callWebhook(path, { list: [item] });
	expect((await lastExecution(id)).items(NODE)).toMatchObject([{ input: item }]);
	expect(used.recipients()).toEqual(['43']);
});
