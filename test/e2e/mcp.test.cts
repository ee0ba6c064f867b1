/** The node as a tool of n8n's MCP Server Trigger, called by the official client of the protocol. */
import { mcpServer, type McpClient } from '../n8n/mcp.cts';
import { fromAI, outboundMessagingTool } from '../n8n/workflow.cts';
import { useN8n } from './help.cts';

const used = useN8n();
let client: McpClient;

const TEXT = {
	operation: 'sendText',
	customerId: fromAI('customer_id', 'The ID of the customer, digits only'),
	text: fromAI('text', 'What the customer shall read'),
};

const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];

/** The node as a tool; its name is what the client sees, with spaces as underscores. */
const tool = (name: string, parameters: object, settings?: object) =>
	outboundMessagingTool({ name, credentialId: used.credentialId, parameters, settings });

beforeAll(async () => {
	const tools = [
		tool('Send Text', {
			...TEXT,
			descriptionType: 'manual',
			toolDescription: 'Sends a text to a customer of the shop',
		}),
		tool('Send Template', {
			operation: 'sendTemplate',
			templateId: 'order_confirmation',
			channelId: '5001',
			customerPhone: fromAI('phone', 'With plus sign and country code, e.g. +15550100200'),
			specifyAttributes: 'json',
			attributesJson: fromAI('attributes', 'The values of the template, in their order', 'json'),
		}),
		tool('Send Carefully', TEXT, { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 }),
		...ON_ERROR.map((onError) => tool(`Send ${onError}`, TEXT, { onError })),
		tool('Send Once', {
			...TEXT,
			safeguards: { sendOnceKey: fromAI('order_id', 'The ID of the order') },
		}),
	];
	client = await mcpServer(used, tools);
}, 120_000);

afterAll(() => client.close());

/** @returns what the client reads */
async function call(name: string, args: object) {
	const { isError = false, content } = await client.callTool({ name, arguments: args });
	expect(content).toMatchObject([{ type: 'text' }]);
	expect(content[0].text).not.toContain(used.sandbox.apiKey);
	return { failed: isError, text: content[0].text };
}

test('the list of tools tells an agent what they do and what to fill in', async () => {
	const { tools } = await client.listTools();
	const byName = Object.fromEntries(tools.map((each) => [each.name, each]));
	expect(Object.keys(byName).sort()).toEqual(
		[
			'Send_Carefully',
			'Send_Once',
			'Send_Template',
			'Send_Text',
			...ON_ERROR.map((onError) => `Send_${onError}`),
		].sort(),
	);
	expect(byName.Send_Text.description).toBe('Sends a text to a customer of the shop');
	// Without words of the user's own, n8n takes those of the node.
	expect(byName.Send_Template.description).toBe(
		'Send WhatsApp template messages, text messages and attachments to real customers',
	);
	expect(byName.Send_Text.inputSchema).toMatchObject({
		type: 'object',
		required: ['customer_id', 'text'],
		properties: {
			customer_id: { type: 'string', description: 'The ID of the customer, digits only' },
			text: { type: 'string', description: 'What the customer shall read' },
		},
	});
	expect(byName.Send_Template.inputSchema).toMatchObject({
		required: ['phone', 'attributes'],
		properties: {
			phone: { type: 'string', description: expect.stringContaining('country code') },
			attributes: { description: expect.stringContaining('in their order') },
		},
	});
	expect(JSON.stringify(tools)).not.toContain(used.sandbox.apiKey);
});

describe('a call that is right', () => {
	test('text: the client reads the record', async () => {
		const { failed, text } = await call('Send_Text', { customer_id: '42', text: 'Hello "you" 👋' });
		expect(failed).toBe(false);
		expect(JSON.parse(text)).toMatchObject([
			{ function_name: 'send_text_message', status: 'sent', extra: { customer_id: 42 } },
		]);
		expect(used.accepted()).toMatchObject([
			{ body: { customer_id: '42', text: 'Hello "you" 👋' } },
		]);
	});

	test('template: attributes as JSON', async () => {
		const { failed } = await call('Send_Template', {
			phone: '+1 555 010-0200',
			attributes: { 1: 'Ada', 2: 'Friday' },
		});
		expect(failed).toBe(false);
		expect(used.accepted()).toMatchObject([
			{ body: { customer_phone: '+15550100200', attributes: { 1: 'Ada', 2: 'Friday' } } },
		]);
	});

	test.each(['Send_Text', 'Send_Carefully'])(
		'%s: two calls with the same words are two messages',
		async (name) => {
			const args = { customer_id: '43', text: 'Are you there?' };
			const [first, second] = [await call(name, args), await call(name, args)];
			expect([first.failed, second.failed]).toEqual([false, false]);
			expect(JSON.parse(second.text)[0].id).not.toBe(JSON.parse(first.text)[0].id);
			expect(used.accepted()).toHaveLength(2);
		},
	);
});

describe('a call that fails says what happened and how to fix it', () => {
	test('a value that the node rejects', async () => {
		const { failed, text } = await call('Send_Template', {
			phone: '555 0100200',
			attributes: { 1: 'Ada' },
		});
		expect(failed).toBe(true);
		expect(text).toContain(`'Customer Phone' "555 0100200" has no plus sign and country code`);
		expect(text).toContain('Write the number with a plus sign and the country code in front');
		expect(used.requests()).toEqual([]);
	});

	test.each([
		['a field is missing', { customer_id: '45' }, /text/],
		['a field is of another kind', { customer_id: '45', text: ['Hello'] }, /text/],
	])('%s', async (_, args, words) => {
		const { failed, text } = await call('Send_Text', args);
		expect(failed).toBe(true);
		expect(text).toMatch(words);
		expect(used.requests()).toEqual([]);
	});
});

const UNCERTAIN = /may have been sent\. Don't call this tool again.*Tell a person/;

describe.each(ON_ERROR)('On Error: %s', (onError) => {
	test('the client reads what became of each message', async () => {
		used.sandbox.faults.set([
			{
				what: 'status',
				status: 400,
				body: { error: 'Customer has opted out', code: 'opted_out' },
				when: { recipient: '42' },
			},
			{ what: 'cutAfter', when: { recipient: '43' } },
		]);
		const send = async (customer: string) =>
			await call(`Send_${onError}`, { customer_id: customer, text: 'Hello' });
		const [accepts, rejects, uncertain] = [await send('41'), await send('42'), await send('43')];
		expect(accepts.failed).toBe(false);
		expect(JSON.parse(accepts.text)).toMatchObject([{ extra: { customer_id: 41 } }]);
		expect(rejects.failed).toBe(true);
		expect(rejects.text).toMatch(/Customer has opted out.*opted_out.*Nothing was sent/);
		expect(uncertain.failed).toBe(true);
		expect(uncertain.text).toMatch(UNCERTAIN);
		expect(used.requests()).toHaveLength(3);
	});
});

describe('with Retry On Fail', () => {
	const ARGS = { customer_id: '46', text: 'Once, please' };

	test('a call whose answer got lost is not sent a second time', async () => {
		used.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
		const { failed, text } = await call('Send_Carefully', ARGS);
		expect(failed).toBe(true);
		expect(text).toMatch(UNCERTAIN);
		expect(used.requests()).toHaveLength(1);
	});

	test('a call that is rejected at first is sent again', async () => {
		used.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 1 } }]);
		const { failed } = await call('Send_Carefully', ARGS);
		expect(failed).toBe(false);
		expect(used.requests()).toHaveLength(2);
		expect(used.accepted()).toHaveLength(1);
	});
});

describe('a client that calls again', () => {
	const ARGS = { customer_id: '47', text: 'Your order is on its way' };

	test('each call is an execution of its own: the message is sent again', async () => {
		used.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
		expect((await call('Send_Text', ARGS)).failed).toBe(true);
		expect((await call('Send_Text', ARGS)).failed).toBe(false);
		expect(used.accepted()).toHaveLength(2);
	});

	test('a send-once key keeps it from being sent again', async () => {
		const args = { ...ARGS, order_id: 'A-1042' };
		expect((await call('Send_Once', args)).failed).toBe(false);
		const { failed, text } = await call('Send_Once', args);
		expect(failed).toBe(false);
		expect(JSON.parse(text)).toMatchObject([
			{ skipped: true, note: expect.stringContaining('already sent') },
		]);
		expect(used.accepted()).toHaveLength(1);
	});
});
