/** From items to messages and back, as a workflow sees it. */
import { edit } from '../n8n/workflow.cts';
import { useN8n, textOf, NODE } from './help.cts';

const used = useN8n();

/** The requests' bodies by recipient: different recipients are in flight together, in any order. */
const bodies = () =>
	Object.fromEntries(used.requests().map(({ recipient, body }) => [recipient, body]));

const TEXT = '  Two\nlines, “quotes”, 👩‍👩‍👧 {{ not.an.expression }}  ';
const TEMPLATE = {
	operation: 'sendTemplate',
	templateId: '={{ $json.template }}',
	channelId: '={{ $json.channel }}',
	customerPhone: '={{ $json.phone }}',
};
const ADA = { phone: '+1 (555) 010-0201', template: 'order_shipped', channel: 7, name: 'Ada' };
const GRACE = { phone: '0049 151 1234-5678', template: 'order_late', channel: 'wa', name: 'Grace' };
const TO_ADA = { template_id: 'order_shipped', channel_id: '7', customer_phone: '+15550100201' };

interface Operation {
	what: string;
	parameters: object;
	list: object[];
	sent: Record<string, object>;
	status?: string;
}

const OPERATIONS: Operation[] = [
	{
		what: 'template with fields and header media',
		parameters: {
			...TEMPLATE,
			attributes: { attribute: [{ value: '={{ $json.name }}' }, { value: 'on {{ $json.day }}' }] },
			headerMedia: {
				media: { type: '={{ ["image", "video"][$itemIndex] }}', url: '={{ $json.file }}' },
			},
		},
		list: [
			{ ...ADA, file: 'https://files.example.com/a.png' },
			{ ...GRACE, file: 'https://files.example.com/b.mp4?x=1&y=ü' },
		],
		sent: {
			'+15550100201': {
				...TO_ADA,
				attributes: { 1: 'Ada', 2: 'on {{ $json.day }}' },
				attachment: { image: 'https://files.example.com/a.png' },
			},
			'+4915112345678': {
				...{ template_id: 'order_late', channel_id: 'wa', customer_phone: '+4915112345678' },
				attributes: { 1: 'Grace', 2: 'on {{ $json.day }}' },
				attachment: { video: 'https://files.example.com/b.mp4?x=1&y=%C3%BC' },
			},
		},
	},
	{
		what: 'template with JSON',
		parameters: {
			...TEMPLATE,
			specifyAttributes: 'json',
			attributesJson: '={{ { "2": "Friday 🎉", "1": $json.name } }}',
		},
		list: [ADA],
		sent: { '+15550100201': { ...TO_ADA, attributes: { 1: 'Ada', 2: 'Friday 🎉' } } },
	},
	{
		what: 'template without anything optional, to a national number',
		parameters: { ...TEMPLATE, options: { defaultCountry: 'US' } },
		list: [{ ...ADA, phone: '(202) 555-0143' }],
		sent: { '+12025550143': { ...TO_ADA, customer_phone: '+12025550143' } },
	},
	{
		what: 'text',
		parameters: textOf(),
		list: [
			{ customer: 42, text: TEXT },
			{ customer: ' 43 ', text: 'short' },
		],
		sent: { 42: { customer_id: '42', text: TEXT }, 43: { customer_id: '43', text: 'short' } },
		status: 'sent',
	},
	{
		what: 'attachment',
		parameters: {
			operation: 'sendAttachment',
			customerId: '={{ $json.customer }}',
			attachmentType: '={{ $json.kind }}',
			attachmentUrl: '=https://files.example.com/{{ $json.kind }}',
		},
		list: [
			{ customer: 50, kind: 'image' },
			{ customer: 51, kind: 'document' },
		],
		sent: {
			50: {
				...{ customer_id: '50', attachment_type: 'image' },
				attachment_url: 'https://files.example.com/image',
			},
			51: {
				...{ customer_id: '51', attachment_type: 'document' },
				attachment_url: 'https://files.example.com/document',
			},
		},
		status: 'sent',
	},
];

test.each(OPERATIONS)(
	'$what, by expressions per item',
	async ({ parameters, list, sent, status = 'ongoing' }) => {
		const execution = await used.send({ list, parameters });
		expect(execution.status).toBe('success');
		expect(bodies()).toEqual(sent);
		expect(execution.items(NODE)).toMatchObject(
			list.map(() => ({ status, extra: { success: true } })),
		);
	},
);

describe('a rejected message and a bad item among good ones', () => {
	const LIST = [
		{ customer: '60', text: 'good', city: 'Ulm' },
		{ customer: '61', text: 'refused', city: 'Wien' },
		{ customer: '62', text: ' ', city: 'Bern' },
		{ customer: '63', text: 'good', city: 'Köln' },
	];
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
