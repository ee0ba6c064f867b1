// First: it lets time be virtual for the node that the others load.
import { useEngine } from './engine';
import type {
	IConnections,
	IDataObject,
	INode,
	INodeParameters,
	IWorkflowBase,
} from 'n8n-workflow';
import { WorkflowDataProxy, WorkflowExpression } from 'n8n-workflow';

import type { FaultRule } from '../../sandbox/index.cts';
import type { Sending } from './workflows';
import * as flows from './workflows';
import { customers, node, NODE, sending, TEMPLATE, to, toSend } from './workflows';

const engine = useEngine();

interface AlertRow {
	left: INodeParameters;
	between: string[];
	alert: INodeParameters;
	failures: number;
	sent: number;
}
const ERROR_OUTPUT: Sending = { onError: 'continueErrorOutput' };

it.each([
	{ defaultCountry: 'ZZ', attributeLineBreaks: 'no' },
	{ defaultCountry: '={{ $json.no }}', attributeLineBreaks: '={{ $json.a( }}' },
])("%j don't concern other operations, which don't show them", async (options) => {
	await engine.run(toSend({ options }), customers(2));
	expect(engine.accepted()).toHaveLength(2);
});

it("what is left in 'Default Country' of another operation isn't read", async () => {
	await engine.run(toSend({ options: { defaultCountry: 'Narnia' } }), customers(1));
	expect(engine.received()).toHaveLength(1);
});

it('a list that the first item has, and the second one has not, rejects the run', async () => {
	const doNotContact = '={{ $json.list ?? $("Nowhere").first().json.list }}';
	const items = customers(2).map((item, index) => (index === 0 ? { ...item, list: [] } : item));
	const execution = await engine.run(toSend({ safeguards: { doNotContact } }), items);
	expect(execution.words).toContain("'Do Not Contact' couldn't be read");
	expect(engine.received()).toEqual([]);
});

it('an item is an item whatever it has in it', async () => {
	const reason = 'testRun';
	const items = [{ customer: '1' }, { skipped: true }, { skipped: true, reason }, { reason }];
	const flow = toSend({ onError: 'continueRegularOutput' });
	const execution = await engine.run(flow, [...items, undefined as never]);
	const fixes = execution.json().map(({ details }) => (details as { fix: string }).fix);
	const SKIPPED = expect.stringMatching(/^An earlier step skipped this item/) as string;
	const CHECK = 'Check that the input item has that field';
	expect(fixes).toEqual([CHECK, CHECK, SKIPPED, CHECK, CHECK]);
});

it.each(['', '='])("n8n leaves the variables of 'Template Text' alone: %s", async (prefix) => {
	const attributes = { attribute: [{ value: '={{ $json.name }}' }] };
	const parameters = { ...TEMPLATE, attributes };
	const options = { templateText: `${prefix}Hi {{1}}, bye {{1}}.` };
	const flow = toSend({ parameters, options, safeguards: { dryRun: true } });
	const execution = await engine.run(flow, [{ phone: '+15550100200', name: 'Ada' }]);
	expect(execution.json()).toMatchObject([{ dryRun: true, text: 'Hi Ada, bye Ada.' }]);
});

describe('a send-once key', () => {
	const more = { empty: '', spaces: ' ', none: null, list: [], big: 2 ** 53, name: 'Null' };
	const items = customers(2).map((item) => ({ ...item, ...more }));

	it.each`
		key                                                    | words
		${'={{ $json.customer }}-{{ $json.empty }}'}           | ${'is incomplete: "{{ $json.empty }}" found no value'}
		${'=order-{{ $json.none }}'}                           | ${'"{{ $json.none }}" found no value'}
		${'={{ $json.customer }}{{ $json["spaces"] }}'}        | ${'found no value'}
		${'=order-{{ $json.list }}'}                           | ${'"{{ $json.list }}" found no value'}
		${"=order-{{ $('Start').item.json.orderId }}"}         | ${'found no value'}
		${'={{ $json.customer }}-{{ $json.big }}'}             | ${'"9007199254740992" is too large for a number'}
		${'={{ $json.customer }}-{{ $json.orderId ?? "" }}'}   | ${''}
		${'={{ $json.customer }}-{{ $json.name }}-undefined'}  | ${''}
		${'={{ $json.customer + "-" + $json.none }}'}          | ${''}
		${'={{ $json.customer }}{{ $json.orderId ? "" : 0 }}'} | ${''}
		${'={{ $json.customer }} \\{{ $json.orderId }}'}       | ${''}
		${'=$json.none {{ $json.customer }}'}                  | ${''}
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

	const ofStart = (field: string) => `={{ $('Start').item.json.${field} }}`;
	const OF_START = { customerId: ofStart('customer'), text: ofStart('text') };

	/** Nodes in a row, each at the error output of those that send. */
	const flowOf = (nodes: INode[], more?: IConnections, parameters?: INodeParameters) => {
		const first = sending({ ...ERROR_OUTPUT, parameters });
		const flow = flows.workflow([node('Start', 'test.pass'), first, ...nodes], more);
		for (const name of [NODE, 'Again']) flow.connections[name]?.main.unshift([]);
		return flow;
	};
	const nodesOf = (types: string[]) => types.map((type) => node(type, type));

	it.each([[[]], [['test.drop', 'test.pass']]])(
		'is not sent by other nodes, with %j in between, until the user chooses to resend',
		async (between) => {
			const chain = (again: Sending = {}) =>
				flowOf([
					...nodesOf(between),
					sending({ ...ERROR_OUTPUT, ...again, name: 'Again' }),
					sending({ ...ERROR_OUTPUT, name: 'Third' }),
				]);
			const execution = await engine.run(chain(), customers(3));
			expect(timesSent()).toBe(1);
			for (const name of ['Again', 'Third']) {
				const details = { code: 'uncertainDelivery' };
				expect(execution.json(1, name)).toMatchObject([{ error: UNCERTAIN, details }]);
			}
			engine.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 2 } }]);
			await engine.run(chain({ safeguards: { onUncertainDelivery: 'resend' } }), customers(3));
			expect(timesSent()).toBe(3);
		},
	);

	it.each(['test.pass', 'test.drop'])(
		'is not sent by the node itself when its error output leads back, through %s',
		async (type) => {
			const back = { 'test.twice': { main: [[to({ name: NODE })]] } };
			const flow = flowOf(nodesOf([type, 'test.twice']), back);
			// What is not in the loop comes first, at the success output.
			flow.nodes.push(node('After', 'test.pass'));
			flow.connections[NODE].main[0] = [to({ name: 'After' })];
			const execution = await engine.run(flow, customers(3));
			expect(execution.runs().length).toBeGreaterThan(1);
			expect(timesSent()).toBe(1);
		},
	);

	it('is sent again by choice, though Repeated Recipients sends only the first message', async () => {
		const safeguards = { onUncertainDelivery: 'resend', repeatedRecipients: 'sendFirst' };
		const back = { 'test.twice': { main: [[to({ name: NODE })]] } };
		await engine.run(flowOf(nodesOf(['test.twice']), back, { safeguards }), customers(3));
		expect(timesSent()).toBe(2);
	});

	it.each([3, 4])(
		'is not sent again after a node that leaves no pairs, of %i items',
		async (count) => {
			const recipients = customers(count).map(({ customer }) => String(customer));
			engine.sandbox.faults.set([
				{ what: 'status', status: 400, when: { recipient: '1000' } },
				{ what: 'cutAfter', when: { recipient: recipients.slice(1) } },
			]);
			const again = sending({ ...ERROR_OUTPUT, name: 'Again' });
			await engine.run(flowOf([...nodesOf(['test.filter']), again]), customers(count));
			expect(engine.received().sort()).toEqual(recipients);
		},
	);

	it('is not looked for in the data of each item while nothing is uncertain', async () => {
		engine.sandbox.faults.clear();
		const parameters = { customerId: '7', text: 'Look' };
		const again = sending({ name: 'Again', parameters });
		const flow = flows.workflow([node('Start', 'test.pass'), sending(), again]);
		const proxy = jest.spyOn(WorkflowDataProxy.prototype, 'getDataProxy');
		const counts: number[] = [];
		for (const count of [2, 20]) {
			proxy.mockClear();
			await engine.run(flow, customers(count));
			counts.push(proxy.mock.calls.length);
		}
		expect(counts[1]).toBe(counts[0]);
	});

	const WELCOME = { customerPhone: '={{ $json.phone }}' };
	/** Says what a text can say, too. */
	const LOOK = { attribute: [{ value: 'Look' }] };
	const OF_TEXT = { attributes: LOOK, options: { templateText: '{{1}}' } };
	it.each`
		left                          | between               | alert                                            | failures | sent
		${{}}                         | ${[]}                 | ${{ customerId: '7', text: 'Look' }}             | ${1}     | ${1}
		${{}}                         | ${[]}                 | ${{ customerId: '1000', text: 'Look' }}          | ${1}     | ${0}
		${{}}                         | ${[]}                 | ${{ customerId: '7', text: '={{ "" }}' }}        | ${1}     | ${0}
		${{}}                         | ${[]}                 | ${{ customerPhone: '+15550100200' }}             | ${1}     | ${1}
		${WELCOME}                    | ${[]}                 | ${{ customerId: '7', text: 'Look' }}             | ${2}     | ${2}
		${WELCOME}                    | ${[]}                 | ${{ customerPhone: '+15550101000' }}             | ${1}     | ${0}
		${WELCOME}                    | ${['test.aggregate']} | ${{ customerId: '7', text: 'Look' }}             | ${2}     | ${1}
		${WELCOME}                    | ${['test.aggregate']} | ${{ customerPhone: '+15550101000' }}             | ${1}     | ${0}
		${{ ...WELCOME, ...OF_TEXT }} | ${[]}                 | ${{ customerId: '7', text: 'Look' }}             | ${1}     | ${0}
		${{ ...WELCOME, ...OF_TEXT }} | ${[]}                 | ${{ customerId: '7', text: 'Call' }}             | ${1}     | ${1}
		${{ text: 'Look' }}           | ${[]}                 | ${{ customerPhone: '+15550100200', ...OF_TEXT }} | ${1}     | ${0}
		${{ text: 'Call' }}           | ${[]}                 | ${{ customerPhone: '+15550100200', ...OF_TEXT }} | ${1}     | ${1}
	`(
		'an alert, $alert, after $failures of $left, with $between in between: $sent are sent',
		async ({ left, between, alert, failures, sent }: AlertRow) => {
			const items = customers(failures).map((item): IDataObject => {
				return { ...item, phone: `+1555010${String(item.customer)}` };
			});
			const recipient = items.map((item) =>
				String(left.customerPhone ? item.phone : item.customer),
			);
			engine.sandbox.faults.set([{ what: 'cutAfter', when: { recipient } }]);
			const of = (parameters: INodeParameters) =>
				parameters.customerPhone ? { ...TEMPLATE, ...parameters } : parameters;
			const again = sending({ ...ERROR_OUTPUT, name: 'Again', parameters: of(alert) });
			const execution = await engine.run(flowOf([...nodesOf(between), again], {}, of(left)), items);
			expect(execution.status).toBe('success');
			expect(engine.received()).toHaveLength(failures + sent);
		},
	);

	it('is known to an alert after a node that has rejected it', async () => {
		const again = sending({ ...ERROR_OUTPUT, name: 'Again' });
		const parameters = { customerId: '7', text: 'Look' };
		const alert = sending({ ...ERROR_OUTPUT, name: 'Alert', parameters });
		await engine.run(flowOf([again, alert]), customers(3));
		expect(engine.received()).toContain('7');
	});

	it('holds no one else back in the batches of a loop', async () => {
		const flow = flows.looped(ERROR_OUTPUT, 2);
		flow.connections[NODE].main.push([to({ name: 'Loop' })]);
		await engine.run(flow, customers(6));
		expect(engine.received().sort()).toEqual(customers(6).map(({ customer }) => customer));
	});

	it('is not sent after a node that has sent all of its own', async () => {
		engine.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 5 } }]);
		const second = sending({ ...ERROR_OUTPUT, name: 'Again', parameters: OF_START });
		const third = sending({ ...ERROR_OUTPUT, name: 'Third', parameters: OF_START });
		const flow = flows.workflow([node('Start', 'test.pass'), sending(), second, third]);
		flow.connections.Again.main.unshift([]);
		await engine.run(flow, customers(3));
		expect(timesSent()).toBe(2);
	});

	it.each([3, 1])('is not sent where an earlier execution left %i of 3 uncertain', async (left) => {
		engine.sandbox.faults.set([{ what: 'cutAfter' }]);
		const details = { delivery: 'uncertain' };
		const again = sending({ ...ERROR_OUTPUT, name: 'Again', parameters: OF_START });
		const items = customers(3).map((item, index) => (index < left ? { ...item, details } : item));
		await engine.run(flowOf([...nodesOf(['test.drop']), again]), items);
		const sent = items.slice(left).map(({ customer }) => customer);
		expect(engine.received().sort()).toEqual(sent);
	});

	it('is not sent where another node before it has not run', async () => {
		const again = sending({ ...ERROR_OUTPUT, name: 'Again' });
		const flow = flowOf([again]);
		flow.nodes.push(sending({ name: 'Never' }));
		flow.connections.Never = { main: [[to(again)]] };
		const execution = await engine.run(flow, customers(3));
		expect(execution.json(1, 'Again')).toMatchObject([{ error: UNCERTAIN }]);
		expect(timesSent()).toBe(1);
	});

	it('keeps no other message from the same customer', async () => {
		const flow = flows.looped(ERROR_OUTPUT, 1);
		flow.connections[NODE].main.push([to({ name: 'Loop' })]);
		await engine.run(
			flow,
			customers(3).map((item) => ({ ...item, customer: '1001' })),
		);
		expect(engine.received()).toEqual(['1001', '1001', '1001']);
	});

	it('is no reason for Retry On Fail to leave out an equal item of the list', async () => {
		const rules: FaultRule[] = [
			{ what: 'cutAfter', when: { nth: 1 } },
			{ what: 'status', status: 400, when: { nth: 2 } },
		];
		engine.sandbox.faults.set(rules);
		const [item] = customers(1);
		const flow = toSend({ ...flows.ONE_BY_ONE, onError: 'continueRegularOutput', tries: 2 });
		await engine.run(flow, [item, item]);
		expect(engine.received()).toHaveLength(3);
	});

	it('is not sent by the second run of a node that two branches lead to', async () => {
		const other = node('Other', 'test.pass');
		const flow = flowOf([other]);
		flow.connections = {
			Start: { main: [[to({ name: NODE }), to(other)]] },
			Other: { main: [[to({ name: NODE })]] },
		};
		const execution = await engine.run(flow, customers(3));
		expect(execution.runs()).toHaveLength(2);
		expect(timesSent()).toBe(1);
	});

	it('says nothing about items that were rejected or accepted', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 2 } }]);
		const again = sending({ name: 'Again', parameters: OF_START });
		const flow = flowOf([again]);
		flow.connections[NODE].main[0]?.push(to(again));
		await engine.run(flow, customers(3));
		expect(engine.accepted()).toHaveLength(5);
	});
});

const toRead = (parameters: INodeParameters, safeguards: INodeParameters = {}) =>
	toSend({ parameters, safeguards, onError: 'continueRegularOutput' });
const OF_ITEM = {
	customerId: "={{ $('Start').item.json['customer'] }}",
	text: '=Dear {{ $json.name }}, {{ $json["a b"][0].c }}',
};

it.each`
	what                                     | times | flow                                                                                               | recipients
	${'no plain path and no fixed value'}    | ${0}  | ${toRead(OF_ITEM, { sendOnceKey: '=a-{{ $json.customer }}' })}                                     | ${10}
	${'other expressions, once per item'}    | ${10} | ${toRead({ customerId: '={{ $json.customer.trim() }}' })}                                          | ${10}
	${'a path where its value is not plain'} | ${1}  | ${toRead({ text: '={{ $json.odd }}' })}                                                            | ${9}
	${'everything of a tool'}                | ${10} | ${flows.agent('test.engineAgent', { parameters: { customerId: '7', text: '={{ $json.name }}' } })} | ${1}
`(
	'n8n evaluates $what',
	async ({ times, flow, recipients }: Record<string, number> & { flow: IWorkflowBase }) => {
		const items = customers(10).map((item, index) => {
			return { ...item, name: 'Ada', 'a b': [{ c: 1 }], odd: index === 3 ? {} : 'x' };
		});
		const evaluate = jest.spyOn(WorkflowExpression.prototype, 'resolveSimpleParameterValue');
		await engine.run(flow, items);
		const expressions = evaluate.mock.calls.filter(([value]) => String(value).startsWith('='));
		expect(expressions).toHaveLength(times);
		expect(new Set(engine.accepted()).size).toBe(recipients);
	},
);
