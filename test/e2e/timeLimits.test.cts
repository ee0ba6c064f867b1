/**
 * Who waits for the node and would give up, or call again: agents and MCP clients after 60 s, the credential dialog
 * sooner. All of them wait here at the same time, for a service that never answers, or that asks them to try again later.
 */
import { AGENT_VERSIONS, agentWorkflow } from '../n8n/agent.cts';
import { mcpServer } from '../n8n/mcp.cts';
import { fromAI, outboundMessagingTool } from '../n8n/workflow.cts';
import { useN8n } from './help.cts';

const used = useN8n({ keepLedger: true });

/** Customers who have the message though the service says nothing, and one whose message it won't take now. */
const [SILENT, LIMITED] = [['41', '42', '43'], '44'];
const UNCERTAIN = /may have been sent\. Don't call this tool again.*Tell a person/;

const tool = (settings?: object) =>
	outboundMessagingTool({
		name: 'Send Text',
		credentialId: used.credentialId,
		parameters: {
			operation: 'sendText',
			customerId: fromAI('customer_id', 'The ID of the customer'),
			text: 'Your order is on its way',
			options: { timeout: 600_000, rateLimitWait: 600 },
		},
		settings,
	});

/** What the agent reads about its call. */
async function asAgent(version: number, customer: string) {
	const model = await used.startModel();
	model.follow([{ calls: [{ customer_id: customer }] }, { text: 'Done.' }]);
	const definition = agentWorkflow({
		version,
		tool: tool({ retryOnFail: true, maxTries: 5, waitBetweenTries: 5000 }),
		modelCredentialId: model.credential.id,
	});
	const { id } = await used.client.createWorkflow(definition);
	await used.client.run(id);
	await model.stop();
	return model.answers().join();
}

/** What a client of the protocol reads about its call. */
async function asMcpClient(customer: string) {
	const client = await mcpServer(used, [tool()]);
	const call = { name: 'Send_Text', arguments: { customer_id: customer } };
	const { isError, content } = await client.callTool(call);
	await client.close();
	return isError ? content[0].text : 'No error';
}

const waiters: Record<string, [() => Promise<string>, RegExp]> = {
	'agent 3': [() => asAgent(AGENT_VERSIONS[0], SILENT[0]), UNCERTAIN],
	'agent 2.2': [() => asAgent(AGENT_VERSIONS[1], SILENT[1]), UNCERTAIN],
	'an MCP client': [() => asMcpClient(SILENT[2]), UNCERTAIN],
	'an MCP client, rate limited': [() => asMcpClient(LIMITED), /Nothing was sent/],
};
let read: Record<string, string>;
let credentialTest: { status: string; message: string };

beforeAll(async () => {
	used.sandbox.faults.set([
		{ what: 'hang', afterAccept: true, when: { recipient: SILENT } },
		{ what: 'rateLimit', retryAfter: 40, when: { recipient: LIMITED } },
		{ what: 'hang', evenInvalid: true },
	]);
	const tested = used.client.testCredential({
		...{ id: used.credentialId, name: 'Test', type: 'outboundMessagingApi' },
		data: used.credentialData(),
	});
	const reading = Object.entries(waiters).map(async ([who, [wait]]) => [who, await wait()]);
	read = Object.fromEntries(await Promise.all(reading)) as typeof read;
	credentialTest = await tested;
}, 120_000);

test.each(Object.keys(waiters))('%s reads in time what became of the message', (who) => {
	expect(read[who]).toMatch(waiters[who][1]);
});

test('each customer was sent one message at most', () => {
	expect(used.recipients().toSorted()).toEqual(SILENT);
	expect(used.requests().filter(({ recipient }) => SILENT.includes(recipient!))).toHaveLength(3);
});

test('the credential dialog gives up', () => {
	expect(credentialTest.status).toBe('Error');
	expect(credentialTest.message).toMatch(/didn't respond within 10 seconds/);
});
