/** The node as a tool of the AI Agent, whose model is a script: what the agent asks for and what it gets to read. */
const http = require('node:http');
const { graph, manualTrigger, node, outboundMessaging } = require('../n8n/workflow');
const { useN8n } = require('./help');

const used = useN8n();

/** On older releases a failing tool ends the agent's run, unless the tool is set to continue. */
const CONTINUE = process.env.OUTBOUND_TEST_N8N ? { onError: 'continueRegularOutput' } : {};

const TOOL = 'Send Text';
const AGENT = 'Agent';

/** Speaks the chat completions of OpenAI; each turn of the script is a tool call or a final text. */
async function startModel() {
	const requests = [];
	let script = [];
	const server = http.createServer(async (request, response) => {
		const chunks = [];
		for await (const chunk of request) chunks.push(chunk);
		const asked = JSON.parse(Buffer.concat(chunks).toString());
		requests.push(asked);
		const turn = script[requests.length - 1] ?? { text: 'The script is over.' };
		const message = {
			role: 'assistant',
			content: turn.text ?? null,
			...(turn.calls && {
				tool_calls: turn.calls.map((args, index) => ({
					id: `call_${requests.length}_${index}`,
					type: 'function',
					function: { name: TOOL.replace(' ', '_'), arguments: JSON.stringify(args) },
				})),
			}),
		};
		response.setHeader('content-type', 'application/json');
		response.end(
			JSON.stringify({
				id: `answer-${requests.length}`,
				object: 'chat.completion',
				created: 1,
				model: asked.model,
				choices: [{ index: 0, message, finish_reason: turn.calls ? 'tool_calls' : 'stop' }],
				usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
			}),
		);
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${server.address().port}/v1`,
		requests,
		follow(turns) {
			requests.length = 0;
			script = turns;
		},
		stop: () => new Promise((resolve) => server.close(resolve)),
	};
}

let model;
let modelCredentialId;

beforeAll(async () => {
	model = await startModel();
	const credential = await used.client.createCredential({
		name: 'Scripted model',
		type: 'openAiApi',
		data: { apiKey: 'no-key', url: model.url, header: false },
	});
	modelCredentialId = credential.id;
});

afterAll(() => model?.stop());

beforeEach(() => {
	used.sandbox.ledger.clear();
	used.sandbox.faults.clear();
});

const accepted = () => used.sandbox.ledger.accepted();
const requests = () => used.sandbox.ledger.entries();

/** Runs an agent with the tool while the model follows a script. */
async function run(turns, settings = {}) {
	model.follow(turns);
	const agent = node(AGENT, '@n8n/n8n-nodes-langchain.agent', 3, {
		promptType: 'define',
		text: 'Tell customer 42 that the parcel is on its way',
		options: {},
	});
	const chat = node(
		'Model',
		'@n8n/n8n-nodes-langchain.lmChatOpenAi',
		1.3,
		{
			model: { __rl: true, mode: 'id', value: 'scripted' },
			responsesApiEnabled: false,
			options: { maxRetries: 0 },
		},
		{ credentials: { openAiApi: { id: modelCredentialId, name: 'Scripted model' } } },
	);
	const tool = {
		...outboundMessaging({
			name: TOOL,
			credentialId: used.credentialId,
			parameters: {
				operation: 'sendText',
				customerId: "={{ $fromAI('customer_id', 'The ID of the customer', 'string') }}",
				text: "={{ $fromAI('text', 'What the customer shall read', 'string') }}",
			},
			settings: { ...CONTINUE, ...settings },
		}),
		type: 'n8n-nodes-outbound-messaging.outboundMessagingTool',
	};
	const { id } = await used.client.createWorkflow(
		graph(
			'Agent',
			[manualTrigger(), agent, chat, tool],
			[
				['Start', AGENT],
				['Model', AGENT, { type: 'ai_languageModel' }],
				[TOOL, AGENT, { type: 'ai_tool' }],
			],
		),
	);
	return await used.client.run(id);
}

/** What the model was given as results of its calls, when it was asked the last time. */
const observations = () =>
	model.requests
		.at(-1)
		.messages.filter(({ role }) => role === 'tool')
		.map(({ content }) => content);

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

describe('a refusal comes back in words the agent can act on', () => {
	test('of the service: the agent tries another way', async () => {
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
		const [refusal, success] = observations();
		expect(refusal).toContain(
			'The service rejected the message (400): Customer has opted out, code opted_out',
		);
		expect(refusal).toContain('Nothing was sent to this customer');
		expect(success).toContain('"success":true');
		expect(accepted().map(({ recipient }) => recipient)).toEqual(['43']);
	});

	test('of the node: the agent mends its call', async () => {
		await run([{ calls: [{ ...CALL, customer_id: '' }] }, { calls: [CALL] }, { text: 'Done.' }]);
		const [refusal] = observations();
		expect(refusal).toContain("'Customer ID' is empty");
		expect(refusal).toContain('Enter the ID');
		expect(accepted()).toMatchObject([{ body: CALL }]);
	});
});

describe('with Retry On Fail on the tool', () => {
	const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };

	test('a call whose answer got lost is not sent a second time, and the agent reads so', async () => {
		used.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
		await run([{ calls: [CALL] }, { text: 'I do not know whether it arrived.' }], RETRY);
		expect(requests()).toHaveLength(1);
		expect(observations()[0]).toMatch(/may or may not have arrived/);
	});

	test('a call that is refused at first is sent again', async () => {
		used.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 1 } }]);
		await run([{ calls: [CALL] }, { text: 'Done.' }], RETRY);
		expect(requests()).toHaveLength(2);
		expect(accepted()).toHaveLength(1);
		expect(observations()[0]).toContain('"success":true');
	});
});
