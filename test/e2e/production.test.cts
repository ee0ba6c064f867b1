/** Published workflows, as they run at night with no editor open. */
import { randomUUID } from 'node:crypto';
import { poll } from '../../scripts/lib/child.cts';
import type { ItemJson } from '../n8n/execution.cts';
import {
	edit,
	graph,
	links,
	node,
	outboundMessaging,
	type Link,
	type NodeDefinition,
} from '../n8n/workflow.cts';
import { useN8n, textOf, NODE } from './help.cts';

const used = useN8n();

const acceptedTexts = () => used.accepted().map(({ body }) => body.text);

const base = (name: string, type: string, version: number, parameters: object, more?: object) =>
	node(name, `n8n-nodes-base.${type}`, version, parameters, more);

const answer = base('Answer', 'respondToWebhook', 1.4, { respondWith: 'allIncomingItems' });

/** One item for each entry of the list in the webhook's body. */
const list = base('List', 'splitOut', 1, { fieldToSplitOut: 'body.list', options: {} });

const sender = (settings?: object) =>
	outboundMessaging({ credentialId: used.credentialId, parameters: textOf(), settings });

/**
 * Publishes a workflow: a webhook that answers with what the node `Answer` gets, or with a 500 when the execution
 * fails, then the list, and the nodes given.
 *
 * @param ways between those that aren't just one after the other
 */
async function publish(nodes: NodeDefinition[], { ways, settings }: Published = {}) {
	const path = randomUUID();
	const parameters = { httpMethod: 'POST', path, responseMode: 'responseNode', options: {} };
	const webhook = base('Webhook', 'webhook', 2.1, parameters, { webhookId: path });
	const chain = [webhook, list, ...nodes];
	const definition = graph('Production', chain, [
		...links(chain.slice(0, 3)),
		...(ways ?? links(nodes)),
	]);
	Object.assign(definition.settings, settings);
	const { id } = await used.client.createWorkflow(definition);
	await used.client.activate(id);
	return { id, call: async (body: object) => await used.callWebhook<ItemJson[]>(path, body) };
}

interface Published {
	ways?: Link[];
	/** Of the workflow. */
	settings?: object;
}

/** The newest execution of a workflow, once it is over. */
async function lastExecution(workflowId: string) {
	const [newest] = await poll(
		async () => {
			const executions = await used.client.executions(workflowId);
			return executions.length > 0 && executions;
		},
		{ what: `an execution of workflow ${workflowId}` },
	);
	return await used.client.waitForExecution(newest.id);
}

const OPTED_OUT = { error: 'Customer has opted out', code: 'opted_out', success: false };
const SAID = 'The service rejected the message (400): Customer has opted out, code opted_out';

test('1,000 items: each one delivered once, and the records tied to their items in order', async () => {
	const trace = edit('Trace', {
		sent: '={{ $json.extra.customer_id }}',
		asked: "={{ $('List').item.json.customer }}",
	});
	const flow = await publish([sender(), trace, answer]);
	const customers = Array.from({ length: 1000 }, (_, index) => ({
		customer: String(5000 + index),
		text: `Hello ${index}`,
	}));
	const { status, body } = await flow.call({ list: customers });
	expect(status).toBe(200);
	expect(body).toEqual(customers.map(({ customer }) => ({ sent: customer, asked: customer })));
	expect(used.sandbox.ledger.summary()).toMatchObject({
		received: 1000,
		accepted: 1000,
		duplicates: 0,
	});
});

test('a loop with Retry On Fail: each batch is sent, also to the customers of the batch before, and none twice', async () => {
	// The requests are: 21 and 22 (rejected), 22 again, and so on with the next two.
	used.sandbox.faults.set([
		{ what: 'status', status: 400, when: { recipient: '22', nth: [1, 3, 5] } },
	]);
	const loop = base('Loop', 'splitInBatches', 3, { batchSize: 2, options: {} });
	const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
	const flow = await publish([loop, sender(settings), answer], {
		ways: [
			['Loop', 'Answer', { output: 0 }],
			['Loop', NODE, { output: 1 }],
			[NODE, 'Loop'],
		],
	});
	/** The same two customers in each batch, so that one run could take another's memory for its own. */
	const batches = ['a', 'b', 'c'].flatMap((round) => [
		{ customer: '21', text: `first ${round}` },
		{ customer: '22', text: `second ${round}` },
	]);
	const { status, body } = await flow.call({ list: batches });
	expect(status).toBe(200);
	expect(body.map(({ extra }) => extra.customer_id)).toEqual([21, 22, 21, 22, 21, 22]);
	expect(acceptedTexts().sort()).toEqual(batches.map(({ text }) => text).sort());
	expect(used.requests()).toHaveLength(9);
	expect((await lastExecution(flow.id)).runs(NODE)).toHaveLength(3);
});

describe('sub-workflow', () => {
	async function publishPair(mode: string) {
		const called = base('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
		const sub = graph('Sub', [called, sender()], [['Called', NODE]]);
		const { id } = await used.client.createWorkflow(sub);
		await used.client.activate(id);
		const call = base('Call', 'executeWorkflow', 1.2, {
			workflowId: { __rl: true, mode: 'id', value: id },
			workflowInputs: { mappingMode: 'defineBelow', value: {} },
			mode,
			options: {},
		});
		return await publish([call, answer]);
	}

	/** Two items with the same words are two messages. */
	const twice = { list: [1, 2].map(() => ({ customer: '31', text: 'by sub' })) };

	test.each(['once', 'each'])('called %s: the records come back', async (mode) => {
		const flow = await publishPair(mode);
		const { status, body } = await flow.call(twice);
		expect(status).toBe(200);
		expect(body.map(({ extra }) => extra.customer_id)).toEqual([31, 31]);
		expect(acceptedTexts()).toEqual(['by sub', 'by sub']);
		expect(new Set(body.map(({ id }) => id)).size).toBe(2);
	});

	test('a rejection in it reaches the workflow that called, in its words', async () => {
		used.sandbox.faults.set([{ what: 'status', status: 400, body: OPTED_OUT }]);
		const flow = await publishPair('once');
		await flow.call(twice);
		const { status, error } = await lastExecution(flow.id);
		expect(status).toBe('error');
		expect(error.message).toContain(SAID);
	});
});

test('an error workflow gets the message and the description', async () => {
	const alarm = graph(
		'Alarm',
		[base('Alarm', 'errorTrigger', 1, {}), base('Note', 'noOp', 1, {})],
		[['Alarm', 'Note']],
	);
	const { id: alarmId } = await used.client.createWorkflow(alarm);
	await used.client.activate(alarmId);
	const when = { recipient: '42' };
	used.sandbox.faults.set([{ what: 'status', status: 400, body: OPTED_OUT, when }]);
	const flow = await publish([sender(), answer], { settings: { errorWorkflow: alarmId } });
	await flow.call({
		list: [
			{ customer: '41', text: 'fine' },
			{ customer: '42', text: 'refused' },
		],
	});

	const failed = await lastExecution(flow.id);
	const alarmed = await lastExecution(alarmId);
	const [{ execution, workflow }] = alarmed.items('Note');
	expect(workflow).toMatchObject({ id: flow.id, name: 'Production' });
	expect(execution).toMatchObject({
		id: failed.id,
		lastNodeExecuted: NODE,
		error: {
			message: SAID,
			description: expect.stringMatching(
				/1 of 2 messages accepted, 1 rejected\. To send the rest, open 'Executions'/,
			),
		},
	});
	expect(JSON.stringify(alarmed.stored)).not.toContain(used.sandbox.apiKey);
});
