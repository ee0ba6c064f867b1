/**
 * The node as a tool of the two agents that people use: agent 3 lets n8n's engine run its tools, agent 2.2 runs them
 * itself. What customers got is counted at the sandbox; what the agent knows is what the model was given to read.
 */
import {
	AGENT,
	AGENT_VERSIONS,
	agentWorkflow,
	startApprovals,
	type AgentOptions,
	type Script,
} from '../n8n/agent.cts';
import type { ItemJson } from '../n8n/execution.cts';
import { isAtLeast } from '../n8n/release.cts';
import { fromAI, outboundMessagingTool } from '../n8n/workflow.cts';
import { useN8n } from './help.cts';

const used = useN8n();

const [NEWEST] = AGENT_VERSIONS;

/** Up to 2.0, agent 3 gives its tools no fields of the item, and takes what an error output has for the answer. */
const isEarlyAgent3 = (version: number) => version >= 3 && !isAtLeast('2.30.0');

const filledIn = (key: string) => fromAI(key, 'As the customer shall get it');
const FIELDS = { customerId: filledIn('customer_id'), text: filledIn('text') };
const call = (customer: string, text = 'Your parcel is on its way') => ({
	customer_id: customer,
	text,
});

let model: Awaited<ReturnType<typeof used.startModel>>;
let approvals: Awaited<ReturnType<typeof startApprovals>>;
let approvalCredentialId: string;

beforeAll(async () => {
	model = await used.startModel();
	approvals = await startApprovals(used.reachable);
	const data = { accessToken: '1:none', baseUrl: approvals.url };
	const credential = { name: 'Approvals', type: 'telegramApi', data };
	approvalCredentialId = (await used.client.createCredential(credential)).id;
});

afterAll(async () => {
	await model.stop();
	await approvals.stop();
});

interface Run extends Partial<Omit<AgentOptions, 'tool' | 'settings'>> {
	version: number;
	/** Of the tool. */
	parameters?: object;
	/** n8n's own settings of the tool. */
	settings?: object;
	/** n8n's own settings of the agent. */
	agentSettings?: object;
	/** Of the tool. */
	credentialId?: string;
}

/** @returns id of a workflow of an agent with the tool */
async function save(run: Run): Promise<string> {
	const { parameters, settings, agentSettings, credentialId = used.credentialId, ...options } = run;
	const tool = outboundMessagingTool({
		name: 'Send Text',
		credentialId,
		parameters: { operation: 'sendText', ...FIELDS, ...parameters },
		settings,
	});
	const definition = agentWorkflow({
		tool,
		modelCredentialId: model.credential.id,
		settings: agentSettings,
		...options,
	});
	return (await used.client.createWorkflow(definition)).id;
}

/** Runs an agent with the tool while the model follows a script. */
async function run(version: number, turns: Script, options: Omit<Run, 'version'> = {}) {
	model.follow(turns);
	return await used.client.run(await save({ version, ...options }));
}

/** What the agent read about its calls, one text for each. */
const answers = () => model.answers();
const answerOf = (index: number) => (JSON.parse(answers()[index]) as ItemJson[])[0];

const OPTED_OUT = { error: 'Customer has opted out', code: 'opted_out' };
const UNCERTAIN = {
	error: expect.any(String),
	details: expect.objectContaining({
		delivery: 'uncertain',
		fix: expect.stringMatching(/may have been sent.*Don't call this tool again.*Tell a person/),
	}),
};

describe.each(AGENT_VERSIONS)('agent %s', (version) => {
	test('the model is offered the tool with its fields; its call arrives as a message', async () => {
		const execution = await run(version, [{ calls: [call('41')] }, { text: 'Done.' }]);
		expect(execution.items(AGENT)).toMatchObject([{ output: 'Done.' }]);
		const [{ tools }] = model.requests;
		expect(tools).toMatchObject([
			{
				function: {
					name: 'Send_Text',
					description: expect.stringContaining('real customers'),
					parameters: {
						required: ['customer_id', 'text'],
						properties: { text: { type: 'string', description: 'As the customer shall get it' } },
					},
				},
			},
		]);
		expect(used.requests().map(({ body }) => body)).toEqual([call('41')]);
		expect(JSON.stringify([model.requests, execution.stored])).not.toContain(used.sandbox.apiKey);
	});

	describe.each([undefined, 'stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'])(
		'On Error: %s',
		(onError) => {
			// The engine drops everything that a tool with an error output gives it, accepted messages included.
			const isLost = version >= 3 && onError === 'continueErrorOutput';

			test('the agent reads what became of each message', async () => {
				used.sandbox.faults.set([
					{ what: 'status', status: 400, body: OPTED_OUT, when: { recipient: '42' } },
					{ what: 'cutAfter', when: { recipient: '43' } },
				]);
				const turns = ['41', '42', '43'].map((customer) => ({ calls: [call(customer)] }));
				const execution = await run(version, [...turns, { text: 'Done.' }], {
					settings: { onError },
				});
				expect(execution.status).toBe('success');
				expect(answers()).toHaveLength(3);
				if (isLost) {
					expect(used.requests()).toEqual([]);
					for (const answer of isEarlyAgent3(version) ? [] : answers()) {
						expect(answer).toMatch(/'On Error'.*Nothing was sent.*Continue/);
					}
					return;
				}
				expect(used.requests()).toHaveLength(3);
				expect(answerOf(0)).toMatchObject({ extra: { success: true, customer_id: 41 } });
				expect(answerOf(1)).toMatchObject({
					error: expect.stringContaining('Customer has opted out'),
					details: { delivery: 'rejected', fix: expect.stringContaining('Nothing was sent') },
				});
				expect(answerOf(2)).toEqual(UNCERTAIN);
			});
		},
	);

	// Agent 3 gives each call an ID.
	test('two calls with the same words in one turn', async () => {
		await run(version, [{ calls: [call('41'), call('41')] }, { text: 'Done.' }]);
		expect(used.recipients()).toEqual(version < 3 ? ['41'] : ['41', '41']);
		const repeated = answers().filter((answer) => answer.includes('alreadySent'));
		expect(repeated).toHaveLength(version < 3 ? 1 : 0);
	});

	test('a value that the agent passed is named, with what to pass instead', async () => {
		await run(version, [{ calls: [call('')] }, { calls: [call('41')] }, { text: 'Done.' }]);
		expect(answerOf(0).error).toContain("'Customer ID' is empty");
		expect(answerOf(0).details?.fix).toMatch(
			/Nothing was sent.*Call this tool again.*'customer_id'/,
		);
		expect(used.recipients()).toEqual(['41']);
	});

	test.each([
		['an option', { options: { timeout: -1 } }, /Timeout/],
		['the operation', { operation: 'sendPigeon' }, /Operation/],
		['a parameter that is not the agent’s', { customerId: '' }, /Customer ID/],
		['the credential', undefined, /Base URL/],
	])('%s: the agent tells a person, with the fix', async (_, parameters, words) => {
		const credentialId = parameters ? undefined : await used.createCredential({ baseUrl: ' ' });
		await run(version, [{ calls: [call('41')] }, { text: 'Done.' }], { parameters, credentialId });
		expect(answerOf(0).error).toMatch(words);
		expect(answerOf(0).details?.fix).toMatch(/tell the person who runs this workflow\. ./);
		expect(used.requests()).toEqual([]);
	});

	describe('after an uncertain call', () => {
		const turns = [{ calls: [call('43')] }, { calls: [call('43')] }, { text: 'Done.' }];

		beforeEach(() => {
			used.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
		});

		test('the same message is not sent again', async () => {
			await run(version, [...turns.slice(0, 2), { calls: [call('44')] }, { text: 'Done.' }]);
			expect(used.requests().map(({ recipient }) => recipient)).toEqual(['43', '44']);
			expect([answerOf(0), answerOf(1)]).toEqual([UNCERTAIN, UNCERTAIN]);
			expect(answerOf(2)).toMatchObject({ extra: { success: true } });
		});

		test('it is sent again if On Uncertain Delivery is Resend', async () => {
			const parameters = { safeguards: { onUncertainDelivery: 'resend' } };
			await run(version, turns, { parameters });
			expect(used.recipients()).toEqual(['43', '43']);
			expect(answerOf(1)).toMatchObject({ extra: { success: true } });
		});
	});

	describe('several items', () => {
		const list = ['41', '42', '43'].map((customerId) => ({ customerId }));
		const prompt = '={{ $json.customerId }}';
		const script: Script = ({ prompt: customer, answers: read }) =>
			read.length === 0 ? { calls: [call(customer)] } : { text: read.join() };

		test('each customer that the agent names gets a message', async () => {
			await run(version, script, { list, prompt });
			expect(used.recipients().toSorted()).toEqual(['41', '42', '43']);
		});

		test.each(["={{ $('Feed').item.json.customerId }}", '={{ $input.item.json.customerId }}'])(
			'%s is the first item in every call, and is rejected',
			async (customerId) => {
				const parameters = { customerId };
				const execution = await run(version, script, { list, prompt, parameters });
				expect(used.requests()).toEqual([]);
				const outputs = execution.items(AGENT).map(({ output }) => output);
				expect(outputs).toHaveLength(3);
				for (const output of outputs) expect(output).toMatch(/\$fromAI\(\)/);
			},
		);

		test('$json is the item of the call, or is rejected where n8n gives the first item', async () => {
			const parameters = { customerId: '={{ $json.customerId }}' };
			await run(version, script, { list, prompt, parameters });
			const all = isEarlyAgent3(version) ? [] : ['41', '42', '43'];
			expect(used.recipients().toSorted()).toEqual(version < 3 ? [] : all);
			used.sandbox.ledger.clear();
			await run(version, script, { list: list.slice(0, 1), prompt, parameters });
			expect(used.recipients()).toEqual(isEarlyAgent3(version) ? [] : ['41']);
		});
	});

	test('Retry On Fail on the tool: what was rejected goes again, what is uncertain does not', async () => {
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		used.sandbox.faults.set([
			{ what: 'status', status: 400, body: OPTED_OUT, when: { nth: [1, 3, 4, 5] } },
			{ what: 'cutAfter', when: { recipient: '43' } },
		]);
		const turns = ['41', '42', '43'].map((customer) => ({ calls: [call(customer)] }));
		await run(version, [...turns, { text: 'Done.' }], { settings });
		expect(used.requests().map(({ recipient }) => recipient)).toEqual([
			...['41', '41'],
			...['42', '42', '42'],
			'43',
		]);
		expect(answerOf(0)).toMatchObject({ extra: { success: true } });
		expect(answerOf(1).error).toContain('Customer has opted out');
		expect(answerOf(2)).toEqual(UNCERTAIN);
	});

	describe('the agent runs again because its model failed after the call', () => {
		const turns = [{ calls: [call('41')] }, { fails: true }];
		const again = version < 3 ? [{ calls: [call('41')] }] : [];
		const script = [...turns, ...again, { text: 'Done.' }];

		test('Retry On Fail on the agent: one message', async () => {
			const agentSettings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
			const execution = await run(version, script, { agentSettings });
			expect(execution.items(AGENT)).toMatchObject([{ output: 'Done.' }]);
			expect(used.recipients()).toEqual(['41']);
			expect(answers().at(-1)).toContain('"success":true');
		});

		test('Retry in the executions list: one message', async () => {
			const failed = await run(version, script);
			expect(failed.status).toBe('error');
			const retried = await used.client.retry(failed.id);
			expect(retried.items(AGENT)).toMatchObject([{ output: 'Done.' }]);
			expect(used.recipients()).toEqual(['41']);
		});
	});
});

test('agent 2.2, other words after a retry: only a send-once key keeps the second message from being sent', async () => {
	const agentSettings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const script = [
		{ calls: [call('41')] },
		{ fails: true },
		{ calls: [call('41', 'It is on its way')] },
		{ text: 'Done.' },
	];
	await run(2.2, script, { agentSettings });
	expect(used.recipients()).toEqual(['41', '41']);

	used.sandbox.ledger.clear();
	const sendOnceKey = filledIn('customer_id').replace('=', '=order-7-');
	const parameters = { safeguards: { sendOnceKey } };
	await run(2.2, script, { agentSettings, parameters });
	expect(used.recipients()).toEqual(['41']);
	expect(answerOf(0)).toMatchObject({
		skipped: true,
		note: expect.stringContaining('already sent'),
	});
});

test('agent 2.2 in batches: a customer gets nothing rather than the message of another one', async () => {
	const list = ['41', '42', '43'].map((customerId) => ({ customerId }));
	const script: Script = ({ prompt: customer, answers: read }) =>
		read.length === 0 ? { calls: [call(customer, `For ${customer}`)] } : { text: read.join() };
	const execution = await run(2.2, script, {
		list,
		prompt: '={{ $json.customerId }}',
		agentOptions: { batching: { batchSize: 3, delayBetweenBatches: 0 } },
	});
	expect(used.requests()).toHaveLength(1);
	const [{ recipient, body }] = used.requests();
	expect(body?.text).toBe(`For ${recipient}`);
	// Which call n8n reads the arguments of depends on its release.
	execution
		.items(AGENT)
		.forEach(({ output }, index) =>
			expect(output).toMatch(
				list[index].customerId === recipient
					? /"success":true/
					: /another call.*Nothing was sent.*Batch Processing/,
			),
		);
});

test('agent 3: a model whose IDs begin again with each answer', async () => {
	const calls = [call('41'), call('41', 'The other parcel too'), call(''), call('42')];
	const turns = calls.map((each) => ({ calls: [each], ids: ['functions.Send:0'] }));
	await run(NEWEST, [...turns, { text: 'Done.' }]);
	expect(used.recipients()).toEqual(['41', '41', '42']);
});

test('agent 3: a field of the item is the agent’s to change', async () => {
	const made = { ...call('41'), customerId: '666' };
	const options = {
		list: [{ customerId: '41' }],
		parameters: { customerId: '={{ $json.customerId }}' },
	};
	await run(NEWEST, [{ calls: [made] }, { text: 'Done.' }], options);
	expect(used.requests()).toEqual([]);
	expect(answerOf(0).details?.fix).toBe(
		"Nothing was sent. Call this tool again without 'customerId'.",
	);
	await run(NEWEST, [{ calls: [call('41')] }, { text: 'Done.' }], options);
	expect(used.recipients()).toEqual(isEarlyAgent3(NEWEST) ? [] : ['41']);
});

// Older releases have no approval of a tool's calls.
const describeApprovals = isAtLeast('2.30.0') ? describe : () => {};
describeApprovals('a person approves each call', () => {
	const ask: Script = ({ prompt: customer, answers: read }) =>
		read.length === 0
			? { calls: [{ toolParameters: call(customer), hitlParameters: {} }] }
			: { text: read.join() };

	async function runApproved(
		approve: boolean,
		list: object[],
		{ version = NEWEST, parameters }: { version?: number; parameters?: object } = {},
	) {
		model.follow(ask);
		const prompt = '={{ $json.customerId }}';
		const id = await save({ version, approvalCredentialId, list, prompt, parameters });
		const execution = used.client.waitForExecution(await used.client.start(id));
		return await approvals.answer({ approve, execution });
	}

	test('approved: one message', async () => {
		const execution = await runApproved(true, [{ customerId: '41' }]);
		expect(execution.items(AGENT)[0].output).toContain('"success":true');
		expect(used.recipients()).toEqual(['41']);
	});

	test('rejected: no message', async () => {
		await runApproved(false, [{ customerId: '41' }]);
		expect(used.requests()).toEqual([]);
	});

	test('two items: n8n runs the first call twice, and the customer gets one message', async () => {
		const execution = await runApproved(true, [{ customerId: '41' }, { customerId: '42' }]);
		expect(used.recipients()).toEqual(['41']);
		expect(execution.items(AGENT).map(({ output }) => output)).toEqual([
			expect.not.stringContaining('alreadySent'),
			expect.stringMatching(/alreadySent.*already sent in this execution/),
		]);
	});

	test('three items, a recipient from the item: the others don’t get the words for the first', async () => {
		const list = ['41', '42', '43'].map((customerId) => ({ customerId }));
		const parameters = { customerId: '={{ $json.customerId }}' };
		const execution = await runApproved(true, list, { parameters });
		expect(used.recipients()).toEqual(['41']);
		expect(execution.items(AGENT).map(({ output }) => output)).toEqual([
			expect.stringContaining('"success":true'),
			expect.stringMatching(/for another item too.*one item per run/),
			expect.stringMatching(/for another item too.*one item per run/),
		]);
	});

	test("agent 2.2 doesn't ask for approval and sends nothing", async () => {
		await runApproved(true, [{ customerId: '41' }], { version: 2.2 });
		expect(used.requests()).toEqual([]);
	});
});
