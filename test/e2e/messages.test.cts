/** From items to messages and back, as a workflow sees it. */
import { node } from '../n8n/workflow.cts';
import { useN8n, textOf, NODE } from './help.cts';

const used = useN8n();

beforeEach(() => {
	used.sandbox.ledger.clear();
	used.sandbox.faults.clear();
});

const requests = () => used.sandbox.ledger.entries();

/** The requests' bodies by recipient: different recipients are in flight together, in any order. */
const bodies = () => Object.fromEntries(requests().map(({ recipient, body }) => [recipient, body]));

/** A node that writes down what expressions see behind the node under test. */
const edit = (name: string, fields: Record<string, string>) =>
	node(name, 'n8n-nodes-base.set', 3.4, {
		assignments: {
			assignments: Object.entries(fields).map(([field, value], index) => ({
				id: String(index),
				name: field,
				value,
				type: 'string',
			})),
		},
		options: {},
	});

describe('every field of every operation, by expressions per item', () => {
	const TEMPLATES = [
		{
			phone: '+1 (555) 010-0201',
			template: 'order_shipped',
			channel: 7,
			name: 'Ada',
			day: 'Friday 🎉',
			file: 'https://files.example.com/a.png',
		},
		{
			phone: '0049 151 1234-5678',
			template: 'order_late',
			channel: 'wa-2',
			name: 'Grace',
			day: 12,
			file: 'https://files.example.com/b.mp4?x=1&y=ü',
		},
	];
	const common = {
		operation: 'sendTemplate',
		templateId: '={{ $json.template }}',
		channelId: '={{ $json.channel }}',
		customerPhone: '={{ $json.phone }}',
	};

	test('template with fields and header media', async () => {
		const execution = await used.send({
			list: TEMPLATES,
			parameters: {
				...common,
				attributes: {
					attribute: [{ value: '={{ $json.name }}' }, { value: 'on {{ $json.day }}' }],
				},
				headerMedia: {
					media: { type: '={{ ["image", "video"][$itemIndex] }}', url: '={{ $json.file }}' },
				},
			},
		});
		expect(execution.status).toBe('success');
		expect(bodies()).toEqual({
			'+15550100201': {
				template_id: 'order_shipped',
				channel_id: '7',
				customer_phone: '+15550100201',
				attributes: { 1: 'Ada', 2: 'on {{ $json.day }}' },
				attachment: { image: 'https://files.example.com/a.png' },
			},
			'+4915112345678': {
				template_id: 'order_late',
				channel_id: 'wa-2',
				customer_phone: '+4915112345678',
				attributes: { 1: 'Grace', 2: 'on {{ $json.day }}' },
				attachment: { video: 'https://files.example.com/b.mp4?x=1&y=%C3%BC' },
			},
		});
		expect(execution.items(NODE)).toEqual(
			TEMPLATES.map(({ template }, index) => ({
				id: expect.stringMatching(/^[0-9a-f-]{36}$/),
				project_id: expect.any(Number),
				timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
				function_name: 'send_template_message',
				message: 'Template message queued',
				status: 'ongoing',
				extra: {
					platform_id: expect.any(Number),
					customer_id: expect.any(Number),
					customer_phone: ['+15550100201', '+4915112345678'][index],
					template_id: template,
					success: true,
				},
			})),
		);
	});

	test('template with JSON, and without anything optional', async () => {
		const [first] = TEMPLATES;
		await used.send({
			list: [first],
			parameters: {
				...common,
				specifyAttributes: 'json',
				attributesJson: '={{ { "2": $json.day, "1": $json.name } }}',
			},
		});
		await used.send({ list: [first], parameters: common });
		const required = {
			template_id: 'order_shipped',
			channel_id: '7',
			customer_phone: '+15550100201',
		};
		expect(requests().map(({ body }) => body)).toEqual([
			{ ...required, attributes: { 1: 'Ada', 2: 'Friday 🎉' } },
			required,
		]);
	});

	test('template to a national number, with line breaks in an attribute', async () => {
		await used.send({
			list: [{ phone: '0151 23456789', address: 'Main St 1\nUlm,\tGermany' }],
			parameters: {
				...common,
				templateId: 'order_shipped',
				channelId: '7',
				attributes: { attribute: [{ value: '={{ $json.address }}' }] },
				options: { defaultCountry: 'DE', attributeLineBreaks: 'replace' },
			},
		});
		expect(requests()).toMatchObject([
			{ body: { customer_phone: '+4915123456789', attributes: { 1: 'Main St 1 Ulm, Germany' } } },
		]);
	});

	test('text', async () => {
		const text = '  Two\nlines, “quotes”, 👩‍👩‍👧 {{ not.an.expression }}  ';
		const execution = await used.send({
			list: [
				{ customer: 42, text },
				{ customer: ' 43 ', text: 'short' },
			],
			parameters: textOf(),
		});
		expect(bodies()).toEqual({
			42: { customer_id: '42', text },
			43: { customer_id: '43', text: 'short' },
		});
		expect(execution.items(NODE)).toMatchObject([
			{ function_name: 'send_text_message', status: 'sent', extra: { customer_id: 42 } },
			{ function_name: 'send_text_message', status: 'sent', extra: { customer_id: 43 } },
		]);
	});

	test('attachment', async () => {
		const kinds = ['image', 'video', 'document'];
		const execution = await used.send({
			list: kinds.map((kind, index) => ({
				customer: 50 + index,
				kind,
				url: `https://files.example.com/${kind}`,
			})),
			parameters: {
				operation: 'sendAttachment',
				customerId: '={{ $json.customer }}',
				attachmentType: '={{ $json.kind }}',
				attachmentUrl: '={{ $json.url }}',
			},
		});
		expect(execution.status).toBe('success');
		expect(Object.values(bodies())).toEqual(
			kinds.map((kind, index) => ({
				customer_id: String(50 + index),
				attachment_type: kind,
				attachment_url: `https://files.example.com/${kind}`,
			})),
		);
	});

	test('dry run shows the same requests and sends none', async () => {
		const execution = await used.send({
			list: [{ customer: 42, text: 'Hello' }],
			parameters: textOf({}, { dryRun: true }),
		});
		expect(execution.items(NODE)).toEqual([
			{
				dryRun: true,
				request: {
					method: 'POST',
					url: `${used.sandbox.url}/stable/open/customers/send-text-message`,
					body: { customer_id: '42', text: 'Hello' },
				},
			},
		]);
		expect(requests()).toEqual([]);
		expect(JSON.stringify(execution.stored)).not.toContain(used.sandbox.apiKey);
	});
});

test('the record comes out as the service gave it, unknown fields included', async () => {
	const record = {
		id: 'm-1',
		project_id: 9_007_199_254_740_991,
		timestamp: '2031-02-03T04:05:06.789Z',
		function_name: 'send_text_message',
		message: 'Ünïcode "quoted" \\ 👍',
		status: 'an unknown status',
		extra: { customer_id: 42, success: true, more: { deep: [1, null, { a: '' }] } },
		price: 0.070_000_000_000_000_01,
		tags: [],
		nothing: null,
	};
	used.sandbox.faults.set([{ what: 'notARecord', body: record }]);
	const execution = await used.send({
		list: [{ customer: 42, text: 'Hello' }],
		parameters: textOf(),
	});
	expect(execution.status).toBe('success');
	expect(execution.items(NODE)).toEqual([record]);
});

describe('a rejected message and a bad item among good ones', () => {
	const LIST = [
		{ customer: '60', text: 'good', city: 'Ulm' },
		{ customer: '61', text: 'refused', city: 'Wien' },
		{ customer: '62', text: ' ', city: 'Bern' },
		{ customer: '63', text: 'good', city: 'Köln' },
	];
	const SOUND = LIST.filter(({ customer }) => customer !== '62');
	const REFUSED = {
		error: 'The service rejected the message (400): No such customer, code customer_unknown',
		details: {
			delivery: 'rejected',
			fix: expect.stringMatching(/\w{3}/),
			statusCode: 400,
			code: 'customer_unknown',
			itemIndex: 1,
		},
	};
	const BAD = {
		error: "'Text' is empty",
		details: {
			delivery: 'rejected',
			fix: expect.stringContaining('Enter text'),
			code: 'invalidInput',
			itemIndex: 2,
		},
	};
	const accepted = (customer: string) =>
		expect.objectContaining({
			function_name: 'send_text_message',
			extra: { customer_id: Number(customer), success: true },
		});

	beforeEach(() =>
		used.sandbox.faults.set([
			{
				what: 'status',
				status: 400,
				body: { error: 'No such customer', code: 'customer_unknown', success: false },
				when: { recipient: '61' },
			},
		]),
	);

	test('stop: the whole list is checked before the first message is sent', async () => {
		const execution = await used.send({ list: LIST, parameters: textOf() });
		expect(requests()).toEqual([]);
		expect(execution.status).toBe('error');
		expect(execution.nodeError(NODE)).toMatchObject({
			message: "'Text' is empty",
			description: expect.stringMatching(/Enter text.*Nothing was sent.*item 2/),
			context: { itemIndex: 2 },
		});
	});

	test('stop: the error says what the service said, and how many were sent', async () => {
		const execution = await used.send({
			list: SOUND,
			parameters: textOf({ maxConcurrency: 1 }),
			after: [edit('After', {})],
		});
		expect(execution.status).toBe('error');
		expect(execution.nodeError(NODE)).toMatchObject({
			message: REFUSED.error,
			description: expect.stringContaining(
				'1 of 3 messages accepted, 1 rejected, 1 not attempted.',
			),
			httpCode: '400',
			context: { itemIndex: 1 },
		});
		expect(requests().map(({ recipient }) => recipient)).toEqual(['60', '61']);
		expect(execution.runs('After')).toEqual([]);
	});

	test('continue: one item each, in order, and expressions behind find their way back', async () => {
		const execution = await used.send({
			list: LIST,
			parameters: textOf(),
			settings: { onError: 'continueRegularOutput' },
			after: [
				edit('After', {
					city: "={{ $('Items').item.json.city }}",
					sent: `={{ $('${NODE}').item.json.extra?.customer_id ?? 'not' }}`,
				}),
			],
		});
		expect(execution.status).toBe('success');
		expect(execution.items(NODE)).toEqual([accepted('60'), REFUSED, BAD, accepted('63')]);
		expect(execution.rawItems(NODE).map(({ pairedItem }) => pairedItem)).toEqual(
			LIST.map((_, item) => ({ item })),
		);
		expect(execution.items('After')).toEqual([
			{ city: 'Ulm', sent: '60' },
			{ city: 'Wien', sent: 'not' },
			{ city: 'Bern', sent: 'not' },
			{ city: 'Köln', sent: '63' },
		]);
	});

	test('error output: what failed comes out there, with the fields of its input', async () => {
		const execution = await used.send({
			list: LIST,
			parameters: textOf(),
			settings: { onError: 'continueErrorOutput' },
			after: [edit('After', { city: "={{ $('Items').item.json.city }}" })],
			failed: edit('Failed', {
				city: "={{ $('Items').item.json.city }}",
				text: '={{ $json.text }}',
				why: '={{ $json.error }}',
			}),
		});
		expect(execution.status).toBe('success');
		expect(execution.items(NODE)).toEqual([accepted('60'), accepted('63')]);
		expect(execution.items(NODE, { output: 1 })).toEqual([
			{ ...LIST[1], ...REFUSED },
			{ ...LIST[2], ...BAD },
		]);
		expect(execution.items('After')).toEqual([{ city: 'Ulm' }, { city: 'Köln' }]);
		expect(execution.items('Failed')).toEqual([
			{ city: 'Wien', text: 'refused', why: REFUSED.error },
			{ city: 'Bern', text: ' ', why: BAD.error },
		]);
	});
});

test('a long list comes back in its order, whatever the order of the answers', async () => {
	const list = Array.from({ length: 60 }, (_, index) => ({
		customer: 1000 + index,
		text: 'Hello',
	}));
	used.sandbox.faults.set([
		{ what: 'latency', ms: 300, when: { every: 3 } },
		{ what: 'latency', ms: 100, when: { every: 2 } },
	]);
	const execution = await used.send({
		list,
		parameters: textOf(),
		after: [edit('After', { customer: "={{ $('Items').item.json.customer }}" })],
	});
	const customers = list.map(({ customer }) => customer);
	expect(execution.items(NODE).map(({ extra }) => extra.customer_id)).toEqual(customers);
	expect(execution.items('After').map(({ customer }) => Number(customer))).toEqual(customers);
	expect(used.sandbox.ledger.maxInFlight).toBeGreaterThan(10);
	expect(used.sandbox.ledger.duplicates()).toEqual([]);
});
