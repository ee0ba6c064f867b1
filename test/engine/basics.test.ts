import { useEngine } from './engine';
import { customer, customers, node, TEMPLATE, toSend } from './workflows';

const engine = useEngine({ latency: 5 });

it('a template with attributes and header media', async () => {
	const parameters = {
		...TEMPLATE,
		attributes: { attribute: [{ value: '={{ $json.name }}' }, { value: 'Friday' }] },
		headerMedia: { media: { type: 'image', url: 'https://example.com/a.png' } },
	};
	const items = [{ phone: '+1 (555) 010-0200', name: 'Ada' }];
	const execution = await engine.run(toSend({ parameters }), items);
	expect(execution.status).toBe('success');
	expect(engine.ledger.entries()).toMatchObject([
		{ operation: 'send_template_message', keyOk: true, accepted: true },
	]);
	expect(engine.ledger.entries()[0].body).toEqual({
		template_id: 'order_confirmation',
		channel_id: '1024',
		customer_phone: '+15550100200',
		attributes: { '1': 'Ada', '2': 'Friday' },
		attachment: { image: 'https://example.com/a.png' },
	});
});

it('attachments, whose type an expression may choose', async () => {
	const parameters = {
		operation: 'sendAttachment',
		customerId: '={{ $json.customer }}',
		attachmentType: '={{ $json.type }}',
		attachmentUrl: '={{ $json.file }}',
	};
	const file = 'https://example.com/invoice.pdf';
	const types = ['image', 'video', 'document'];
	const items = types.map((type, index) => ({ type, file, customer: customer(index) }));
	await engine.run(toSend({ parameters, options: { maxConcurrency: 1 } }), items);
	expect(engine.ledger.accepted().map(({ body }) => body)).toEqual(
		types.map((type, index) => ({
			customer_id: customer(index),
			attachment_type: type,
			attachment_url: file,
		})),
	);
});

describe('the output', () => {
	it('is the record, untouched, with unknown fields', async () => {
		const record = {
			id: 'message 1',
			function_name: 'send_text_message',
			status: 'COMPLETED',
			extra: { success: true, customer_id: 4711, deep: [{ er: null }, 'ü', 1.5] },
			new_field: { a: [1, { b: false }] },
			empty: null,
			'': 'no name',
		};
		engine.sandbox.faults.set([{ what: 'status', status: 200, body: record, accepted: true }]);
		const execution = await engine.run(toSend(), customers(1));
		expect(execution.json()).toEqual([record]);
		expect(execution.json()[0]).not.toHaveProperty('error');
	});

	it('is one item per input item, in their order, each paired with its own', async () => {
		const late = customers(20).filter((_, index) => index % 3 === 0);
		engine.sandbox.faults.set([
			{ what: 'latency', ms: 60, when: { recipient: late.map((item) => String(item.customer)) } },
		]);
		const execution = await engine.run(toSend(), customers(20));
		const ids = execution.json().map(({ extra }) => (extra as { customer_id: number }).customer_id);
		expect(ids).toEqual(customers(20).map((item) => Number(item.customer)));
		expect(execution.items().map(({ pairedItem }) => pairedItem)).toEqual(
			customers(20).map((_, item) => ({ item })),
		);
		// The order is the input's although the late ones were not waited for.
		const ended = engine.ledger.entries().sort((a, b) => Number(a.endedAt) - Number(b.endedAt));
		expect(ended.at(-1)?.recipient).not.toBe(customer(19));
	});

	it('lets a later node look back at the item it came from', async () => {
		const later = node('Later', 'test.read', {
			parameters: { value: '={{ $("Start").item.json.text }}' },
		});
		const execution = await engine.run(toSend({}, [later]), customers(3));
		expect(execution.json(0, 'Later')).toEqual([
			{ value: 'text 0' },
			{ value: 'text 1' },
			{ value: 'text 2' },
		]);
	});

	it('is nothing for no items, and nothing is sent', async () => {
		const execution = await engine.run(toSend(), []);
		expect(execution.status).toBe('success');
		expect(execution.items()).toEqual([]);
		expect(engine.ledger.entries()).toEqual([]);
	});
});

describe('the credential', () => {
	it('is read for ten items of the run and signs every request', async () => {
		await engine.run(toSend(), customers(25));
		expect(engine.credentials.decrypted).toBe(10);
		expect(engine.credentials.authenticated).toBe(25);
		expect(engine.ledger.entries().every(({ keyOk }) => keyOk)).toBe(true);
	});

	it('takes a base URL with a trailing slash and spaces around the values', async () => {
		const { url, apiKey } = engine.sandbox;
		engine.useCredential({ baseUrl: ` ${url}/ `, apiKey: `${apiKey}\n` });
		const execution = await engine.run(toSend(), customers(1));
		expect(execution.status).toBe('success');
		expect(engine.ledger.summary().accepted).toBe(1);
	});

	it('that cannot be right ends the run before anything is read or sent', async () => {
		engine.useCredential({ apiKeyHeader: 'X Key' });
		const execution = await engine.run(toSend(), customers(3));
		expect(execution.words).toContain("'API Key Header' isn't a header name");
		expect(execution.words).toContain('You find it in the credential. Nothing was sent.');
		expect(execution.error).toMatchObject({ failure: { cause: 'credential-invalid' } });
		expect(engine.ledger.entries()).toEqual([]);
	});
});
