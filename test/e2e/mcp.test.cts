/**
 * The node as a tool of n8n's MCP Server Trigger, called by the official client of the protocol. What an agent reads
 * about each outcome and try is in test/engine/tool, and a send-once key in the example of test/e2e/examples.
 */
import { mcpServer, type McpClient } from '../n8n/mcp.cts';
import { fromAI } from '../n8n/workflow.cts';
import { optedOut, useN8n } from './help.cts';

const used = useN8n();
let client: McpClient;

const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];

beforeAll(async () => {
	client = await mcpServer(used.client, [
		...ON_ERROR.map((onError) => used.tool({ name: `Send ${onError}`, settings: { onError } })),
		used.tool({
			name: 'Send Template',
			parameters: {
				operation: 'sendTemplate',
				templateId: 'order_confirmation',
				channelId: '5001',
				customerPhone: fromAI('phone', 'With plus sign and country code, e.g. +15550100200'),
				specifyAttributes: 'json',
				attributesJson: fromAI('attributes', 'The values of the template, in their order', 'json'),
			},
		}),
	]);
}, 120_000);

afterAll(() => client.close());

/** @returns what the client reads */
async function call(name: string, args: object) {
	const { isError = false, content } = await client.callTool({ name, arguments: args });
	expect(content).toMatchObject([{ type: 'text' }]);
	expect(content[0].text).not.toContain(used.sandbox.apiKey);
	return { failed: isError, text: content[0].text };
}

test('a template: the client is told what to fill in, and its JSON arrives', async () => {
	const { tools } = await client.listTools();
	expect(tools.find(({ name }) => name === 'Send_Template')).toMatchObject({
		description: 'Send WhatsApp template message in Outbound Messaging',
		inputSchema: {
			type: 'object',
			required: ['phone', 'attributes'],
			properties: {
				phone: { type: 'string', description: expect.stringContaining('country code') as string },
				attributes: { description: expect.stringContaining('in their order') as string },
			},
		},
	});
	expect(JSON.stringify(tools)).not.toContain(used.sandbox.apiKey);

	const attributes = { 1: 'Ada', 2: 'Friday' };
	await call('Send_Template', { phone: '+1 555 010-0200', attributes });
	expect(used.accepted()).toMatchObject([{ body: { customer_phone: '+15550100200', attributes } }]);
});

const UNCERTAIN = /may have been sent\. Don't call this tool again.*Tell a person/;

test.each(ON_ERROR)('On Error: %s: the client reads what became of it', async (onError) => {
	used.sandbox.faults.set([
		optedOut({ recipient: '42' }),
		{ what: 'cutAfter', when: { recipient: '43' } },
	]);
	const send = async (customer: string) =>
		await call(`Send_${onError}`, { customer_id: customer, text: 'Hello "you" 👋' });
	const accepted = await send('41');
	expect(accepted.failed).toBe(false);
	expect(JSON.parse(accepted.text)).toMatchObject([{ extra: { customer_id: 41 } }]);
	expect(await send('42')).toEqual({
		failed: true,
		text: expect.stringMatching(/Customer has opted out.*opted_out.*Nothing was sent/),
	});
	expect(await send('43')).toEqual({ failed: true, text: expect.stringMatching(UNCERTAIN) });
	expect(used.requests()).toHaveLength(3);
	expect(used.accepted()[0].body.text).toBe('Hello "you" 👋');
});
