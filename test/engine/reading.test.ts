import type { IDataObject } from 'n8n-workflow';

import { useEngine } from './engine';
import {
	customers,
	FAILED,
	node,
	NODE,
	sending,
	TEMPLATE,
	to,
	toSend,
	workflow,
} from './workflows';

const engine = useEngine();

/** Rejected as a whole, in stop mode with these words, and in a continue mode as one failed item per input item. */
async function expectRejectedRun(
	sent: { options?: IDataObject; safeguards?: IDataObject; parameters?: IDataObject },
	items: IDataObject[],
	...words: string[]
) {
	const spec = sent as Parameters<typeof toSend>[0];
	const stopped = await engine.run(toSend(spec), items);
	expect(stopped.status).toBe('error');
	for (const part of words) expect(stopped.words).toContain(part);
	expect(stopped.words).toContain('Nothing was sent.');

	const continued = await engine.run(toSend({ ...spec, onError: 'continueErrorOutput' }), items);
	expect(continued.json()).toEqual([]);
	const failed = continued.json(0, FAILED);
	expect(failed).toHaveLength(items.length);
	for (const item of failed) {
		expect(item).toHaveProperty('error', expect.stringContaining(words[0]));
		expect(item).toHaveProperty('details.delivery', 'rejected');
	}
	expect(engine.ledger.entries()).toEqual([]);
}

describe('options', () => {
	const WHOLE = 'Use a whole number from 1 to';
	it.each<[IDataObject, string, string]>([
		[{ maxConcurrency: 0 }, `'Max Concurrency' is "0"`, `${WHOLE} 1000`],
		[{ maxConcurrency: 1001 }, `'Max Concurrency' is "1001"`, `${WHOLE} 1000`],
		[{ maxConcurrency: 2.5 }, `'Max Concurrency' is "2.5"`, `${WHOLE} 1000`],
		[{ messagesPerSecond: -1 }, `'Messages per Second' is "-1"`, 'Use a number from 0 to 1000'],
		[{ rateLimitWait: 86_401 }, `'Rate Limit Wait (Seconds)' is "86401"`, '0 to 86400'],
		[{ rateLimitWait: 'soon' }, `'Rate Limit Wait (Seconds)' is "soon"`, '0 to 86400'],
		[{ timeout: 0 }, `'Timeout (Milliseconds)' is "0"`, `${WHOLE} 3600000`],
		[{ timeout: 2 ** 31 + 1 }, `'Timeout (Milliseconds)' is "2147483649"`, `${WHOLE} 3600000`],
		[{ timeout: '={{ $json.no }}' }, `'Timeout (Milliseconds)' is empty: the expression`, 'field'],
		[{ timeout: '={{ $json.a( }}' }, `'Timeout (Milliseconds)' couldn't be read: `, ''],
	])('%j reject the run before anything is sent', async (options, what, fix) => {
		await expectRejectedRun({ options }, customers(2), what, fix);
	});

	it.each<[IDataObject, string, string]>([
		[{ attributeLineBreaks: 'no' }, `'Line Breaks in Attributes' is "no"`, 'replace (Replace)'],
		[{ defaultCountry: 'ZZ' }, `'Default Country' is "ZZ"`, 'such as DE'],
		[{ defaultCountry: '={{ $json.no }}' }, `'Default Country' is empty: the expression`, 'field'],
	])('%j reject a run of templates', async (options, what, fix) => {
		const parameters = { ...TEMPLATE, customerPhone: '+15550100200' };
		await expectRejectedRun({ options, parameters }, customers(2), what, fix);
	});

	it.each([
		{ defaultCountry: 'ZZ', attributeLineBreaks: 'no' },
		{ defaultCountry: '={{ $json.no }}', attributeLineBreaks: '={{ $json.a( }}' },
	])("%j don't concern other operations, which don't show them", async (options) => {
		const execution = await engine.run(toSend({ options }), customers(2));
		expect(execution.status).toBe('success');
		expect(engine.ledger.accepted()).toHaveLength(2);
	});

	it.each(['={{ "true" }}', '={{ true }}', 'true', true])(
		'dry run %j sends nothing',
		async (dryRun) => {
			const execution = await engine.run(toSend({ safeguards: { dryRun } }), customers(2));
			expect(execution.json()).toHaveLength(2);
			expect(execution.json()[0]).toHaveProperty('dryRun', true);
			expect(engine.ledger.entries()).toEqual([]);
		},
	);

	it('a source of attributes that is not in the list is rejected', async () => {
		const parameters = {
			operation: 'sendTemplate',
			templateId: 't',
			channelId: '1',
			customerPhone: '+15550100200',
			specifyAttributes: 'list',
		};
		const execution = await engine.run(toSend({ parameters }), customers(1));
		expect(execution.words).toContain(`'Specify Attributes' is "list"`);
		expect(engine.ledger.entries()).toEqual([]);
	});
});

describe('safeguards', () => {
	const DAY = { from: '08:00', until: '20:00' };
	const window = (more: IDataObject) => ({ allowedHours: { window: more } });

	it.each<[IDataObject, string, string]>([
		[window({ from: '8', until: '20:00' }), `'Allowed Hours' has "8" in 'From'`, 'e.g. 08:00'],
		[
			window({ from: '8:00', until: '20:60' }),
			`'Allowed Hours' has "20:60" in 'Until'`,
			'e.g. 08:00',
		],
		[
			window({ from: '8:00', until: '08:00' }),
			`'Allowed Hours' has the same time`,
			'two different times',
		],
		[
			window({ ...DAY, days: ['someday'] }),
			`'Allowed Hours' has "someday" in 'Days'`,
			'Use sunday',
		],
		[
			window({ ...DAY, timezone: 'Mars' }),
			`'Allowed Hours' has "Mars" in 'Time Zone'`,
			'Europe/Berlin',
		],
		[
			{ doNotContact: '={{ $json.missing }}' },
			`'Do Not Contact' is empty: the expression`,
			'e.g. {{ $json.unsubscribed }}',
		],
		[
			{ doNotContact: '={{ [1, 2.5] }}' },
			`'Do Not Contact' has an entry that can't be used: entry 2 (the first is 1)`,
			'',
		],
		[{ doNotContact: '+15550100200' }, `"+15550100200" is a phone number`, 'customer IDs'],
		[{ dryRun: 'yes' }, `'Dry Run' is "yes"`, 'yields true or false'],
		[{ dryRun: '={{ 1 }}' }, `'Dry Run' is "1"`, 'yields true or false'],
		[{ maxMessages: -1 }, `'Max Messages' is "-1"`, 'Use a whole number from 0 to 1000000'],
		[{ maxMessages: '={{ $json.no }}' }, `'Max Messages' is empty: the expression`, 'field'],
		[{ onUncertainDelivery: 'no' }, `'On Uncertain Delivery' is "no"`, 'resend (Resend)'],
		[{ repeatedRecipients: 'no' }, `'Repeated Recipients' is "no"`, 'sendFirst (Send First)'],
		[{ sendOnceKey: '={{ $json.no }}' }, `'Send Once Key' is empty`, 'field'],
		[{ sendOnceKey: '={{ [1, 2] }}' }, `'Send Once Key' received several values`, 'Map'],
		[{ stopAfterFailures: 1.5 }, `'Stop After Failures' is "1.5"`, 'Use a whole number from 0 to'],
		[
			{ testRecipient: '+15550100200' },
			`'Test Recipient' "+15550100200" is a phone`,
			'customer IDs',
		],
		[{ testRecipient: '={{ $json.no }}' }, `'Test Recipient' is empty: the expression`, 'field'],
	])('%j reject the run before anything is sent', async (safeguards, what, fix) => {
		await expectRejectedRun({ safeguards }, customers(2), what, fix);
	});
});

describe('a send-once key', () => {
	const withKey = (sendOnceKey: string) => ({ safeguards: { sendOnceKey } });
	const FIX = 'Check that the input item has this field';

	it.each([
		['={{ $json.orderId }}-confirmation', 'is incomplete: "{{ $json.orderId }}" found no value'],
		['={{ $json.customer }}-{{ $json.empty }}', '"{{ $json.empty }}" found no value'],
		['={{ $json.customer }}-{{ $json.blank.trim() }}', '"{{ $json.blank.trim() }}" found no value'],
		['=order-{{ $json.none.id }}', '"{{ $json.none.id }}" found no value'],
		[
			'=order-{{ $json.customer * $json.blank.length / 0 }}-{{ Number("x") }}',
			'"{{ Number("x") }}"',
		],
		['=order-{{ [] }}', '"{{ [] }}" found no value'],
		['={{ $json.empty + "-" + $json.blank.trim() }}', '"{{ $json.empty }}" found no value'],
		['={{ `k-${ $json.empty }-${$json["customer"]}` }}', '"{{ $json.empty }}" found no value'],
		['={{ "k-" + $(\'Start\').item.json["empty"] }}', 'found no value'],
		['={{ `order-${$json.orderId}` }}', 'has "undefined" in it: "order-undefined"'],
		['={{ "order_" + $json.none + "_x" }}', 'has "null" in it: "order_null_x"'],
		['={{ "order-" + $json.customer * "x" }}', 'has "NaN" in it: "order-NaN"'],
		['=order-{{ String({}) }}', 'has "[object Object]" in it'],
	])('%j is rejected', async (sendOnceKey, words) => {
		const items = customers(2).map((item) => ({ ...item, empty: '', blank: ' ', none: null }));
		const execution = await engine.run(toSend(withKey(sendOnceKey)), items);
		expect(execution.words).toContain(
			words.startsWith('"') ? `'Send Once Key' is incomplete: ${words}` : words,
		);
		expect(execution.words).toContain(FIX);
		expect(engine.ledger.entries()).toEqual([]);
	});

	it.each([
		'={{ $json.customer }}-confirmation',
		'={{ $json.customer }}{{ $json.no ? "" : 0 }}-{{ false }}',
		'={{ $json.customer }} nullable undefinedness NaNo',
		'={{ $json.customer }} \\{{ no code }}',
		'={{ $json.customer + ($json.empty || "") }}',
		'={{ $json.customer.concat($json.text.slice(0, 0), "-x") }}',
	])('%j is fine', async (sendOnceKey) => {
		const items = customers(3).map((item) => ({ ...item, empty: '' }));
		const execution = await engine.run(toSend(withKey(sendOnceKey)), items);
		expect(execution.status).toBe('success');
		expect(engine.ledger.summary().accepted).toBe(3);
	});

	it('shared by two messages that differ rejects the list', async () => {
		const key = withKey('=order-{{ $json.order }}');
		const items = customers(4).map((item, index) => ({ ...item, order: [1, 2, 3, 2][index] }));
		await expectRejectedRun(key, items, `'Send Once Key' is "order-2" for both item 1 and item 3`);
	});

	it('shared by two messages that are the same sends one of them', async () => {
		const key = withKey('=order-{{ $json.customer }}');
		const [one, two] = customers(2);
		const execution = await engine.run(toSend(key), [one, two, one]);
		expect(execution.status).toBe('success');
		expect(engine.ledger.summary().accepted).toBe(2);
	});
});

describe('an item from a message that was left uncertain', () => {
	const AGAIN = 'Again';
	const UNCERTAIN =
		'An earlier step sent this message without a clear response: the customer may already have it';

	/** The error output of one sender leads to another, with nodes between; and from there on to a third. */
	const chain = (between: string[], safeguards: IDataObject = {}) => {
		const nodes = between.map((type, index) => node(`Between ${index}`, type));
		const again = sending({ name: AGAIN, safeguards, onError: 'continueErrorOutput' });
		const third = sending({ name: 'Third', onError: 'continueErrorOutput' });
		const definition = toSend({ onError: 'continueErrorOutput' });
		const row = [...nodes, again];
		definition.nodes.push(...row, third);
		definition.connections[FAILED] = { main: [[to(row[0])]] };
		row.slice(0, -1).forEach(({ name }, index) => {
			definition.connections[name] = { main: [[to(row[index + 1])]] };
		});
		definition.connections[AGAIN] = { main: [[], [to(third)]] };
		return definition;
	};

	beforeEach(() => {
		engine.sandbox.faults.set([{ what: 'cutAfter', when: { recipient: '1001', nth: [1] } }]);
	});

	const sentTo = (recipient: string) =>
		engine.ledger.entries().filter((entry) => entry.recipient === recipient).length;

	it.each([[[]], [['test.pass']], [['test.drop']], [['test.drop', 'test.pass']]])(
		'is not sent by other nodes, with %j in between',
		async (between) => {
			const execution = await engine.run(chain(between), customers(3));
			expect(sentTo('1001')).toBe(1);
			for (const name of [AGAIN, 'Third']) {
				const [failed] = execution.json(1, name);
				expect(failed).toHaveProperty('error', UNCERTAIN);
				expect(failed).toHaveProperty('details.code', 'uncertainDelivery');
			}
		},
	);

	it('is sent if the user says so', async () => {
		const resend = { onUncertainDelivery: 'resend' };
		await engine.run(chain(['test.drop'], resend), customers(3));
		expect(sentTo('1001')).toBe(2);
	});

	it.each(['test.pass', 'test.drop'])(
		'is not sent by the node itself when its error output leads back, through %s',
		async (type) => {
			const definition = toSend({ onError: 'continueErrorOutput' }, [node('Between', type)]);
			const between = { name: 'Between' };
			definition.connections[NODE] = { main: [[], [to({ name: FAILED })]] };
			definition.connections[FAILED] = { main: [[to(between)]] };
			definition.connections.Between = { main: [[to({ name: NODE })]] };
			definition.nodes = definition.nodes.map((each) =>
				each.name === FAILED ? node(FAILED, 'test.twice') : each,
			);
			const execution = await engine.run(definition, customers(3));
			expect(execution.runs().length).toBeGreaterThan(1);
			expect(sentTo('1001')).toBe(1);
		},
	);

	it('holds no one else back in the batches of a loop', async () => {
		const spec = { onError: 'continueErrorOutput' } as const;
		const loop = node('Loop', 'test.loop', { parameters: { batchSize: 2 } });
		const definition = workflow([node('Start', 'test.start'), loop, sending(spec)], {
			Loop: { main: [[], [to({ name: NODE })]] },
			[NODE]: { main: [[to(loop)], [to(loop)]] },
		});
		await engine.run(definition, customers(6));
		expect(
			engine.ledger
				.entries()
				.map(({ recipient }) => recipient)
				.sort(),
		).toEqual(customers(6).map(({ customer }) => customer));
	});

	it('stops the run in stop mode, with the fix', async () => {
		const item = { ...customers(1)[0], error: 'x', details: { delivery: 'uncertain' } };
		const execution = await engine.run(toSend(), [item]);
		expect(execution.words).toContain(UNCERTAIN);
		expect(execution.words).toContain("set 'On Uncertain Delivery' to 'Resend'");
		expect(engine.ledger.entries()).toEqual([]);
	});

	it('says nothing about items that others have rejected or accepted', async () => {
		engine.sandbox.faults.set([
			{ what: 'status', status: 400, when: { recipient: '1001', nth: [1] } },
		]);
		const follow = workflow([
			node('Start', 'test.start'),
			sending({ onError: 'continueErrorOutput' }),
			sending({
				name: AGAIN,
				parameters: {
					customerId: "={{ $('Start').item.json.customer }}",
					text: "={{ $('Start').item.json.text }}",
				},
			}),
		]);
		follow.connections[NODE].main.push([to({ name: AGAIN })]);
		await engine.run(follow, customers(3));
		expect(engine.ledger.accepted()).toHaveLength(5);
	});
});
