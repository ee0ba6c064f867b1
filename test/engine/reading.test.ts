// First: it lets time be virtual for the node that the others load.
import { useEngine } from './engine';
import type { INodeParameters } from 'n8n-workflow';
import { WorkflowExpression } from 'n8n-workflow';

import type { Sending } from './workflows';
import { agent, customers, FAILED, looped, node, NODE, sending, to, toSend } from './workflows';

const engine = useEngine();
const ERROR_OUTPUT: Sending = { onError: 'continueErrorOutput' };

it.each([
	{ defaultCountry: 'ZZ', attributeLineBreaks: 'no' },
	{ defaultCountry: '={{ $json.no }}', attributeLineBreaks: '={{ $json.a( }}' },
])("%j don't concern other operations, which don't show them", async (options) => {
	await engine.run(toSend({ options }), customers(2));
	expect(engine.accepted()).toHaveLength(2);
});

describe('a send-once key', () => {
	const items = customers(2).map((item) => ({ ...item, empty: '', spaces: ' ', none: null }));

	it.each`
		key                                                       | words
		${'={{ $json.orderId }}-confirmation'}                    | ${'is incomplete: "{{ $json.orderId }}" found no value'}
		${'={{ $json.customer }}-{{ $json.empty }}'}              | ${'"{{ $json.empty }}" found no value'}
		${'={{ $json.customer }}-{{ $json.spaces.trim() }}'}      | ${'"{{ $json.spaces.trim() }}" found no value'}
		${'=order-{{ $json.none.id }}'}                           | ${'"{{ $json.none.id }}" found no value'}
		${'=order-{{ $json.customer / 0 }}-{{ Number("x") }}'}    | ${'"{{ Number("x") }}"'}
		${'=order-{{ [] }}'}                                      | ${'"{{ [] }}" found no value'}
		${'={{ $json.empty + "-" + $json.spaces.trim() }}'}       | ${'"{{ $json.empty }}" found no value'}
		${'={{ `k-${ $json.empty }-${$json["customer"]}` }}'}     | ${'"{{ $json.empty }}" found no value'}
		${'={{ "k-" + $(\'Start\').item.json["empty"] }}'}        | ${'found no value'}
		${'={{ `order-${$json.orderId}` }}'}                      | ${'has "undefined" in it: "order-undefined"'}
		${'={{ "order_" + $json.none + "_x" }}'}                  | ${'has "null" in it: "order_null_x"'}
		${'={{ "order-" + $json.customer * "x" }}'}               | ${'has "NaN" in it: "order-NaN"'}
		${'=order-{{ String({}) }}'}                              | ${'has "[object Object]" in it'}
		${'={{ $json.customer }}-confirmation'}                   | ${''}
		${'={{ $json.customer }}{{ $json.no ? "" : 0 }}'}         | ${''}
		${'={{ $json.customer }} nullable undefinedness NaNo'}    | ${''}
		${'={{ $json.customer }} \\{{ no code }}'}                | ${''}
		${'={{ $json.customer + ($json.empty || "") }}'}          | ${''}
		${'={{ $json.customer.concat($json.text.slice(0, 0)) }}'} | ${''}
	`('$key: $words', async ({ key, words }: { key: string; words: string }) => {
		const execution = await engine.run(toSend({ safeguards: { sendOnceKey: key } }), items);
		expect(execution.status).toBe(words === '' ? 'success' : 'error');
		expect(execution.words).toContain(words);
		expect(engine.received()).toHaveLength(words === '' ? 2 : 0);
	});
});

describe('an item from a message that was left uncertain', () => {
	const UNCERTAIN =
		'An earlier step sent this message without a clear response: the customer may already have it';
	/** Customer 1001 is uncertain. */
	beforeEach(() => engine.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 2 } }]));
	const timesSent = () => engine.received().filter((recipient) => recipient === '1001').length;

	/** The error output leads through other nodes to another one that sends, and from there on to a third. */
	const chain = (between: string[], again: Sending = {}) => {
		const flow = toSend(ERROR_OUTPUT);
		const row = between.map((type, index) => node(`Between ${index}`, type));
		row.push(sending({ ...ERROR_OUTPUT, ...again, name: 'Again' }));
		const third = sending({ ...ERROR_OUTPUT, name: 'Third' });
		flow.nodes.push(...row, third);
		[{ name: FAILED }, ...row.slice(0, -1)].forEach(({ name }, index) => {
			flow.connections[name] = { main: [[to(row[index])]] };
		});
		flow.connections.Again = { main: [[], [to(third)]] };
		return flow;
	};

	it.each([[[]], [['test.pass']], [['test.drop']], [['test.drop', 'test.pass']]])(
		'is not sent by other nodes, with %j in between, until the user chooses to resend',
		async (between) => {
			const execution = await engine.run(chain(between), customers(3));
			expect(timesSent()).toBe(1);
			for (const name of ['Again', 'Third']) {
				const details = { code: 'uncertainDelivery' };
				expect(execution.json(1, name)).toMatchObject([{ error: UNCERTAIN, details }]);
			}
			const safeguards = { onUncertainDelivery: 'resend' };
			engine.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 2 } }]);
			await engine.run(chain(between, { safeguards }), customers(3));
			expect(timesSent()).toBe(3);
		},
	);

	it.each(['test.pass', 'test.drop'])(
		'is not sent by the node itself when its error output leads back, through %s',
		async (type) => {
			const flow = toSend(ERROR_OUTPUT, [node('Between', type)]);
			flow.connections[NODE] = { main: [[], [to({ name: FAILED })]] };
			flow.connections[FAILED] = { main: [[to({ name: 'Between' })]] };
			flow.connections.Between = { main: [[to({ name: NODE })]] };
			flow.nodes = flow.nodes.filter(({ name }) => name !== FAILED);
			flow.nodes.push(node(FAILED, 'test.twice'));
			const execution = await engine.run(flow, customers(3));
			expect(execution.runs().length).toBeGreaterThan(1);
			expect(timesSent()).toBe(1);
		},
	);

	it('holds no one else back in the batches of a loop', async () => {
		const flow = looped(ERROR_OUTPUT, 2);
		flow.connections[NODE].main.push([to({ name: 'Loop' })]);
		await engine.run(flow, customers(6));
		expect(engine.received().sort()).toEqual(customers(6).map(({ customer }) => customer));
	});

	it('says nothing about items that were rejected or accepted', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 2 } }]);
		const ofStart = (field: string) => `={{ $('Start').item.json.${field} }}`;
		const parameters = { customerId: ofStart('customer'), text: ofStart('text') };
		const again = sending({ name: 'Again', parameters });
		const flow = toSend(ERROR_OUTPUT, [again]);
		flow.connections[NODE] = { main: [[to(again)], [to(again)]] };
		await engine.run(flow, customers(3));
		expect(engine.accepted()).toHaveLength(5);
	});
});

/** How many expressions n8n evaluates meanwhile. */
async function evaluations(work: () => Promise<unknown>): Promise<number> {
	const evaluate = jest.spyOn(WorkflowExpression.prototype, 'resolveSimpleParameterValue');
	await work();
	const count = evaluate.mock.calls.filter(([value]) => String(value).startsWith('=')).length;
	evaluate.mockRestore();
	return count;
}

describe('n8n evaluates', () => {
	const items = customers(10).map((item, index) => {
		return { ...item, name: 'Ada', 'a b': [{ c: 1 }], odd: index === 3 ? {} : 'x' };
	});

	it.each`
		what                                     | times | parameters                                                                                                            | sent
		${'no plain path and no fixed value'}    | ${0}  | ${{ customerId: "={{ $('Start').item.json['customer'] }}", text: '=Dear {{ $json.name }}, {{ $json["a b"][0].c }}' }} | ${10}
		${'other expressions, once per item'}    | ${10} | ${{ customerId: '={{ $json.customer.trim() }}' }}                                                                     | ${10}
		${'a path where its value is not plain'} | ${1}  | ${{ text: '={{ $json.odd }}' }}                                                                                       | ${9}
	`('$what', async ({ times, parameters, sent }) => {
		const flow = toSend({
			parameters: parameters as INodeParameters,
			onError: 'continueRegularOutput',
		});
		expect(await evaluations(async () => await engine.run(flow, items))).toBe(times);
		expect(engine.accepted()).toHaveLength(Number(sent));
	});

	it('everything of a tool', async () => {
		const parameters = { customerId: '={{ $json.customer }}', text: '={{ $json.text }}' };
		const run = async () => await engine.run(agent('test.agent', { parameters }), customers(1));
		expect(await evaluations(run)).toBe(2);
	});
});
