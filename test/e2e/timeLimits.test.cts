/**
 * Who waits for the node and would give up, or call again: agents and MCP clients after 60 s, the
 * credential dialog sooner. All of them wait here at the same time, for a service that never
 * answers, or that asks them to try again later.
 */
import { AGENT_VERSIONS } from '../n8n/agent.cts';
import { mcpServer } from '../n8n/mcp.cts';
import { useN8n } from './help.cts';

const used = useN8n();

/**
 * Customers who have the message though the service says nothing, and one whose message
 * it won't take now.
 */
const [SILENT, LIMITED] = [['41', '42', '43'], '44'];
const UNCERTAIN = /may have been sent\. Don't call this tool again.*Tell a person/;

const options = { timeout: 600_000, rateLimitWait: 600 };
const parameters = { text: 'Your order is on its way', options };

/** What the agent reads about its call. */
async function asAgent(version: number, customer: string) {
	const settings = { retryOnFail: true, maxTries: 5, waitBetweenTries: 5000 };
	const script = [{ calls: [{ customer_id: customer }] }];
	const { id, model } = await used.saveAgent({ version, script, tool: { parameters, settings } });
	await used.client.run(id);
	return model.answers().join();
}

/** What a client of the protocol reads about its call. */
async function asMcpClient(customer: string) {
	const client = await mcpServer(used.client, [used.tool({ parameters })]);
	const call = { name: 'Send_Text', arguments: { customer_id: customer } };
	const { isError, content } = await client.callTool(call);
	await client.close();
	return isError ? content[0].text : 'No error';
}

test('agents, MCP clients and the credential dialog read in time what became of it', async () => {
	used.sandbox.faults.set([
		{ what: 'hang', afterAccept: true, when: { recipient: SILENT } },
		{ what: 'rateLimit', retryAfter: 40, when: { recipient: LIMITED } },
		{ what: 'hang', evenInvalid: true },
	]);
	const [agent3, agent2] = AGENT_VERSIONS;
	const [credentialTest, ...read] = await Promise.all([
		used.testCredential(),
		asAgent(agent3, SILENT[0]),
		asAgent(agent2, SILENT[1]),
		asMcpClient(SILENT[2]),
		asMcpClient(LIMITED),
	]);
	const uncertain = expect.stringMatching(UNCERTAIN) as string;
	const limited = expect.stringContaining('Nothing was sent') as string;
	expect(read).toEqual([uncertain, uncertain, uncertain, limited]);
	expect(used.recipients().toSorted()).toEqual(SILENT);
	expect(used.requests().filter(({ recipient }) => SILENT.includes(recipient!))).toHaveLength(3);
	const message = expect.stringContaining("didn't respond in time") as string;
	expect(credentialTest).toMatchObject({ status: 'Error', message });
});
