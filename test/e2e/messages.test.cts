/** From items to messages and back, as a workflow sees it. All bodies are in test/unit/operations. */
import { edit } from '../n8n/workflow.cts';
import { useN8n, textOf, NODE } from './help.cts';

const used = useN8n();

const TEXT = '  Two\nlines, “quotes”, 👩‍👩‍👧 {{ not.an.expression }}  ';
const TEMPLATE = {
	operation: 'sendTemplate',
	templateId: '={{ $json.template }}',
	channelId: '={{ $json.channel }}',
	customerPhone: '={{ $json.phone }}',
};
const ADA = { phone: '+1 (555) 010-0201', template: 'order_shipped', channel: 7, name: 'Ada' };
const TO_ADA = { template_id: 'order_shipped', channel_id: '7', customer_phone: '+15550100201' };
const FILES = 'https://files.example.com';

test.each<[string, object, object, object]>([
	[
		'template with fields and header media',
		{
			...TEMPLATE,
			attributes: { attribute: [{ value: '={{ $json.name }}' }, { value: 'on {{ $json.day }}' }] },
			headerMedia: { media: { type: '={{ ["video"][$itemIndex] }}', url: '={{ $json.file }}' } },
		},
		{ ...ADA, file: `${FILES}/b.mp4?x=1&y=ü` },
		{
			...TO_ADA,
			attributes: { 1: 'Ada', 2: 'on {{ $json.day }}' },
			attachment: { video: `${FILES}/b.mp4?x=1&y=%C3%BC` },
		},
	],
	['text', textOf(), { customer: 42, text: TEXT }, { customer_id: '42', text: TEXT }],
	[
		'attachment',
		{
			operation: 'sendAttachment',
			customerId: '={{ $json.customer }}',
			attachmentType: '={{ $json.kind }}',
			attachmentUrl: `=${FILES}/{{ $json.kind }}`,
		},
		{ customer: ' 51 ', kind: 'document' },
		{ customer_id: '51', attachment_type: 'document', attachment_url: `${FILES}/document` },
	],
])('%s, by expressions', async (_, parameters, item, sent) => {
	const execution = await used.send({ list: [item], parameters });
	expect(used.requests().map(({ body }) => body)).toEqual([sent]);
	expect(execution.items(NODE)).toMatchObject([{ extra: { success: true } }]);
});

test('what is rejected comes out of the error output with its fields; expressions behind find their items', async () => {
	const list = [
		{ customer: '60', text: 'good', city: 'Ulm' },
		{ customer: '61', text: 'refused', city: 'Wien' },
		{ customer: '62', text: ' ', city: 'Bern' },
		{ customer: '63', text: 'good', city: 'Köln' },
	];
	const body = { error: 'No such customer', code: 'customer_unknown', success: false };
	used.sandbox.faults.set([{ what: 'status', status: 400, body, when: { recipient: '61' } }]);
	const city = "={{ $('Items').item.json.city }}";
	const sent = `={{ $('${NODE}').item.json.extra.customer_id }}`;
	const execution = await used.send({
		list,
		parameters: textOf(),
		settings: { onError: 'continueErrorOutput' },
		after: [edit('After', { city, sent })],
		failed: edit('Failed', { city, text: '={{ $json.text }}', why: '={{ $json.error }}' }),
	});
	const details = { delivery: 'rejected', fix: expect.stringMatching(/\w{3}/) as string };
	const refused = 'The service rejected the message (400): No such customer, code customer_unknown';
	expect(execution.items(NODE, { output: 1 })).toEqual([
		{
			...list[1],
			error: refused,
			details: { ...details, statusCode: 400, code: 'customer_unknown', itemIndex: 1 },
		},
		{
			...list[2],
			error: "'Text' is empty",
			details: { ...details, code: 'invalidInput', itemIndex: 2 },
		},
	]);
	expect(execution.items('After')).toEqual([
		{ city: 'Ulm', sent: '60' },
		{ city: 'Köln', sent: '63' },
	]);
	expect(execution.items('Failed')).toEqual([
		{ city: 'Wien', text: 'refused', why: refused },
		{ city: 'Bern', text: ' ', why: "'Text' is empty" },
	]);
});
