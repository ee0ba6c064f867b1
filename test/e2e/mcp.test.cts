/**
 * The node as a tool of n8n's MCP Server Trigger, called by the official client of the protocol. What an agent reads
 * about each outcome and try is in test/engine/tool, and a send-once key in the example of test/e2e/examples.
 */
import { mcpServer, type McpClient } from '../n8n/mcp.cts';
import { optedOut, useN8n } from './help.cts';

const used = useN8n();
let client: McpClient;

const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];

beforeAll(async () => {
	const tool = (onError: string) => used.tool({ name: `Send ${onError}`, settings: { onError } });
	client = await mcpServer(used.client, ON_ERROR.map(tool));
}, 120_000);

afterAll(() => client.close());

const UNCERTAIN = /may have been sent\. Don't call this tool again.*Tell a person/;

test.each(ON_ERROR)('On Error: %s: the client reads what became of it', async (onError) => {
	used.sandbox.faults.set([
		optedOut({ recipient: '42' }),
		{ what: 'cutAfter', when: { recipient: '43' } },
	]);
	/** @returns what the client reads */
	const send = async (customer_id: string) => {
		const call = { name: `Send_${onError}`, arguments: { customer_id, text: 'Hello "you" 👋' } };
		const { isError = false, content } = await client.callTool(call);
		expect(content).toMatchObject([{ type: 'text' }]);
		expect(content[0].text).not.toContain(used.sandbox.apiKey);
		return { failed: isError, text: content[0].text };
	};
	const accepted = await send('41');
	expect(accepted.failed).toBe(false);
	expect(JSON.parse(accepted.text)).toMatchObject([{ extra: { customer_id: 41 } }]);
	const rejected = expect.stringMatching(/Customer has opted out.*opted_out.*Nothing was sent/);
	expect(await send('42')).toEqual({ failed: true, text: rejected });
	expect(await send('43')).toEqual({ failed: true, text: expect.stringMatching(UNCERTAIN) });
	expect(used.requests()).toHaveLength(3);
	expect(used.accepted()[0].body.text).toBe('Hello "you" 👋');
});
