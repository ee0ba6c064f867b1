/**
 * The node as a tool of the two agents that people use: agent 3 lets n8n's engine run its tools,
 * agent 2.2 runs them itself. What customers got is counted at the sandbox; what the agent knows is
 * what the model was given to read. All rules and words are in test/engine/tool, on agents that do
 * as these do; what else a person approves is in waitForResponse.
 */
import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { poll } from '../../scripts/lib/child.cts';
import { AGENT, AGENT_VERSIONS, type Script } from '../n8n/agent.cts';
import type { ItemJson } from '../n8n/execution.cts';
import { isAtLeast } from '../n8n/release.cts';
import { node } from '../n8n/workflow.cts';
import { forEach, optedOut, useN8n } from './help.cts';

const used = useN8n();

const call = (customer: string) => ({ customer_id: customer, text: 'Your parcel is on its way' });

let model: Awaited<ReturnType<typeof used.startModel>>;

type Run = Parameters<typeof used.saveAgent>[0];

/** Runs an agent with the tool while its model follows a script. */
async function run(version: number, script: Script, options: Omit<Run, 'script'> = {}) {
	const saved = await used.saveAgent({ version, script, ...options });
	model = saved.model;
	return await used.client.run(saved.id);
}

const CUSTOMERS = ['41', '42', '43'];
const UNCERTAIN = /may have been sent.*Don't call this tool again.*Tell a person/;

/** For each item of a list, one call to its customer. */
const each = (customer: string) => ({ calls: [call(customer)] });

describe.each(AGENT_VERSIONS)('agent %s', (version) => {
	test.each([undefined, 'continueRegularOutput', 'continueErrorOutput'])(
		'On Error %s: the model is offered the fields, and reads what became of each message',
		async (onError) => {
			used.sandbox.faults.set([
				optedOut({ recipient: '42' }),
				{ what: 'cutAfter', when: { recipient: '43' } },
			]);
			const tool = { settings: { onError } };
			const execution = await run(version, CUSTOMERS.map(each), { tool });
			expect(execution.items(AGENT)).toMatchObject([{ output: 'Done.' }]);
			expect(JSON.stringify([model.requests, execution.stored])).not.toContain(used.sandbox.apiKey);
			const text = { type: 'string', description: 'As the customer shall get it' };
			const parameters = { required: ['customer_id', 'text'], properties: { text } };
			const description = 'Send text message in Outbound Messaging';
			const offered = { name: 'Send_Text', description, parameters };
			expect(model.requests[0].tools).toMatchObject([{ function: offered }]);
			const answers = model.answers();
			expect(answers).toHaveLength(3);

			// The engine drops everything that a tool with an error output gives it, accepted
			// messages included.
			if (version >= 3 && onError === 'continueErrorOutput') {
				expect(used.requests()).toEqual([]);
				// Up to 2.0, agent 3 takes what an error output has for the answer.
				for (const answer of isAtLeast('2.30.0') ? answers : []) {
					expect(answer).toMatch(/'On Error'.*Nothing was sent.*Continue/);
				}
				return;
			}
			expect(used.requests().map(({ body }) => body)).toEqual(CUSTOMERS.map((to) => call(to)));
			expect(answers.map((answer) => (JSON.parse(answer) as ItemJson[])[0])).toMatchObject([
				{ extra: { success: true } },
				{
					error: expect.stringContaining('Customer has opted out'),
					details: { delivery: 'rejected', fix: expect.stringContaining('Nothing was sent') },
				},
				{ details: { delivery: 'uncertain', fix: expect.stringMatching(UNCERTAIN) } },
			]);
		},
	);

	// Agent 3 gives each call an ID.
	test('two calls with the same words in one turn', async () => {
		await run(version, [{ calls: [call('41'), call('41')] }]);
		expect(used.recipients()).toEqual(version < 3 ? ['41'] : ['41', '41']);
		const repeated = model.answers().filter((answer) => answer.includes('alreadySent'));
		expect(repeated).toHaveLength(version < 3 ? 1 : 0);
	});

	// It can be another item, or what the model likes; agent 2.2 runs its tool with the one
	// item that there is.
	test.each([
		["={{ $('Feed').item.json.customerId }}", CUSTOMERS, []],
		['={{ $json.customerId }}', CUSTOMERS, []],
		['={{ $json.customerId }}', ['41'], version < 3 ? ['41'] : []],
	])('%s can be an item of another call: of %j, %j get a message', async (customerId, to, sent) => {
		const execution = await run(version, each, {
			...forEach(to),
			tool: { parameters: { customerId } },
		});
		expect(used.requests().map(({ recipient }) => recipient)).toEqual(sent);
		const read = expect.stringContaining(sent.length ? '"success":true' : '$fromAI()') as string;
		expect(execution.items(AGENT)).toEqual(to.map(() => ({ output: read })));
	});

	test('Retry in the executions list, after its model failed: one message', async () => {
		const again = version < 3 ? [{ calls: [call('41')] }] : [];
		const failed = await run(version, [{ calls: [call('41')] }, { fails: true }, ...again]);
		expect(failed.status).toBe('error');
		expect((await used.client.retry(failed.id)).items(AGENT)).toMatchObject([{ output: 'Done.' }]);
		expect(used.recipients()).toEqual(['41']);
		expect(model.answers().at(-1)).toContain('"success":true');
	});
});

// Older releases have no approval of a tool's calls.
const testApproval = isAtLeast('2.30.0') ? test : () => {};

testApproval(
	'a person approves with Telegram: n8n runs the first call for each item of a list, and ' +
		'the others get nothing',
	async () => {
		/**
		 * Presses the button at once; it works once the execution waits, and only for what looks like a
		 * person's browser.
		 */
		const telegram = fastify({ forceCloseConnections: true });
		telegram.all('*', async ({ body }) => {
			const [link] = /https?:[^"]*approved=true[^"]*/.exec(JSON.stringify(body))!;
			const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Firefox/130.0' };
			const press = async () => (await fetch(used.reachable(link), { headers })).ok;
			void poll(press, { what: 'n8n to wait' });
			return { ok: true, result: { message_id: 1 } };
		});
		const baseUrl = await telegram.listen({ host: '127.0.0.1', port: 0 });
		const data = { accessToken: '1:none', baseUrl };
		const credential = { name: 'Approvals', type: 'telegramApi', data };
		const { id, name } = await used.client.createCredential(credential);
		const parameters = {
			...{ resource: 'message', operation: 'sendAndWait', chatId: '5', message: 'Send this?' },
			...{ responseType: 'approval', approvalOptions: { values: { approvalType: 'double' } } },
		};
		const approval = node('Approve', 'n8n-nodes-base.telegramHitlTool', 1.2, parameters, {
			webhookId: randomUUID(),
			credentials: { telegramApi: { id, name } },
		});
		const script: Script = (customer) => ({
			calls: [{ toolParameters: call(customer), hitlParameters: {} }],
		});
		const execution = await run(AGENT_VERSIONS[0], script, { ...forEach(CUSTOMERS), approval });
		await telegram.close();
		expect(used.requests().map(({ recipient }) => recipient)).toEqual(['41']);
		const read = ['"success":true', '"alreadySent":true', '"alreadySent":true'];
		expect(execution.items(AGENT)).toEqual(
			read.map((words) => ({ output: expect.stringContaining(words) as string })),
		);
	},
);

test("agent 2.2 in batches: a customer gets nothing rather than another's message", async () => {
	const batching = { batchSize: 3, delayBetweenBatches: 0 };
	const execution = await run(2.2, each, { ...forEach(CUSTOMERS), agentOptions: { batching } });
	expect(used.requests()).toHaveLength(1);
	// Which call n8n reads the arguments of depends on its release.
	const [{ recipient }] = used.requests();
	const expected = CUSTOMERS.map((customer) =>
		customer === recipient ? /"success":true/ : /another call.*Nothing was sent.*Batch Size/,
	);
	expect(execution.items(AGENT).map(({ output }) => output)).toEqual(
		expected.map((words) => expect.stringMatching(words)),
	);
});
