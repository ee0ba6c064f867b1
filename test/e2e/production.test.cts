/** Published workflows, as they run at night with no editor open. */
import { randomUUID } from 'node:crypto';
import { poll } from '../../scripts/lib/child.cts';
import type { ItemJson } from '../n8n/execution.cts';
import {
	graph,
	node,
	outboundMessaging,
	type Link,
	type NodeDefinition,
	type NodeOptions,
} from '../n8n/workflow.cts';
import { useN8n, textOf, NODE } from './help.cts';

const used = useN8n();

beforeEach(() => {
	used.sandbox.ledger.clear();
	used.sandbox.faults.clear();
});

const accepted = () => used.sandbox.ledger.accepted();
const acceptedTexts = () => accepted().map(({ body }) => body.text);

const base = (name: string, type: string, version: number, parameters: object, more?: object) =>
	node(name, `n8n-nodes-base.${type}`, version, parameters, more);

/** Answers with what the `Answer` node got, or with a 500 when the execution fails. */
const hook = (path: string) =>
	base(
		'Webhook',
		'webhook',
		2.1,
		{ httpMethod: 'POST', path, responseMode: 'responseNode', options: {} },
		{ webhookId: path },
	);
const answer = () => base('Answer', 'respondToWebhook', 1.4, { respondWith: 'allIncomingItems' });

/** One item for each entry of the list in the webhook's body. */
const splitOut = () => base('List', 'splitOut', 1, { fieldToSplitOut: 'body.list', options: {} });

const sender = (definition: Partial<NodeOptions> = {}) =>
	outboundMessaging({ credentialId: used.credentialId, parameters: textOf(), ...definition });

/** A node that writes down what expressions yield. */
const edit = (name: string, fields: Record<string, string>) =>
	base(name, 'set', 3.4, {
		assignments: {
			assignments: Object.entries(fields).map(([field, value]) => ({
				id: field,
				name: field,
				value,
				type: 'string',
			})),
		},
		options: {},
	});

type Build = (webhook: NodeDefinition) => { nodes: NodeDefinition[]; links: Link[] };

/**
 * Publishes a workflow behind a webhook; its nodes and links come from `build`, which gets the webhook's node.
 */
async function publish(build: Build, settings = {}) {
	const path = randomUUID();
	const { nodes, links } = build(hook(path));
	const definition = graph('Production', nodes, links);
	Object.assign(definition.settings, settings);
	const { id } = await used.client.createWorkflow(definition);
	await used.client.activate(id);
	return {
		id,
		async call(body: object) {
			const response = await fetch(`${used.n8n.url}/webhook/${path}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			});
			const text = await response.text();
			return { status: response.status, body: (text && JSON.parse(text)) as ItemJson[] };
		},
		lastExecution: async () => await lastExecution(id),
	};
}

/** The newest execution of a workflow, once it is over. */
async function lastExecution(workflowId: string) {
	const [newest] = await poll(
		async () => {
			const list = await used.client.executions(workflowId);
			return list.length > 0 && list;
		},
		{ what: `an execution of workflow ${workflowId}` },
	);
	return await used.client.waitForExecution(newest.id);
}

/** Webhook, list, node, answer: one after the other. */
const straight =
	(definition?: Partial<NodeOptions>): Build =>
	(webhook) => ({
		nodes: [webhook, splitOut(), sender(definition), answer()],
		links: [
			['Webhook', 'List'],
			['List', NODE],
			[NODE, 'Answer'],
		],
	});

describe('webhook, node, respond', () => {
	test('the caller gets the records, in the order of the list', async () => {
		const flow = await publish(straight());
		const { status, body } = await flow.call({
			list: [
				{ customer: '11', text: 'one' },
				{ customer: 12, text: 'two' },
			],
		});
		expect(status).toBe(200);
		expect(body).toMatchObject([
			{ function_name: 'send_text_message', extra: { customer_id: 11, success: true } },
			{ function_name: 'send_text_message', extra: { customer_id: 12, success: true } },
		]);
		expect(acceptedTexts().sort()).toEqual(['one', 'two']);
		expect((await flow.lastExecution()).mode).toBe('webhook');
	});

	test('the same list sent by two executions is sent twice', async () => {
		const flow = await publish(straight({ settings: { retryOnFail: true } }));
		const body = { list: [{ customer: '13', text: 'again' }] };
		const first = await flow.call(body);
		const second = await flow.call(body);
		expect([first.status, second.status]).toEqual([200, 200]);
		expect(acceptedTexts()).toEqual(['again', 'again']);
		expect(second.body[0].id).not.toBe(first.body[0].id);
	});

	test('a list with a bad item sends nothing, and the caller does not read the details', async () => {
		const flow = await publish(straight());
		const { body } = await flow.call({
			list: [
				{ customer: '14', text: 'good' },
				{ customer: '15', text: '' },
			],
		});
		expect(JSON.stringify(body)).not.toContain("'Text' is empty");
		expect(used.sandbox.ledger.entries()).toEqual([]);
		const execution = await flow.lastExecution();
		expect(execution.nodeError(NODE)).toMatchObject({
			message: "'Text' is empty",
			description: expect.stringMatching(/Nothing was sent\..*To fix: item 1 /),
		});
	});
});

test('1,000 items: each one delivered once, and the records tied to their items in order', async () => {
	const flow = await publish((webhook) => ({
		nodes: [
			webhook,
			splitOut(),
			sender(),
			edit('Trace', {
				sent: '={{ $json.extra.customer_id }}',
				asked: "={{ $('List').item.json.customer }}",
			}),
			answer(),
		],
		links: [
			['Webhook', 'List'],
			['List', NODE],
			[NODE, 'Trace'],
			['Trace', 'Answer'],
		],
	}));
	const list = Array.from({ length: 1000 }, (_, index) => ({
		customer: String(5000 + index),
		text: `Hello ${index}`,
	}));
	const { status, body } = await flow.call({ list });
	expect(status).toBe(200);
	expect(body).toEqual(list.map(({ customer }) => ({ sent: customer, asked: customer })));
	expect(used.sandbox.ledger.summary()).toMatchObject({
		received: 1000,
		accepted: 1000,
		duplicates: 0,
	});
});

describe('Loop Over Items', () => {
	/** Batches of two through the node; what comes out of the loop is the answer. */
	const loop =
		(settings?: object): Build =>
		(webhook) => ({
			nodes: [
				webhook,
				splitOut(),
				base('Loop', 'splitInBatches', 3, { batchSize: 2, options: {} }),
				sender({ settings }),
				answer(),
			],
			links: [
				['Webhook', 'List'],
				['List', 'Loop'],
				['Loop', 'Answer', { output: 0 }],
				['Loop', NODE, { output: 1 }],
				[NODE, 'Loop'],
			],
		});

	/** Three batches; the same two customers in each, so that one run could take another's memory for its own. */
	const LIST = ['a', 'b', 'c'].flatMap((round) => [
		{ customer: '21', text: `first ${round}` },
		{ customer: '22', text: `second ${round}` },
	]);

	test('each run sends its own items, also to the customers of the run before', async () => {
		const flow = await publish(loop());
		const { body } = await flow.call({ list: LIST });
		expect(body.map(({ extra }) => extra.customer_id)).toEqual([21, 22, 21, 22, 21, 22]);
		expect(acceptedTexts().sort()).toEqual(LIST.map(({ text }) => text).sort());
		expect((await flow.lastExecution()).runs(NODE)).toHaveLength(3);
	});

	test('Retry On Fail: rejected at first in every run, and no customer gets a message twice', async () => {
		// The requests are: 21 and 22 (rejected), 22 again, and so on with the next two.
		used.sandbox.faults.set([
			{ what: 'status', status: 400, when: { recipient: '22', nth: [1, 3, 5] } },
		]);
		const flow = await publish(loop({ retryOnFail: true, maxTries: 2, waitBetweenTries: 0 }));
		const { status, body } = await flow.call({ list: LIST });
		expect(status).toBe(200);
		expect(body.map(({ extra }) => extra.customer_id)).toEqual([21, 22, 21, 22, 21, 22]);
		expect(acceptedTexts().sort()).toEqual(LIST.map(({ text }) => text).sort());
		expect(used.sandbox.ledger.entries()).toHaveLength(9);
		expect(used.sandbox.ledger.duplicates()).toEqual([]);
	});

	test('Retry On Fail and continue: what one run remembers does not count for the next', async () => {
		// n8n runs a node again in continue mode too when the first item of its output has failed.
		used.sandbox.faults.set([{ what: 'status', status: 400, when: { recipient: '21' } }]);
		const flow = await publish(
			loop({
				retryOnFail: true,
				maxTries: 2,
				waitBetweenTries: 0,
				onError: 'continueRegularOutput',
			}),
		);
		const { body } = await flow.call({ list: LIST });
		expect(body.map(({ error, extra }) => (error ? 'failed' : extra.customer_id))).toEqual([
			'failed',
			22,
			'failed',
			22,
			'failed',
			22,
		]);
		expect(acceptedTexts()).toEqual(['second a', 'second b', 'second c']);
	});
});

describe('sub-workflow', () => {
	async function publishPair(mode: string) {
		const { id } = await used.client.createWorkflow(
			graph(
				'Sub',
				[base('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }), sender()],
				[['Called', NODE]],
			),
		);
		await used.client.activate(id);
		const call = base('Call', 'executeWorkflow', 1.2, {
			workflowId: { __rl: true, mode: 'id', value: id },
			workflowInputs: { mappingMode: 'defineBelow', value: {} },
			mode,
			options: {},
		});
		const flow = await publish((webhook) => ({
			nodes: [webhook, splitOut(), call, answer()],
			links: [
				['Webhook', 'List'],
				['List', 'Call'],
				['Call', 'Answer'],
			],
		}));
		return { flow, subId: id };
	}

	const LIST = [
		{ customer: '31', text: 'by sub' },
		{ customer: '31', text: 'by sub' },
	];

	test.each(['once', 'each'])('called %s: the records come back', async (mode) => {
		const { flow } = await publishPair(mode);
		const { status, body } = await flow.call({ list: LIST });
		expect(status).toBe(200);
		expect(body.map(({ extra }) => extra.customer_id)).toEqual([31, 31]);
		// Two items with the same words are two messages.
		expect(acceptedTexts()).toEqual(['by sub', 'by sub']);
		expect(new Set(body.map(({ id }) => id)).size).toBe(2);
	});

	test('a rejection in it reaches the workflow that called, in its words', async () => {
		used.sandbox.faults.set([
			{ what: 'status', status: 400, body: { error: 'Customer has opted out', code: 'opted_out' } },
		]);
		const { flow, subId } = await publishPair('once');
		await flow.call({ list: LIST });
		const [outer, inner] = [await flow.lastExecution(), await lastExecution(subId)];
		expect([outer.status, inner.status]).toEqual(['error', 'error']);
		expect(outer.error.message).toContain('Customer has opted out, code opted_out');
	});
});

test('an error workflow gets the message and the description', async () => {
	const { id: alarmId } = await used.client.createWorkflow(
		graph(
			'Alarm',
			[base('Alarm', 'errorTrigger', 1, {}), base('Note', 'noOp', 1, {})],
			[['Alarm', 'Note']],
		),
	);
	await used.client.activate(alarmId);
	used.sandbox.faults.set([
		{
			what: 'status',
			status: 400,
			body: { error: 'Customer has opted out', code: 'opted_out', success: false },
			when: { recipient: '42' },
		},
	]);
	const flow = await publish(straight(), { errorWorkflow: alarmId });
	await flow.call({
		list: [
			{ customer: '41', text: 'fine' },
			{ customer: '42', text: 'refused' },
		],
	});

	const failed = await flow.lastExecution();
	const alarm = await lastExecution(alarmId);
	const [{ execution, workflow }] = alarm.items('Note');
	expect(workflow).toMatchObject({ id: flow.id, name: 'Production' });
	expect(execution).toMatchObject({
		id: failed.id,
		lastNodeExecuted: NODE,
		error: {
			message: 'The service rejected the message (400): Customer has opted out, code opted_out',
			description: expect.stringMatching(
				/1 of 2 messages accepted, 1 rejected\. To send the rest, open 'Executions'/,
			),
		},
	});
	expect(JSON.stringify(alarm.stored)).not.toContain(used.sandbox.apiKey);
});

describe('behind the node', () => {
	const LIST = [
		{ customer: '51', text: 'first', name: 'Ada' },
		{ customer: '52', text: 'second', name: 'Grace' },
		{ customer: '53', text: ' ', name: 'Edsger' },
		{ customer: '54', text: 'fourth', name: 'Barbara' },
	];
	const REFUSED = 'Customer has opted out';

	beforeEach(() =>
		used.sandbox.faults.set([
			{ what: 'status', status: 400, body: { error: REFUSED }, when: { recipient: '51' } },
		]),
	);

	/** Takes the second item away, so that a position alone does not lead back to the right one. */
	const filter = () =>
		base('Filter', 'filter', 2.2, {
			conditions: {
				combinator: 'and',
				options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
				conditions: [
					{
						id: '1',
						leftValue: "={{ $('List').item.json.name }}",
						rightValue: 'Grace',
						operator: { type: 'string', operation: 'notEquals' },
					},
				],
			},
			options: {},
		});
	const trace = (name = 'Trace') =>
		edit(name, {
			name: "={{ $('List').item.json.name }}",
			sent: `={{ $('${NODE}').item.json.extra?.customer_id }}`,
			error: `={{ $('${NODE}').item.json.error }}`,
		});

	test('continue: every item comes out, each one tied to its own record and its own input', async () => {
		const flow = await publish((webhook) => ({
			nodes: [
				webhook,
				splitOut(),
				sender({ settings: { onError: 'continueRegularOutput' } }),
				filter(),
				trace(),
				answer(),
			],
			links: [
				['Webhook', 'List'],
				['List', NODE],
				[NODE, 'Filter'],
				['Filter', 'Trace'],
				['Trace', 'Answer'],
			],
		}));
		const { status, body } = await flow.call({ list: LIST });
		expect(status).toBe(200);
		expect(body).toMatchObject([
			{ name: 'Ada', error: expect.stringContaining(REFUSED) },
			{ name: 'Edsger', error: "'Text' is empty" },
			{ name: 'Barbara', sent: '54' },
		]);
		expect(acceptedTexts().sort()).toEqual(['fourth', 'second']);
	});

	test('error output: the sound ones answer the caller, the failed ones take the other way', async () => {
		const flow = await publish((webhook) => ({
			nodes: [
				webhook,
				splitOut(),
				sender({ settings: { onError: 'continueErrorOutput' } }),
				trace(),
				edit('Failed', {
					name: "={{ $('List').item.json.name }}",
					who: '={{ $json.name }} ({{ $json.customer }})',
					why: '={{ $json.error }} / {{ $json.details.delivery }}',
				}),
				answer(),
			],
			links: [
				['Webhook', 'List'],
				['List', NODE],
				[NODE, 'Trace', { output: 0 }],
				[NODE, 'Failed', { output: 1 }],
				['Trace', 'Answer'],
			],
		}));
		const { status, body } = await flow.call({ list: LIST });
		expect(status).toBe(200);
		expect(body).toMatchObject([
			{ name: 'Grace', sent: '52' },
			{ name: 'Barbara', sent: '54' },
		]);
		expect((await flow.lastExecution()).items('Failed')).toEqual([
			{
				name: 'Ada',
				who: 'Ada (51)',
				why: `The service rejected the message (400): ${REFUSED} / rejected`,
			},
			{ name: 'Edsger', who: 'Edsger (53)', why: "'Text' is empty / rejected" },
		]);
	});
});
