import type { IDataObject } from 'n8n-workflow';

import { useEngine } from './engine';
import { customers, FAILED, looped, node, NODE, sending, to, toSend, workflow } from './workflows';

const engine = useEngine();

describe('options', () => {
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
});

describe('a send-once key', () => {
	const withKey = (sendOnceKey: string) => ({ safeguards: { sendOnceKey } });
	const FIX = 'Check that the input item has this field';

	it.each([
		['={{ $json.orderId }}-confirmation', 'is incomplete: "{{ $json.orderId }}" found no value'],
		['={{ $json.customer }}-{{ $json.empty }}', '"{{ $json.empty }}" found no value'],
		[
			'={{ $json.customer }}-{{ $json.spaces.trim() }}',
			'"{{ $json.spaces.trim() }}" found no value',
		],
		['=order-{{ $json.none.id }}', '"{{ $json.none.id }}" found no value'],
		[
			'=order-{{ $json.customer * $json.spaces.length / 0 }}-{{ Number("x") }}',
			'"{{ Number("x") }}"',
		],
		['=order-{{ [] }}', '"{{ [] }}" found no value'],
		['={{ $json.empty + "-" + $json.spaces.trim() }}', '"{{ $json.empty }}" found no value'],
		['={{ `k-${ $json.empty }-${$json["customer"]}` }}', '"{{ $json.empty }}" found no value'],
		['={{ "k-" + $(\'Start\').item.json["empty"] }}', 'found no value'],
		['={{ `order-${$json.orderId}` }}', 'has "undefined" in it: "order-undefined"'],
		['={{ "order_" + $json.none + "_x" }}', 'has "null" in it: "order_null_x"'],
		['={{ "order-" + $json.customer * "x" }}', 'has "NaN" in it: "order-NaN"'],
		['=order-{{ String({}) }}', 'has "[object Object]" in it'],
	])('%j is rejected', async (sendOnceKey, words) => {
		const items = customers(2).map((item) => ({ ...item, empty: '', spaces: ' ', none: null }));
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
		const definition = looped({ onError: 'continueErrorOutput' }, 2);
		definition.connections[NODE].main.push([to({ name: 'Loop' })]);
		await engine.run(definition, customers(6));
		expect(
			engine.ledger
				.entries()
				.map(({ recipient }) => recipient)
				.sort(),
		).toEqual(customers(6).map(({ customer }) => customer));
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
