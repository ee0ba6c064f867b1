/** Each safeguard in a real n8n. Who got a message is counted at the service. */
import { AGENT, AGENT_VERSIONS, agentWorkflow, startModel } from '../n8n/agent.cts';
import {
	graph,
	items,
	manualTrigger,
	node,
	outboundMessaging,
	type NodeOptions,
} from '../n8n/workflow.cts';
import { NODE, textOf, useN8n } from './help.cts';

const used = useN8n();

let model: Awaited<ReturnType<typeof startModel>>;
let modelCredentialId: string;

beforeAll(async () => {
	model = await startModel();
	const data = { apiKey: 'no-key', url: model.url, header: false };
	const credential = { name: 'Scripted model', type: 'openAiApi', data };
	modelCredentialId = (await used.client.createCredential(credential)).id;
});

afterAll(async () => await model.stop());

beforeEach(() => {
	used.sandbox.ledger.clear();
	used.sandbox.faults.clear();
});

const recipients = () => used.sandbox.ledger.accepted().map(({ recipient }) => recipient);
const requests = () => used.sandbox.ledger.entries();

const customersOf = (...numbers: number[]) =>
	numbers.map((number, index) => ({ customer: String(number), text: `text ${index}` }));
const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Sends a text to each customer of a list. */
const send = async (
	safeguards: object,
	list: object[],
	more: Partial<NodeOptions> & { failed?: ReturnType<typeof node> } = {},
) => await used.send({ parameters: { ...textOf(), safeguards }, list, ...more });

const CONTINUE = { settings: { onError: 'continueRegularOutput' } };
const reasons = (list: Array<Record<string, unknown>>) => list.map(({ reason }) => reason);

test('Do Not Contact: numbers in any spelling, from an expression', async () => {
	const parameters = {
		operation: 'sendTemplate',
		templateId: 'offer',
		channelId: '5001',
		customerPhone: '={{ $json.phone }}',
		options: { defaultCountry: 'DE' },
		safeguards: { doNotContact: "={{ ['0151 23456789', '0044 7700 900461'] }}" },
	};
	const phones = ['+49 151 23456789', '+12025550143', '(0151) 2345-6789', '+447700900461'];
	const execution = await used.send({ parameters, list: phones.map((phone) => ({ phone })) });
	expect(recipients()).toEqual(['+12025550143']);
	expect(reasons(execution.items(NODE))).toEqual([
		'doNotContact',
		undefined,
		'doNotContact',
		'doNotContact',
	]);
});

test('Repeated Recipients: Send First', async () => {
	const execution = await send({ repeatedRecipients: 'sendFirst' }, customersOf(1, 2, 1, 2, 3));
	expect(recipients().toSorted()).toEqual(['1', '2', '3']);
	expect(execution.items(NODE)).toHaveLength(5);
});

test('Allowed Hours: outside them an item fails and says when they begin', async () => {
	const today = new Date().getUTCDay();
	const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
	const list = [today, (today + 3) % 7].map((day, index) => ({
		...customersOf(index)[0],
		customer: String(index + 1),
		day: days[day],
	}));
	const window = { from: '00:00', until: '24:00', days: '={{ [$json.day] }}', timezone: 'UTC' };
	const failed = node('Failed', 'n8n-nodes-base.noOp', 1);
	const settings = { onError: 'continueErrorOutput' };
	const execution = await send({ allowedHours: { window } }, list, { settings, failed });
	expect(recipients()).toEqual(['1']);
	expect(execution.items('Failed')).toMatchObject([
		{
			customer: '2',
			error: expect.stringContaining('begin again on') as string,
			details: { delivery: 'notAttempted', code: 'outsideAllowedHours' },
		},
	]);
});

describe('Max Messages', () => {
	test('one too many rejects the run before it sends anything', async () => {
		const execution = await send({ maxMessages: 3 }, customersOf(...range(4)));
		expect(execution.status).toBe('error');
		expect(requests()).toEqual([]);
	});

	test('in a loop with batches of 5, it stops after 10', async () => {
		const sender = outboundMessaging({
			credentialId: used.credentialId,
			parameters: { ...textOf(), safeguards: { maxMessages: 10 } },
		});
		const loop = node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: 5, options: {} });
		const definition = graph(
			'Loop',
			[manualTrigger(), items(customersOf(...range(23))), loop, sender],
			[
				['Start', 'Items'],
				['Items', 'Loop'],
				['Loop', NODE, { output: 1 }],
				[NODE, 'Loop'],
			],
		);
		const { id } = await used.client.createWorkflow(definition);
		const execution = await used.client.run(id);
		expect(execution.status).toBe('error');
		expect(
			recipients()
				.map(Number)
				.toSorted((a, b) => a - b),
		).toEqual(range(10));
		expect(execution.error?.message).toContain("'Max Messages' is 10");
	});

	test('Retry On Fail sends the rest, and counts what was sent before', async () => {
		used.sandbox.faults.set([{ what: 'status', status: 400, when: { recipient: '2', nth: 1 } }]);
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const list = customersOf(...range(3));
		const execution = await send({ maxMessages: 3 }, list, { settings });
		expect(execution.status).toBe('success');
		expect(recipients().toSorted()).toEqual(['1', '2', '3']);
	});

	test.each(AGENT_VERSIONS)('all calls of agent %s together', async (version) => {
		const calls = range(5).map((number) => ({ customer_id: String(number), text: 'Hello' }));
		model.follow([{ calls }, { calls: calls.toReversed() }, { text: 'Done.' }]);
		const fromAI = (key: string) => `={{ $fromAI('${key}', 'For the customer', 'string') }}`;
		const tool = {
			...outboundMessaging({
				name: 'Send Text',
				credentialId: used.credentialId,
				parameters: {
					...textOf(),
					customerId: fromAI('customer_id'),
					text: fromAI('text'),
					safeguards: { maxMessages: 2 },
				},
			}),
			type: 'n8n-nodes-outbound-messaging.outboundMessagingTool',
		};
		const definition = agentWorkflow({ version, tool, modelCredentialId });
		const { id } = await used.client.createWorkflow(definition);
		const execution = await used.client.run(id);
		expect(execution.items(AGENT)).toMatchObject([{ output: 'Done.' }]);
		expect(recipients()).toHaveLength(2);
		expect(model.answers()).toHaveLength(10);
		const rejected = model.answers().filter((answer) => answer.includes("'Max Messages' is 2"));
		expect(rejected.length).toBeGreaterThanOrEqual(3);
		for (const answer of rejected) expect(answer).toContain("Calling this tool again won't help");
	});
});

test('Stop After Failures: a dead template costs no more than the limit', async () => {
	used.sandbox.faults.set([{ what: 'status', status: 400 }]);
	const execution = await send({ stopAfterFailures: 5 }, customersOf(...range(20)), CONTINUE);
	expect(requests()).toHaveLength(5);
	expect(execution.items(NODE)).toHaveLength(20);
});

test('Test Recipient: three messages, all of them to the tester', async () => {
	const safeguards = { testRecipient: '99', sendOnceKey: '={{ $json.text }}' };
	const execution = await send(safeguards, customersOf(...range(5)));
	expect(recipients()).toEqual(['99', '99', '99']);
	expect(reasons(execution.items(NODE)).filter(Boolean)).toEqual(['testRun', 'testRun']);
});

test('Dry Run: shows what the others leave, and sends nothing', async () => {
	const safeguards = { dryRun: true, repeatedRecipients: 'sendFirst', doNotContact: '3' };
	const execution = await send(safeguards, customersOf(1, 2, 1, 3));
	expect(requests()).toEqual([]);
	expect(execution.items(NODE)).toMatchObject([
		{ dryRun: true, request: { body: { customer_id: '1' } } },
		{ dryRun: true, request: { body: { customer_id: '2' } } },
		{ skipped: true, reason: 'repeatedRecipient' },
		{ skipped: true, reason: 'doNotContact' },
	]);
});

test('Send Once Key and On Uncertain Delivery: Resend sends only what is uncertain', async () => {
	used.sandbox.faults.set([{ what: 'cutAfter', when: { recipient: '2', nth: 1 } }]);
	const safeguards = { sendOnceKey: '={{ $json.text }}', onUncertainDelivery: 'doNotResend' };
	const parameters = { ...textOf(), safeguards };
	const workflowId = await used.save({ parameters, list: customersOf(1, 2), ...CONTINUE });
	await used.client.run(workflowId);
	const again = await used.client.run(workflowId);
	expect(again.items(NODE)).toMatchObject([
		{ skipped: true, reason: 'alreadySent' },
		{ details: { delivery: 'uncertain' } },
	]);
	const { nodes } = await used.client.workflow(workflowId);
	const resending = nodes.map((each) =>
		each.name === NODE
			? {
					...each,
					parameters: {
						...parameters,
						safeguards: { ...safeguards, onUncertainDelivery: 'resend' },
					},
				}
			: each,
	);
	await used.client.updateWorkflow(workflowId, { nodes: resending });
	await used.client.run(workflowId);
	expect(recipients().toSorted()).toEqual(['1', '2', '2']);
});
