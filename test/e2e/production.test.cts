/**
 * A published workflow, as it runs at night with no editor open. That 'When Executed Manually' lets it send is in kill, where
 * a published example has it; with several executions at once, send-once keys are in test/fuzz, and sub-workflows in test/scale.
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

test('an error workflow gets the message and the description', async () => {
	const alarm = node('Alarm', 'n8n-nodes-base.errorTrigger', 1);
	const errorWorkflow = await used.client.publish(workflow('Alarm', [alarm]));
	const path = randomUUID();
	const flow = workflow('Production', [
		webhook(path),
		node('List', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'body.list', options: {} }),
		outboundMessaging({ credentialId: used.credentialId, parameters: textOf() }),
	]);
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
