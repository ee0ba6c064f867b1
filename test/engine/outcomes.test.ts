import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { useEngine } from './engine';
import type { Sending } from './workflows';
import type { FaultRule as Rule } from '../../sandbox/index.cts';
import * as flows from './workflows';
import { customer, customers, ERROR_OUTPUT, FAILED, rejects, toSend } from './workflows';

const engine = useEngine();

it('an accepted item is the record, untouched, with unknown fields', async () => {
	const extra = { success: true, customer_id: 4711, deep: [{ er: null }, 'key', 1.5] };
	const record = { id: 'message 1', function_name: 'send_text_message', status: 'COMPLETED' };
	const body = { ...record, extra, '': { a: [1, { b: false }] }, empty: null };
	engine.faults({ what: 'status', status: 200, body, accepted: true });
	const execution = await engine.run({ ...toSend(), id: '' }, customers(25));
	expect(execution.json()).toStrictEqual(new Array(25).fill(body));
	expect(engine.ledger.entries().map(({ keyOk }) => keyOk)).toEqual(new Array(25).fill(true));
});

it('one at a time, messages go in the order of the list', async () => {
	const items = [0, 1, 0, 2, 1, 0].map((index) => ({ customer: customer(index), text: 'Hi' }));
	await engine.send(flows.ONE_BY_ONE, items);
	expect(engine.received()).toEqual(items.map((item) => item.customer));
});

// Every fault is in anyWorkflow.test.ts, and in test/e2e/faultMatrix.
it.each<['rejected' | 'uncertain', Rule]>([
	['rejected', rejects()],
	['uncertain', { what: 'hang', afterAccept: true }],
])('%s: %j, after one request; so is a bad item, and others are sent', async (delivery, rule) => {
	engine.faults({ ...rule, when: { recipient: customer(1) } });
	const bad = { customer: '', text: 'text 3' };
	const items = [...customers(3), bad].map((item) => ({ ...item, message: 'Your order' }));
	const execution = await engine.send(ERROR_OUTPUT, items);

	// n8n adds the fields of the input to both of the node's, and the node has no 'message' that
	// would replace theirs.
	const status = 'status' in rule ? { statusCode: rule.status } : {};
	const [error, fix] = [1, 2].map(() => expect.stringMatching(/\w{3}/) as string);
	const details = expect.objectContaining({ delivery, itemIndex: 1, fix, ...status }) as object;
	const invalid = { delivery: 'rejected', fix, code: 'invalidInput', itemIndex: 3 };
	expect(execution.json(0, FAILED)).toEqual([
		{ ...items[1], error, details },
		{ ...items[3], error: "'Customer ID' is empty", details: invalid },
	]);

	const recipients = execution.json().map(({ extra }) => (extra as IDataObject).customer_id);
	expect(recipients.map(String)).toEqual([customer(0), customer(2)]);
	for (const json of execution.json()) expect(json).not.toHaveProperty('error');
	expect(engine.received().sort()).toEqual([0, 1, 2].map(customer));
	expect(engine.accepted().includes(customer(1))).toBe(delivery === 'uncertain');
});

/** Parts of what the editor of 0.2.0 stored, and of the requests for it. */
const SAVED = { operation: 'sendTemplate', templateId: 'order_confirmation', channelId: '5001' };
const SENT = { template_id: 'order_confirmation', channel_id: '5001' };
const FILE = 'https://example.com/file';

/** From the examples of 0.2.0; the second one is of a later release. */
const OF_0_2_0: Array<[INodeParameters, body: object]> = [
	[
		{
			...{ ...SAVED, customerPhone: '={{ $json.phone }}', specifyAttributes: 'fields' },
			attributes: { attribute: [{ value: '={{ $json.name }}' }, { value: 'A-1042' }] },
			headerMedia: { media: { type: 'image', url: FILE } },
			options: { messagesPerSecond: 5 },
			safeguards: {
				...{ dryRun: false, maxMessages: 500, repeatedRecipients: 'sendFirst' },
				sendOnceKey: '={{ $json.order }}-congratulations',
			},
		},
		{
			...{ ...SENT, customer_phone: '+12025550142' },
			...{ attributes: { 1: 'Ada', 2: 'A-1042' }, attachment: { image: FILE } },
		},
	],
	[
		{
			...{ ...SAVED, customerPhone: '0151 23456789', specifyAttributes: 'json' },
			attributesJson: '{"2":"Bo\\nB","1":"Ada"}',
			attributes: { attribute: [{ value: 'Hidden' }] },
			headerMedia: { media: { type: 'audio', url: FILE } },
			options: { defaultCountry: 'DE', attributeLineBreaks: 'replace' },
		},
		{
			...{ ...SENT, customer_phone: '+4915123456789' },
			...{ attributes: { 1: 'Ada', 2: 'Bo B' }, attachment: { audio: FILE } },
		},
	],
];

it.each(OF_0_2_0)('saved with 0.2.0 or later, it sends the same: %j', async (saved, body) => {
	const workflow = toSend();
	workflow.nodes.at(-1)!.parameters = saved;
	const item = { phone: '+1 202 555 0142', name: 'Ada', order: 7 };
	expect((await engine.run(workflow, [item])).deliveries()).toEqual(['accepted']);
	expect(engine.ledger.entries().map((entry) => entry.body)).toEqual([body]);
});

it.each<[Sending, boolean]>([
	[{}, true],
	[{ safeguards: { dryRun: 'always' } }, true],
	[{}, false],
])('Include Input Fields, %j: what is sent, shown or skipped has them: %j', async (spec, has) => {
	const options = has ? { includeInputFields: true } : spec.options;
	const safeguards = { doNotContact: customer(1), ...spec.safeguards };
	const items: IDataObject[] = [...customers(2), { customer: '', text: 'Hi' }].map((item) => {
		return { ...item, id: 'own', error: 'of the row' };
	});
	for (const tries of [1, 2]) {
		engine.reset();
		const sending = { ...spec, ...ERROR_OUTPUT, tries, safeguards, options };
		const execution = await engine.send(sending, items);
		const inputs = execution.json().map(({ input }) => input);
		expect(inputs).toEqual(has ? items.slice(0, 2) : [undefined, undefined]);
		expect(execution.json()[0].id).not.toBe('own');
		// n8n adds them itself.
		const [failed] = execution.json(0, FAILED);
		expect(Object.keys(failed).sort()).toEqual(['customer', 'details', 'error', 'id', 'text']);
	}
});

const ROWS = customers(200).map((item, row) => ({ ...item, row, key: 'secret' }));

it.each<[string, string, number, number]>([
	['without expressions: once, and as stored', 'secret', 200, 2],
	['of one item: once', '={{ $json.key }}', 1, 1],
	['by expressions that know no item: once, and as stored', '={{ $vars.key ?? "a" }}', 200, 2],
	['by any other expression: for each', '={{ $json.key + $vars.key }}', 200, 201],
])('the fields of the credential are read %s', async (_, apiKey, count, times) => {
	engine.useCredential({ apiKey });
	const decrypted = jest.spyOn(engine.credentials, 'getDecrypted');
	const execution = await engine.send({ safeguards: { dryRun: true } }, ROWS.slice(0, count));
	expect([execution.status, decrypted.mock.calls.length]).toEqual(['success', times]);
});

it.each<[string, number]>([
	['={{ $json.row === 137 ? "other key" : "secret" }}', 137],
	['={{ $input.item?.json.row === 3 ? "other key" : "secret" }}', 3],
	['=secret {{ $json.row }}', 1],
])('the API key %s: item %i rejects the run, without its values', async (apiKey, index) => {
	engine.useCredential({ apiKey });
	const { words } = await engine.send({}, ROWS);
	expect(words).toContain(`The credential isn't the same for item 0 and item ${index} (`);
	expect(words).not.toMatch(/secret|other key/);
	expect(engine.received()).toEqual([]);
});

it('the runs of a loop share the pace', async () => {
	await engine.run(flows.looped({ options: { messagesPerSecond: 0.1 } }, 1), customers(3));
	const sentAt = engine.ledger.entries().map(({ at }) => at);
	expect(sentAt[2] - sentAt[0]).toBeGreaterThan(19_000);
});
