/** Every example is imported into a real n8n and run, with nothing changed but the credentials. */
import { randomUUID } from 'node:crypto';
import { poll } from '../../scripts/lib/child.cts';
import { customerIdOfPhone } from '../../sandbox/results.cts';
import type { FaultRule } from '../../sandbox/index.cts';
import { source } from '../docs/markdown.cts';
import { exampleFiles, exampleOf, readExample } from '../n8n/example.cts';
import type { ItemJson } from '../n8n/execution.cts';
import { connectTo } from '../n8n/mcp.cts';
import { useN8n } from './help.cts';
import { PUBLIC_URL } from './sharedN8n.cts';

/**
 * In test/scale, with PostgreSQL; in ./demo.test.cts; in ./reminders.test.cts; in ./lists.test.cts.
 */
const ELSEWHERE = [
	...['campaign-from-postgres.json', 'first-messages.json', 'reminders.json'],
	...['bulk-campaign.json', 'confirm-appointments.json', 'opt-outs.json'],
];

const TRIGGER = 'When you click Execute';

/** What the header of a call must say, as a person chose it in a credential. */
const WEBHOOK_KEY = randomUUID();
const MCP_TOKEN = randomUUID();

const used = useN8n();
let webhookKey: { id: string; name: string };
let mcpToken: typeof webhookKey;
let model: Awaited<ReturnType<typeof used.startModel>>;

beforeAll(async () => {
	const data = { name: 'x-webhook-key', value: WEBHOOK_KEY };
	const credential = { name: 'Webhook key', type: 'httpHeaderAuth', data };
	webhookKey = await used.client.createCredential(credential);
	const token = { name: 'MCP token', type: 'httpBearerAuth', data: { token: MCP_TOKEN } };
	mcpToken = await used.client.createCredential(token);
	model = await used.startModel();
});

/** What the service accepted, in short: who got what. */
const delivered = () =>
	used.accepted().map(({ recipient, body }) => {
		const { template_id: template, attributes = {}, text, attachment_url: file } = body;
		const words = [template, ...Object.values(attributes), text, file];
		return [recipient, ...words.filter((each) => each !== undefined)];
	});

const [ADA, BEN, DORA] = ['+12025550143', '+447700900461', '+61491570156'];
/** Who gets messages by a customer ID. */
const CUSTOMER = '530375758641';
/** The customer ID that the service gives a phone number. */
const customerOf = (phone: string) => String(customerIdOfPhone(phone));

const anything = expect.anything() as object;
const containing = (words: string) => expect.stringContaining(words) as string;
const NO_COUNTRY = containing('no plus sign and country code');

const imported = new Set<string>();

/**
 * Imports an example as a person would: the file as it is, then one's own credential in every
 * node that wants one.
 *
 * @param changes texts of the file, and what takes their place
 * @returns id of the workflow
 */
async function importExample(file: string, changes: Record<string, string> = {}): Promise<string> {
	imported.add(file);
	const example = exampleOf(file, {
		outboundMessagingApi: { id: used.credentialId, name: 'Mine' },
		httpHeaderAuth: webhookKey,
		httpBearerAuth: mcpToken,
		openAiApi: model.credential,
	});
	let json = JSON.stringify(example);
	for (const [from, to] of Object.entries(changes)) {
		expect(json).toContain(from);
		json = json.replaceAll(from, to);
	}
	return (await used.client.createWorkflow(JSON.parse(json) as object)).id;
}

/** Runs a workflow from its button, to its success. */
async function execute(workflowId: string) {
	const execution = await used.client.run(workflowId, { trigger: TRIGGER });
	expect(execution.status).toBe('success');
	return execution;
}

/** Imports and publishes an example whose trigger is a webhook. */
async function publishExample(file: string) {
	const workflowId = await importExample(file);
	await used.client.activate(workflowId);
	const { nodes } = readExample(file);
	const { path: webhook } = nodes.find(({ type }) => type.endsWith('.webhook'))!.parameters;
	const readme = source('examples/README.md');
	const [, proposed] = new RegExp(`/webhook/${webhook} .*'({[^']*})'`).exec(readme)!;
	return {
		workflowId,
		/** Calls it as the README of the examples proposes, with some fields changed. */
		call: async (changes: object = {}, key: string = WEBHOOK_KEY) => {
			const body = { ...(JSON.parse(proposed) as object), ...changes };
			return await used.callWebhook<ItemJson>(webhook, body, { 'x-webhook-key': key });
		},
	};
}

const guide = (name: string, topic: string) =>
	`Hello ${name}, here is the guide you asked for: https://example.com/guides/${topic}`;

test('template-then-text.json: executed twice, it sends each message once', async () => {
	const workflowId = await importExample('template-then-text.json');
	const messages = [
		[ADA, 'welcome', 'Ada'],
		[BEN, 'welcome', 'Ben'],
		[DORA, 'welcome', 'Dora'],
		[customerOf(ADA), guide('Ada', 'espresso')],
		[customerOf(BEN), guide('Ben', 'filter')],
		[customerOf(DORA), guide('Dora', 'moka')],
	];
	for (let time = 1; time <= 2; time++) {
		await execute(workflowId);
		expect(delivered().toSorted()).toEqual(messages.toSorted());
		expect(used.requests()).toHaveLength(messages.length);
	}
});

/**
 * A call: what it changes of the one that the README proposes, its answer, and how many requests
 * have been sent by then.
 */
type Called = [changes: object, status: number, requests: number, body?: object];

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
const ONCE_MORE = { confirmed: true, messageId: null, customerId: null };
const UNCLEAR = { confirmed: null, reason: containing('may'), whatToDo: containing('dashboard') };
const NOT_SENT = { confirmed: false, reason: NO_COUNTRY, whatToDo: containing('+15550100200') };
const WITHOUT_COUNTRY = { name: 'Ada', phone: '202 555 0143' };
const order = (id: string) => [ADA, 'order_confirmation', 'Ada', id, '59.90 EUR', 'Friday'];
const INVOICE = 'https://example.com/invoices/2026-1042.pdf';

/** By their webhook. */
test.each<[file: string, rules: FaultRule[], calls: Called[], messages: string[][]]>([
	[
		'order-confirmation.json',
		[{ what: 'cutAfter', when: { nth: 2 } }],
		[
			[{}, 200, 1, { confirmed: true, messageId: UUID, customerId: customerIdOfPhone(ADA) }],
			[{}, 200, 1, ONCE_MORE],
			// A message that may have been sent is no reason for the shop to call again.
			[{ orderId: 'A-2002' }, 202, 2, UNCLEAR],
			[{ orderId: 'A-2002' }, 202, 2, UNCLEAR],
			[{ orderId: 'A-2003', customer: WITHOUT_COUNTRY }, 422, 2, NOT_SENT],
		],
		[order('A-1042'), order('A-2002')],
	],
	[
		'invoice-after-payment.json',
		[{ what: 'status', status: 400, when: { nth: 2 } }],
		[
			// The payment service doesn't post again what is no payment.
			[{ status: 'pending' }, 200, 0],
			// Nothing is sent before the link works, and then only what is missing.
			[{ invoiceUrl: 'http://localhost/1042.pdf' }, 500, 0],
			[{}, 500, 2],
			[{}, 200, 3],
		],
		[
			[CUSTOMER, INVOICE],
			[CUSTOMER, 'Thank you, Ada! Your payment of 59.90 EUR has arrived.'],
		],
	],
	[
		'send-once.json',
		[],
		[
			[{}, 200, 1, { result: 'sent', messageId: anything }],
			[{}, 200, 1, { result: 'already sent', messageId: null }],
		],
		[[ADA, 'deal_won', 'Ada', 'Espresso machine for the office']],
	],
])(
	'%s: however often it is called, each message is sent once',
	async (file, rules, calls, sent) => {
		const { call } = await publishExample(file);
		used.sandbox.faults.set(rules);
		expect([(await call({}, 'guessed')).status, used.requests()]).toEqual([403, []]);
		for (const [changes, status, requests, body = anything] of calls) {
			expect(await call(changes)).toEqual({ status, body });
			expect(used.requests()).toHaveLength(requests);
		}
		expect(delivered()).toEqual(sent);
	},
);

test('send-in-hours.json: outside the hours, the message is sent when they begin', async () => {
	/** In so many seconds, to the minute. */
	const time = (after: number) => new Date(Date.now() + after * 1000).toISOString().slice(11, 16);
	// Ada's hours begin at the next full minute, in 30 to 90 seconds.
	const from = `={{ $json.name.startsWith('Ada') ? '${time(90)}' : '${time(-20_000)}' }}`;
	const workflowId = await importExample('send-in-hours.json', {
		'"from":"08:00"': `"from":"${from}"`,
		'"until":"20:00"': `"until":"${time(20_000)}"`,
		'={{ $json.timezone }}': 'UTC',
	});
	const execution = await execute(workflowId);
	expect(used.recipients().slice(0, 2).toSorted()).toEqual([BEN, DORA]);
	expect(used.recipients().slice(2)).toEqual([ADA]);
	const [waiting] = execution.items('Wait until then');
	const { sendAfter } = waiting.details as { sendAfter: string };
	expect(sendAfter).toMatch(/T\d\d:\d\d:00\.000Z$/);
	// To a second: the clocks are those of two processes.
	expect(used.accepted()[2].at).toBeGreaterThan(Date.parse(sendAfter) - 1000);
	const toLookAt = [{ name: 'Cleo Martin', why: NO_COUNTRY }];
	expect(execution.items('Rows to look at')).toMatchObject(toLookAt);
}, 300_000);

test('mcp-server.json: a call sends, and its record leads to the next', async () => {
	await used.client.activate(await importExample('mcp-server.json'));
	const url = `${used.client.url}/mcp/outbound-messages`;
	await expect(connectTo(url)).rejects.toThrow();
	const agent = await connectTo(url, MCP_TOKEN);
	/** @returns what the agent reads */
	const call = async (name: string, args: object) => {
		const { content } = await agent.callTool({ name, arguments: args });
		return (JSON.parse(content[0].text) as ItemJson[])[0];
	};
	const update = async (phone: string) => {
		const words = { customer_name: 'Ada', order_id: 'A-1042', update: 'will arrive on Friday' };
		return await call('Send_order_update', { ...words, customer_phone: phone });
	};
	// A wrong number, and then the right one, twice.
	await update(BEN);
	const { extra } = await update('+1 202 555 0143');
	expect(await update(ADA)).toMatchObject({ reason: 'alreadySent' });
	const customer = String(extra.customer_id);
	await call('Send_text_message', { customer_id: customer, text: 'See you!' });
	await call('Send_document', { customer_id: customer, url: INVOICE });
	await agent.close();
	expect(delivered()).toEqual([
		[BEN, 'order_update', 'Ada', 'A-1042', 'will arrive on Friday'],
		[ADA, 'order_update', 'Ada', 'A-1042', 'will arrive on Friday'],
		[customerOf(ADA), 'See you!'],
		[customerOf(ADA), INVOICE],
	]);
});

test('file-from-n8n.json: the service gets the file from n8n', async () => {
	const secret = randomUUID();
	const changes = { 'replace-this-by-a-random-text': secret };
	const workflowId = await importExample('file-from-n8n.json', changes);
	await used.client.activate(workflowId);
	for (let time = 1; time <= 2; time++) await execute(workflowId);
	const url = `${PUBLIC_URL}/webhook/${secret}`;
	expect(delivered()).toEqual([[CUSTOMER, url]]);
	// What the service fetches: a proxy leads from the public host to this n8n.
	const response = await fetch(used.reachable(url));
	expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
	expect(await response.text()).toMatch(/^%PDF-1\.4[^]*Invoice A-1042[^]*%%EOF/);
	expect((await fetch(`${used.client.url}/webhook/guessed`)).status).toBe(404);
});

test('ai-agent.json: each customer gets their words once; no model chooses whom', async () => {
	const workflowId = await importExample('ai-agent.json');
	let words = 0;
	model.follow((prompt) => {
		const [, order] = /order (\S+) is late/.exec(prompt)!;
		const text = `About ${order}, version ${++words}`;
		return { calls: [{ text, customerId: '666', orderId: 'made up' }] };
	});
	await execute(workflowId);
	expect(delivered().map(([recipient, text]) => [recipient, text.split(',')[0]])).toEqual([
		['4711', 'About A-1042'],
		['4712', 'About A-1043'],
		['4713', 'About A-1044'],
	]);

	const again = await execute(workflowId);
	expect(delivered()).toHaveLength(3);
	const nothing = { output: containing('Nothing was sent now') };
	const results = again.runs('One run per order').map(({ data }) => data!.main[0]![0].json);
	expect(results).toMatchObject([nothing, nothing, nothing]);
});

test('agent-with-approval.json: sent once, after a person said yes', async () => {
	model.follow(() => ({ text: 'Sorry, it is late.' }));
	const workflowId = await importExample('agent-with-approval.json');
	/** Waits for the form, and fills it in. */
	const decide = async (...fields: string[]) => {
		const id = await used.client.start(workflowId, { trigger: TRIGGER });
		const [{ approveAt }] = (await used.waiting(id)).items('Draft');
		const url = used.reachable(String(approveAt));
		expect(await (await fetch(url)).text()).toContain('Sorry, it is late.');
		const body = new FormData();
		fields.forEach((value, index) => body.append(`field-${index}`, value));
		expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
		expect((await used.client.waitForExecution(id)).status).toBe('success');
	};
	await decide('Sorry, it is late.', 'Reject');
	expect(used.requests()).toEqual([]);
	for (let time = 1; time <= 2; time++) await decide('Sorry, it comes on Friday.', 'Approve');
	expect(delivered()).toEqual([['4711', 'Sorry, it comes on Friday.']]);
});

test('agent-with-limit.json: a model that calls again and again sends three', async () => {
	const customers = ['4711', '4712', '4711', '4713', '4714'];
	const turn = (version: number) => ({
		calls: customers.map((customer_id) => ({ customer_id, text: `Version ${version}` })),
	});
	model.follow([turn(1), turn(2)]);
	await execute(await importExample('agent-with-limit.json'));
	expect(used.recipients()).toEqual(['4711', '4712', '4713']);
	for (const answer of model.answers().slice(5)) {
		expect(answer).toMatch(/Calling this tool again won't help|Don't call this tool again/);
	}
});

/** Answers a question once the execution waits. */
const answer = async (link: string, choice: string) =>
	await poll(async () => (await used.answer(link, choice)).ok, { what: 'n8n to wait' });

// Declined reviews are in waitForResponse.
test('approve-refund.json: sent once a person has approved', async () => {
	const text = 'You get 59.90 EUR back.';
	model.follow([{ calls: [{ toolParameters: { text }, hitlParameters: {} }] }]);
	const workflowId = await importExample('approve-refund.json');
	const execution = await used.client.start(workflowId, { trigger: TRIGGER });
	await poll(() => used.links().length === 1, { what: 'the question' });
	expect(used.accepted()[0].body.text).toContain(
		`Refund for order A-1042? The agent would tell the customer:\n\n${text}`,
	);
	await answer(used.links()[0], 'Approve');
	expect((await used.client.waitForExecution(execution)).status).toBe('success');
	expect(used.recipients()).toEqual(['4700', '4711']);
});

test('no example is left out', () => {
	expect([...imported, ...ELSEWHERE].toSorted()).toEqual(exampleFiles.toSorted());
});
