/** Every example is imported into a real n8n and run, with nothing changed but the credentials. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { poll } from '../../scripts/lib/child.cts';
import { customerIdOfPhone } from '../../sandbox/customers.cts';
import { EXAMPLES, exampleOf, readExample, type ExampleNode } from '../n8n/example.cts';
import type { Execution, ItemJson } from '../n8n/execution.cts';
import { connectTo } from '../n8n/mcp.cts';
import { fromN8n } from '../n8n/release.cts';
import { useN8n } from './help.cts';
import { PUBLIC_URL } from './sharedN8n.cts';

/** Needs PostgreSQL: test/scale runs it. */
const IN_TEST_SCALE = ['campaign-from-postgres.json'];
/** As n8n itself reads CSV. */
const { parse: parseCsv } = fromN8n('csv-parse/sync') as {
	parse(text: string, options: object): Array<Record<string, string>>;
};

const TRIGGER = 'When you click Execute';

/** What the header of a call must say, as a person chose it in a credential. */
const WEBHOOK_KEY = randomUUID();

const used = useN8n();
let webhookKey: { id: string; name: string };
let model: Awaited<ReturnType<typeof used.startModel>>;

beforeAll(async () => {
	webhookKey = await used.client.createCredential({
		name: 'Webhook key',
		type: 'httpHeaderAuth',
		data: { name: 'x-webhook-key', value: WEBHOOK_KEY },
	});
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
/** The customer ID that the service gives a phone number. */
const customerOf = (phone: string) => String(customerIdOfPhone(phone));

/** What a test changes of send-in-hours.json. */
interface SendInHours {
	jsonOutput?: string;
	safeguards?: { allowedHours: { window: object } };
}

const imported = new Set<string>();

/**
 * Imports an example as a person would: the file as it is, then one's own credential in every node that wants one.
 *
 * @returns id of the workflow
 */
async function importExample(file: string, change = (node: ExampleNode) => node): Promise<string> {
	imported.add(file);
	const example = exampleOf(file, {
		outboundMessagingApi: { id: used.credentialId, name: 'Mine' },
		httpHeaderAuth: webhookKey,
		openAiApi: model.credential,
	});
	const nodes = example.nodes.map(change);
	return (await used.client.createWorkflow({ ...example, nodes })).id;
}

/** Runs a workflow from its button, to its success. */
async function execute(workflowId: string) {
	const execution = await used.client.run(workflowId, { trigger: TRIGGER });
	expect(execution.status).toBe('success');
	return execution;
}

const importAndExecute = async (...example: Parameters<typeof importExample>) =>
	await execute(await importExample(...example));

/** Imports and publishes an example whose trigger is a webhook. */
async function publishExample(file: string) {
	const workflowId = await importExample(file);
	await used.client.activate(workflowId);
	const isWebhook = ({ type }: ExampleNode) => type === 'n8n-nodes-base.webhook';
	const { path } = readExample(file).nodes.find(isWebhook)!.parameters;
	return {
		workflowId,
		call: async (body: object, key: string = WEBHOOK_KEY) =>
			await used.callWebhook<ItemJson>(path, body, { 'x-webhook-key': key }),
	};
}

/** The calls that the README of the examples proposes, by the webhook they go to. */
const proposed = (webhook: string) => {
	const readme = fs.readFileSync(path.join(EXAMPLES, 'README.md'), 'utf8');
	const call = new RegExp(`/webhook/${webhook} .*'({[^']*})'`).exec(readme);
	return JSON.parse(call![1]) as Record<string, object>;
};

test('first-messages.json: one message of each kind', async () => {
	await importAndExecute('first-messages.json');
	const operations = used.accepted().map(({ operation }) => operation);
	expect(operations.toSorted()).toEqual([
		'send_attachment_message',
		'send_template_message',
		'send_text_message',
	]);
});

describe('order-confirmation.json', () => {
	let shop: Awaited<ReturnType<typeof publishExample>>;
	beforeAll(async () => {
		shop = await publishExample('order-confirmation.json');
	});

	test('the customer gets a message, the shop an answer', async () => {
		const answer = await shop.call(proposed('order-placed'));
		expect(delivered()).toEqual([
			[ADA, 'order_confirmation', 'Ada', 'A-1042', '59.90 EUR', 'Friday'],
		]);
		const messageId = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
		const customerId = customerIdOfPhone(ADA);
		expect(answer).toEqual({ status: 200, body: { confirmed: true, messageId, customerId } });
	});

	test('called again: one message, and no call for a third one', async () => {
		const order = { ...proposed('order-placed'), orderId: 'A-2001' };
		await shop.call(order);
		const again = { confirmed: true, messageId: null, customerId: null };
		expect(await shop.call(order)).toEqual({ status: 200, body: again });
		expect(delivered()).toHaveLength(1);
	});

	test('a message that may have been sent is no reason for the shop to call again', async () => {
		used.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
		const order = { ...proposed('order-placed'), orderId: 'A-2002' };
		const body = {
			confirmed: null,
			reason: expect.stringContaining('may') as string,
			whatToDo: expect.stringContaining('dashboard') as string,
		};
		for (let call = 1; call <= 3; call++) {
			expect(await shop.call(order)).toEqual({ status: 202, body });
		}
		expect(delivered()).toHaveLength(1);
	});

	test('a caller without the key sends nothing', async () => {
		const order = proposed('order-placed');
		for (const key of ['', 'guessed']) {
			expect([(await shop.call(order, key)).status, delivered()]).toEqual([403, []]);
		}
	});

	test('a number without country code comes back', async () => {
		const order = proposed('order-placed');
		const customer = { ...order.customer, phone: '202 555 0143' };
		expect(await shop.call({ ...order, customer })).toEqual({
			status: 422,
			body: {
				confirmed: false,
				reason: expect.stringContaining('no plus sign and country code'),
				whatToDo: expect.stringContaining('+15550100200'),
			},
		});
		expect(delivered()).toEqual([]);
	});
});

test('appointment-reminders.json: sent, and the rejected ones collected', async () => {
	const workflowId = await importExample('appointment-reminders.json');
	const execution = await execute(workflowId);
	expect(delivered().map(([recipient, , ...values]) => [recipient, ...values])).toEqual(
		expect.arrayContaining([
			['+12025550119', 'Fay', '11:45', 'Dr. Hale'],
			[ADA, 'Ada', '09:00', 'Dr. Moss'],
			[BEN, 'Ben', '09:30', 'Dr. Moss'],
			[DORA, 'Dora', '10:15', 'Dr. Moss'],
		]),
	);
	expect(execution.items('Reminded')).toHaveLength(4);
	const whatToDo = expect.any(String) as string;
	const noCountry = expect.stringContaining('no plus sign and country code') as string;
	expect(execution.items('To call instead')).toEqual([
		{
			toCall: [
				{ name: 'Cleo Martin', phone: '555-0187', why: noCountry, whatToDo },
				{ name: 'Emil Novak', phone: '', why: "'Customer Phone' is empty", whatToDo },
			],
		},
	]);

	// The schedule, after a person tried it.
	const again = await execute(workflowId);
	expect(delivered()).toHaveLength(4);
	expect(again.items('Reminded')).toHaveLength(4);
	expect(again.items('To call instead')).toEqual(execution.items('To call instead'));
});

test('reminders-from-sheet.json: one reminder for each appointment that is due, and the rows to look at', async () => {
	const workflowId = await importExample('reminders-from-sheet.json');
	const execution = await execute(workflowId);
	/** In the time zone that n8n has if it isn't told another one. */
	const inDays = (days: number) =>
		new Date(Date.now() + days * 86_400_000)
			.toLocaleString('en-GB', {
				...{ timeZone: 'America/New_York', weekday: 'long', day: 'numeric', month: 'long' },
			})
			.replace(',', '');
	expect(delivered()).toEqual([
		[ADA, 'appointment_reminder', 'Ada Lindgren', inDays(2), '09:00'],
		[BEN, 'appointment_reminder', 'Ben Okafor', inDays(5), '14:30'],
	]);
	expect(execution.items('Rows to look at')).toMatchObject([
		{ Name: 'Cleo Martin', Why: expect.stringContaining('no plus sign and country code') },
		{ Name: 'Fay Tanaka', Why: expect.stringContaining("'Attributes' value 2 is empty") },
	]);
	// The schedule of the next day finds the same rows.
	await execute(workflowId);
	expect(delivered()).toHaveLength(2);
});

test('opt-outs.json: who has opted out is skipped, and a number that cannot be read stops no list', async () => {
	const { workflowId, call } = await publishExample('opt-outs.json');
	// Creates the table, and nothing is in it.
	await execute(workflowId);
	expect(used.recipients().toSorted()).toEqual([ADA, BEN, DORA]);
	used.sandbox.ledger.clear();

	const optOut = proposed('opt-out');
	for (let time = 1; time <= 2; time++) {
		expect(await call(optOut)).toEqual({ status: 200, body: { optedOut: BEN } });
	}
	expect(await call({ phone: '7700 900461' })).toMatchObject({ status: 422 });
	const again = await execute(workflowId);
	expect(again.items('Opt-outs')).toMatchObject([{ phone: BEN }]);
	expect(again.items('Send the news')).toMatchObject([
		{ reason: 'alreadySent' },
		{ reason: 'doNotContact' },
		{ reason: 'alreadySent' },
	]);
	expect(delivered()).toEqual([]);
});

test('send-in-hours.json: who is outside the hours gets the message when they begin, once', async () => {
	// n8n sets the times right before the node that sends: Ada's hours begin at the next full minute, in 30 to 90 seconds.
	const times = (from: string, until: string) =>
		[from, until].map((time) => `{{ $now.toUTC().${time}.startOf('minute').toFormat('HH:mm') }}`);
	const opens = times('plus({ seconds: 90 })', 'plus({ hours: 6 })');
	const isOpen = times('minus({ hours: 6 })', 'plus({ hours: 6 })');
	const workflowId = await importExample('send-in-hours.json', (node) => {
		const changed = structuredClone(node) as ExampleNode & { parameters: SendInHours };
		const { jsonOutput, safeguards } = changed.parameters;
		if (jsonOutput) {
			const { customers } = JSON.parse(jsonOutput) as { customers: object[] };
			const rows = customers.map((row, index) => {
				const [from, until] = index === 0 ? opens : isOpen;
				return { ...row, timezone: 'UTC', from, until };
			});
			changed.parameters.jsonOutput = `=${JSON.stringify({ customers: rows })}`;
		}
		if (safeguards) {
			const hours = { from: '={{ $json.from }}', until: '={{ $json.until }}' };
			Object.assign(safeguards.allowedHours.window, hours);
		}
		return changed;
	});
	const execution = await used.client.run(workflowId, { trigger: TRIGGER, timeoutMs: 240_000 });
	expect(execution.status).toBe('success');
	expect(used.recipients().slice(0, 2).toSorted()).toEqual([BEN, DORA]);
	expect(used.recipients().slice(2)).toEqual([ADA]);
	const [waiting] = execution.items('Wait until then');
	const { sendAfter } = waiting.details as { sendAfter: string };
	expect(sendAfter).toMatch(/T\d\d:\d\d:00\.000Z$/);
	// To a second: the clocks are those of two processes.
	expect(used.accepted()[2].at).toBeGreaterThan(Date.parse(sendAfter) - 1000);
	expect(execution.items('Rows to look at')).toMatchObject([
		{ name: 'Cleo Martin', why: expect.stringContaining('no plus sign and country code') },
	]);
}, 300_000);

test('invoice-after-payment.json: the file and thanks for what is paid, however often it is posted', async () => {
	const payments = await publishExample('invoice-after-payment.json');
	const paid = proposed('payment-event');
	await payments.call({ ...paid, status: 'pending' });
	expect(used.requests()).toEqual([]);

	// Nothing is sent before the link works, and then only what is missing.
	const { invoiceUrl } = paid;
	const unusable = { ...paid, invoiceUrl: 'http://localhost/1042.pdf' };
	expect((await payments.call(unusable)).status).toBe(500);
	expect(delivered()).toEqual([]);
	used.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 2 } }]);
	expect((await payments.call(paid)).status).toBe(500);
	expect(delivered()).toEqual([['530375758641', invoiceUrl]]);
	for (let call = 1; call <= 2; call++) expect((await payments.call(paid)).status).toBe(200);
	expect(delivered()).toEqual([
		['530375758641', invoiceUrl],
		['530375758641', 'Thank you, Ada! Your payment of 59.90 EUR has arrived.'],
	]);
});

test('template-then-text.json: the text finds the customer of its template', async () => {
	const workflowId = await importExample('template-then-text.json');
	await execute(workflowId);
	const textOf = (name: string, guide: string) =>
		`Hello ${name}, here is the guide you asked for: https://example.com/guides/${guide}`;
	expect(delivered().toSorted()).toEqual(
		[
			[ADA, 'welcome', 'Ada'],
			[BEN, 'welcome', 'Ben'],
			[DORA, 'welcome', 'Dora'],
			[customerOf(ADA), textOf('Ada', 'espresso')],
			[customerOf(BEN), textOf('Ben', 'filter')],
			[customerOf(DORA), textOf('Dora', 'moka')],
		].toSorted(),
	);
	await execute(workflowId);
	expect(delivered()).toHaveLength(6);
});

describe('bulk-campaign.json', () => {
	/** The rows of the CSV, by the names of its columns. */
	async function csvOf(execution: Execution): Promise<Array<Record<string, string>>> {
		const [item] = execution.runs('CSV to correct')[0].data?.main?.[0] ?? [];
		const { id } = (item as unknown as { binary: { data: { id: string } } }).binary.data;
		const { url, browserId, cookie } = used.client;
		const response = await fetch(
			`${url}/rest/binary-data?action=download&id=${encodeURIComponent(id)}`,
			{ headers: { 'browser-id': browserId, cookie } },
		);
		return parseCsv(await response.text(), { columns: true, bom: true });
	}

	test('the dry run sends nothing and finds what is wrong', async () => {
		const execution = await importAndExecute('bulk-campaign.json');
		expect(used.requests()).toEqual([]);
		expect(execution.items('Report')).toMatchObject([{ skipped: 1, rejected: 1, onlyTried: 11 }]);
	});

	test('what was not accepted is corrected and sent again', async () => {
		const body = { error: 'The customer has opted out', code: 'opted_out', success: false };
		used.sandbox.faults.set([
			{ what: 'cutAfter', when: { recipient: '+12025550103' } },
			{ what: 'status', status: 400, body, when: { recipient: '+447700900462' } },
		]);
		const workflowId = await importExample('bulk-campaign.json', (node) => {
			if (node.name !== 'Campaign') return node;
			const changed = structuredClone(node);
			const { assignments } = changed.parameters.assignments;
			assignments.find(({ name }) => name === 'dryRun')!.value = false;
			return changed;
		});
		const execution = await execute(workflowId);
		expect(execution.items('Report')).toMatchObject([
			{ accepted: 9, skipped: 1, rejected: 2, uncertain: 1 },
		]);
		const rows = await csvOf(execution);
		expect(rows).toMatchObject([
			{ id: 'C-03', ended: 'uncertain', whatToDo: expect.stringContaining('dashboard') },
			{ id: 'C-07', phone: '202 555 0107', ended: 'rejected' },
			{ id: 'C-09', why: expect.stringContaining('opted_out') },
		]);
		expect(rows[1].why).toContain('no plus sign and country code');
		expect(rows[1].whatToDo).toContain('+15550100200');
		expect(delivered()[0]).toContain('spring_offer');

		// The corrected list, in the same workflow, whose node keeps the keys; and the whole list by mistake.
		used.sandbox.faults.clear();
		rows[1].phone = '+1 202 555 0107';
		const { nodes } = await used.client.workflow(workflowId);
		const node = nodes.find(({ name }) => name === 'Customers')!;
		const parameters = node.parameters as { jsonOutput: string };
		for (const jsonOutput of [JSON.stringify({ customers: rows }), parameters.jsonOutput]) {
			const changed = nodes.map((each) =>
				each === node ? { ...each, parameters: { ...parameters, jsonOutput } } : each,
			);
			await used.client.updateWorkflow(workflowId, { nodes: changed });
			await execute(workflowId);
		}
		// Cleo got hers the first time, without an answer.
		expect(delivered()).toHaveLength(12);
		expect(used.sandbox.ledger.duplicates()).toEqual([]);
		expect(used.recipients()).toContain('+12025550107');
	});
});

test('send-once.json: the second call of the CRM sends nothing', async () => {
	const crm = await publishExample('send-once.json');
	const deal = proposed('deal-won');
	const messageId = expect.any(String) as string;
	expect((await crm.call(deal)).body).toEqual({ result: 'sent', messageId });
	expect((await crm.call(deal)).body).toEqual({ result: 'already sent', messageId: null });
	expect(delivered()).toEqual([[ADA, 'deal_won', 'Ada', 'Espresso machine for the office']]);
});

test('mcp-server.json: a call sends, and its record leads to the next', async () => {
	await used.client.activate(await importExample('mcp-server.json'));
	const agent = await connectTo(`${used.n8n.url}/mcp/outbound-messages`);
	/** @returns what the agent reads */
	const call = async (name: string, args: object) => {
		const { content } = await agent.callTool({ name, arguments: args });
		return JSON.parse(content[0].text) as ItemJson[];
	};
	const update = { customer_name: 'Ada', order_id: 'A-1042', update: 'will arrive on Friday' };
	// A wrong number, and then the right one, twice.
	await call('Send_order_update', { ...update, customer_phone: BEN });
	const [record] = await call('Send_order_update', {
		...update,
		customer_phone: '+1 202 555 0143',
	});
	const [again] = await call('Send_order_update', { ...update, customer_phone: ADA });
	expect(again).toMatchObject({ reason: 'alreadySent' });
	const customer = String(record.extra.customer_id);
	const seeYou = { customer_id: customer, text: 'See you!' };
	await call('Send_text_message', seeYou);
	// A client that got no answer calls again.
	expect(await call('Send_text_message', seeYou)).toMatchObject([{ reason: 'alreadySent' }]);
	const url = 'https://example.com/invoices/2026-1042.pdf';
	await call('Send_document', { customer_id: customer, url });
	await agent.close();
	expect(delivered()).toEqual([
		[BEN, 'order_update', 'Ada', 'A-1042', 'will arrive on Friday'],
		[ADA, 'order_update', 'Ada', 'A-1042', 'will arrive on Friday'],
		[customerOf(ADA), 'See you!'],
		[customerOf(ADA), url],
	]);
});

test('file-from-n8n.json: the service gets the file from n8n', async () => {
	const secret = randomUUID();
	const workflowId = await importExample('file-from-n8n.json', (node) =>
		JSON.parse(JSON.stringify(node).replaceAll('replace-this-by-a-random-text', secret)),
	);
	await used.client.activate(workflowId);
	await execute(workflowId);
	await execute(workflowId);
	const url = `${PUBLIC_URL}/webhook/${secret}`;
	expect(delivered()).toEqual([['530375758641', url]]);
	// What the service fetches: a proxy leads from the public host to this n8n.
	const response = await fetch(used.reachable(url));
	expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
	expect(await response.text()).toMatch(/^%PDF-1\.4[^]*Invoice A-1042[^]*%%EOF/);
	expect((await fetch(`${used.n8n.url}/webhook/guessed`)).status).toBe(404);
});

describe('examples with an AI agent', () => {
	const NOTE = /order (\S+) is late/;

	test('ai-agent.json: each customer gets the words meant for them, once', async () => {
		const workflowId = await importExample('ai-agent.json');
		let words = 0;
		let hasFailed = false;
		model.follow(({ prompt, answers }) => {
			const [, order] = NOTE.exec(prompt)!;
			if (answers.length === 0) return { calls: [{ text: `About ${order}, version ${++words}` }] };
			// The model is down for a moment after a message was sent, and the agent runs again.
			if (order === 'A-1043' && !hasFailed) return { fails: (hasFailed = true) };
			return { text: answers.join() };
		});
		await execute(workflowId);
		expect(delivered().map(([recipient, text]) => [recipient, text.split(',')[0]])).toEqual([
			['4711', 'About A-1042'],
			['4712', 'About A-1043'],
			['4713', 'About A-1044'],
		]);

		const again = await execute(workflowId);
		expect(delivered()).toHaveLength(3);
		const outputs = again.items('One run per order').map(({ output }) => output);
		expect(outputs).toEqual(new Array(3).fill(expect.stringContaining('Nothing was sent now')));
	});

	test('ai-agent.json: the model cannot choose the customer', async () => {
		model.follow(({ answers }) =>
			answers.length === 0
				? { calls: [{ text: 'Hello', customerId: '666', orderId: 'made up' }] }
				: { text: 'Done.' },
		);
		await importAndExecute('ai-agent.json');
		expect(used.recipients()).toEqual(['4711', '4712', '4713']);
	});

	/** Waits for the form, fills it in, and waits for the end. */
	async function decide(executionId: string, fields: string[]) {
		const waiting = await used.waiting(executionId);
		const [{ approveAt }] = waiting.items('Draft');
		const form = new FormData();
		fields.forEach((value, index) => form.append(`field-${index}`, value));
		const url = used.reachable(String(approveAt));
		const page = await (await fetch(url)).text();
		const response = await fetch(url, { method: 'POST', body: form });
		expect(response.status).toBe(200);
		return { page, execution: await used.client.waitForExecution(executionId) };
	}

	test('agent-with-approval.json: sent once, after a person said yes', async () => {
		model.follow(() => ({ text: 'Sorry, it is late.' }));
		const workflowId = await importExample('agent-with-approval.json');
		const run = async (...fields: string[]) =>
			await decide(await used.client.start(workflowId, { trigger: TRIGGER }), fields);

		const rejected = await run('Sorry, it is late.', 'Reject');
		expect(rejected.page).toContain('Sorry, it is late.');
		expect(rejected.execution.status).toBe('success');
		expect(used.requests()).toEqual([]);

		await run('Sorry, it comes on Friday.', 'Approve');
		const again = await run('Sorry, it comes on Friday.', 'Approve');
		expect(delivered()).toEqual([['4711', 'Sorry, it comes on Friday.']]);
		expect(again.execution.items('Send the message')).toMatchObject([{ reason: 'alreadySent' }]);
	});

	test('agent-with-limit.json: a model that calls again and again sends three', async () => {
		const turn = (version: number) => ({
			calls: ['4711', '4712', '4711', '4713', '4714'].map((customer) => ({
				customer_id: customer,
				text: `Version ${version}`,
			})),
		});
		model.follow([turn(1), turn(2), turn(3), { text: 'Done.' }]);
		const workflowId = await importExample('agent-with-limit.json');
		await execute(workflowId);
		expect(used.recipients()).toEqual(['4711', '4712', '4713']);
		expect(model.answers()).toHaveLength(15);
		for (const answer of model.answers().slice(5)) {
			expect(answer).toMatch(/Calling this tool again won't help|Don't call this tool again/);
		}

		// The limit is three for each execution, but one basket is one message.
		model.follow([turn(4), { text: 'Done.' }]);
		await execute(workflowId);
		expect(used.recipients()).toEqual(['4711', '4712', '4713', '4714']);
	});
});

describe('questions', () => {
	/** Presses a button once the execution waits. */
	const press = async (link: string, answer: string) =>
		await poll(
			async () => {
				const body = new URLSearchParams({ answer });
				return (await fetch(link, { method: 'POST', body })).ok;
			},
			{ what: 'n8n to wait' },
		);

	test('confirm-appointments.json: the sheet has each answer, and no one is asked twice', async () => {
		const workflowId = await importExample('confirm-appointments.json');
		await execute(workflowId);
		await poll(() => used.links().length === 3, { what: 'three questions' });
		const answers: Record<string, string> = { Ada: 'Move', Ben: 'Confirm', Dora: 'Cancel' };
		for (const [index, { body }] of used.accepted().entries()) {
			const [, name] = /^Hello (\w+)/.exec(body.attributes!['1'])!;
			await press(used.links()[index], answers[name]);
		}
		const succeeded = async (count: number) => {
			const runs = await used.client.executions(workflowId);
			return runs.length === count && runs.every(({ status }) => status === 'success');
		};
		await poll(async () => await succeeded(4), { what: 'all answers to be in the sheet' });

		await execute(workflowId);
		await poll(async () => await succeeded(8), { what: 'the second round to end' });
		expect(used.accepted()).toHaveLength(3);
		const { data } = await used.client.call<{
			data: Array<{ id: string; name: string; projectId: string }>;
		}>('GET', '/rest/data-tables-global');
		const { id, projectId } = data.find(({ name }) => name === 'appointments')!;
		const rows = await used.client.call<{ data: Array<Record<string, string>> }>(
			'GET',
			`/rest/projects/${projectId}/data-tables/${id}/rows`,
		);
		const answered = rows.data.map(({ appointmentId, answer }) => [appointmentId, answer]);
		expect(answered.toSorted()).toEqual([
			['T-301', 'Move'],
			['T-302', 'Confirm'],
			['T-303', 'Cancel'],
		]);
	});

	test.each([
		['Approve', ['4700', '4711']],
		['Decline', ['4700']],
	])('approve-refund.json: %s', async (answer, recipients) => {
		const text = 'You get 59.90 EUR back.';
		model.follow([
			{ calls: [{ toolParameters: { text }, hitlParameters: {} }] },
			{ text: 'Done.' },
		]);
		const workflowId = await importExample('approve-refund.json');
		const execution = await used.client.start(workflowId, { trigger: TRIGGER });
		await poll(() => used.links().length === 1, { what: 'the question' });
		expect(used.accepted()[0].body.text).toContain(
			`Refund for order A-1042? The agent would tell the customer:\n\n${text}`,
		);
		await press(used.links()[0], answer);
		expect((await used.client.waitForExecution(execution)).status).toBe('success');
		expect(used.recipients()).toEqual(recipients);
	});
});

test('no example is left out', () => {
	const all = fs.readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));
	expect([...imported, ...IN_TEST_SCALE].toSorted()).toEqual(all.toSorted());
});
