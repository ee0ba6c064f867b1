/** The node as a tool of the AI Agent, whose model is a script: what the agent asks for and what it gets to read. */
import { AGENT, agentWorkflow, startModel, type Script } from '../n8n/agent.cts';
import { outboundMessaging } from '../n8n/workflow.cts';
import { useN8n } from './help.cts';

const used = useN8n();

const TOOL = 'Send Text';
let model: Awaited<ReturnType<typeof startModel>>;
let modelCredentialId: string;

beforeAll(async () => {
	model = await startModel();
	const credential = await used.client.createCredential({
		name: 'Scripted model',
		type: 'openAiApi',
		data: { apiKey: 'no-key', url: model.url, header: false },
	});
	modelCredentialId = credential.id;
});

afterAll(() => model.stop());

beforeEach(() => {
	used.sandbox.ledger.clear();
	used.sandbox.faults.clear();
});

const accepted = () => used.sandbox.ledger.accepted();
const requests = () => used.sandbox.ledger.entries();

/** Runs an agent with the tool while the model follows a script. */
async function run(turns: Script, settings?: object) {
	model.follow(turns);
	const tool = {
		...outboundMessaging({
			name: TOOL,
			credentialId: used.credentialId,
			parameters: {
				operation: 'sendText',
				customerId: "={{ $fromAI('customer_id', 'The ID of the customer', 'string') }}",
				text: "={{ $fromAI('text', 'What the customer shall read', 'string') }}",
			},
			settings,
		}),
		type: 'n8n-nodes-outbound-messaging.outboundMessagingTool',
	};
	const { id } = await used.client.createWorkflow(
		agentWorkflow({ version: 3, tool, modelCredentialId }),
	);
	return await used.client.run(id);
}

const observations = () => model.answers();

const CALL = { customer_id: '42', text: 'Your parcel is on its way' };

test('the model is offered the tool with its fields; its call arrives as a message', async () => {
	const execution = await run([{ calls: [CALL] }, { text: 'Done.' }]);
	expect(execution.items(AGENT)).toMatchObject([{ output: 'Done.' }]);

	const [{ tools }] = model.requests;
	expect(tools).toMatchObject([
		{
			function: {
				name: 'Send_Text',
				description: expect.stringContaining('Send'),
				parameters: {
					required: ['customer_id', 'text'],
					properties: { text: { type: 'string', description: 'What the customer shall read' } },
				},
			},
		},
	]);
	expect(accepted()).toMatchObject([{ body: CALL }]);
	expect(observations()).toHaveLength(1);
	expect(observations()[0]).toContain('"function_name":"send_text_message"');
	expect(JSON.stringify([model.requests, execution.stored])).not.toContain(used.sandbox.apiKey);
});

test('two calls with the same words in one turn are two messages', async () => {
	await run([{ calls: [CALL, CALL] }, { text: 'Done.' }]);
	expect(accepted()).toHaveLength(2);
	expect(observations()).toHaveLength(2);
});

describe('what was rejected comes back in words the agent can act on', () => {
	test('by the service: the agent tries another way', async () => {
		used.sandbox.faults.set([
			{
				what: 'status',
				status: 400,
				body: { error: 'Customer has opted out', code: 'opted_out' },
				when: { nth: 1 },
			},
		]);
		const execution = await run([
			{ calls: [CALL] },
			{ calls: [{ ...CALL, customer_id: '43' }] },
			{ text: 'Customer 42 has opted out, I told 43.' },
		]);
		expect(execution.status).toBe('success');
		const [rejected, accepts] = observations();
		expect(rejected).toMatch(/Customer has opted out.*opted_out.*Nothing was sent/);
		expect(accepts).toContain('"success":true');
		expect(accepted().map(({ recipient }) => recipient)).toEqual(['43']);
	});

	test('by the node: the agent corrects its call', async () => {
		await run([{ calls: [{ ...CALL, customer_id: '' }] }, { calls: [CALL] }, { text: 'Done.' }]);
		expect(observations()[0]).toMatch(/Customer ID.* empty.*another value for 'customer_id'/);
		expect(accepted()).toMatchObject([{ body: CALL }]);
	});
});

describe('with Retry On Fail on the tool', () => {
	const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

	test('a call whose answer got lost is not sent a second time, and the agent reads so', async () => {
		used.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
		await run([{ calls: [CALL] }, { text: 'I do not know whether it arrived.' }], RETRY);
		expect(requests()).toHaveLength(1);
		expect(observations()[0]).toMatch(/may have been sent/);
	});

	test('a call that is rejected at first is sent again', async () => {
		used.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 1 } }]);
		await run([{ calls: [CALL] }, { text: 'Done.' }], RETRY);
		expect(requests()).toHaveLength(2);
		expect(accepted()).toHaveLength(1);
		expect(observations()[0]).toContain('"success":true');
	});
});
