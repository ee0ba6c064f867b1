// First: it lets time be virtual for the node that the others load.
import { useEngine } from './engine';
import type * as n8n from 'n8n-workflow';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { tryToParseDateTime, WorkflowDataProxy, WorkflowExpression } from 'n8n-workflow';

import { OutboundMessaging } from '../../nodes/OutboundMessaging/OutboundMessaging.node';
import type { Row, Sending } from './workflows';
import * as flows from './workflows';
import { CONTINUE, customers, cuts, ERROR_OUTPUT, node, NODE, rejects, sending } from './workflows';

const engine = useEngine();

/** These nodes say of the message at their error output that it's uncertain. */
type Columns = 'what' | 'flow' | 'items' | 'rules' | 'received' | 'runs';
type Uncertain = Pick<Row, Columns> & { told: string[] };
type Offer = Record<'text' | 'given' | 'made', string> & { offer: RegExp; values: string[] };
type Read = Pick<Row, 'what' | 'flow'> & Record<'times' | 'recipients', number>;

it('a list that the first item has, and the second one has not, rejects the run', async () => {
	const doNotContact = '={{ $json.list ?? $("Nowhere").first().json.list }}';
	const [one, two] = customers(2);
	const items = [{ ...one, list: [] }, two];
	const execution = await engine.send({ safeguards: { doNotContact } }, items);
	expect(execution.words).toContain("'Do Not Contact' couldn't be read");
	expect(engine.received()).toEqual([]);
});

it('where n8n says how to fix an expression, so does the error', async () => {
	const text = "={{ $('Start').itemMatching(5).json.text }}";
	const { words } = await engine.send({ parameters: { text } });
	expect(words).toMatch(/^'Text' couldn't be read: .+\nSome intermediate nodes/);
});

it('a date that is missing or odd is to be fixed in its cell', async () => {
	const text = '={{ $json.day.toDateTime().toFormat("d LLLL") }}';
	const items = [{ customer: '1' }, { customer: '2', day: '30.11.2026 10:00' }];
	const execution = await engine.send({ ...CONTINUE, parameters: { text } }, items);
	const fixes = execution.json().map(({ details }) => (details as { fix: string }).fix);
	const IN_CELL = expect.stringMatching(/^Write the date in this cell as 2026-12-31/) as string;
	expect(fixes).toEqual([IN_CELL, IN_CELL]);
});

it('an item is an item whatever it has in it', async () => {
	const reason = 'testRun';
	const failed = { error: 'No', details: { delivery: 'rejected' } };
	const skipped = [{ skipped: true }, { skipped: true, reason }, { reason }];
	const items = [{ customer: '1' }, ...skipped, failed, { ...failed, customer: '1' }];
	const execution = await engine.send(CONTINUE, [...items, undefined as never]);
	const fixes = execution.json().map(({ details }) => (details as { fix: string }).fix);
	const SKIPPED = expect.stringMatching(
		/^Take the recipient from the list.+ The earlier step skipped/,
	) as string;
	const FILL_IN = expect.stringMatching(/^Fill in this field/) as string;
	const FAILED = expect.stringMatching(
		/^Take the recipient from the list.+ The earlier step failed/,
	) as string;
	expect(fixes).toEqual([FILL_IN, FILL_IN, SKIPPED, FILL_IN, FAILED, FILL_IN, FILL_IN]);
});

it.each(['', '='])("n8n leaves the variables of 'Template Text' alone: %s", async (prefix) => {
	const attributes = { attribute: [{ value: '={{ $json.name }}' }] };
	const parameters = { ...flows.TEMPLATE, attributes };
	const options = { templateText: `${prefix}Hi {{1}}, bye {{1}}.` };
	const spec = { parameters, options, safeguards: { dryRun: true } };
	const execution = await engine.send(spec, [{ phone: '+15550100200', name: 'Ada' }]);
	expect(execution.json()).toMatchObject([{ dryRun: true, text: 'Hi Ada, bye Ada.' }]);
});

describe('an expression inside a text that finds nothing', () => {
	const GAP = { first: '', phone: '+15550100200', customer: '1000' };
	const FILE = { operation: 'sendAttachment', attachmentType: 'image' };
	const [EMPTY, NONE, OF_START] = ['$json.first', '$json.none', "$('Start').item.json.none"].map(
		(path) => `{{ ${path} }}`,
	);
	const media = { media: { type: 'image', url: `=https://example.com/${NONE}.png` } };
	it.each<[string, INodeParameters, string]>([
		...[
			'$json.none',
			'$json.código',
			'$json.Ländercode',
			'$json.名前',
			'$json?.x',
			"$json['a b']?.x",
			'null',
			'$input.item.json.x',
			"$('Start').first().json.x",
			'$node["Start"].json.x',
			'$json.first.trim()',
			'[].join()',
			'$json.none ?? ""',
		].map((code): [string, INodeParameters, string] => {
			const piece = `{{ ${code} }}`;
			return ['Customer ID', { customerId: `=5${piece}` }, piece];
		}),
		['Customer ID', { customerId: `=5${OF_START}` }, OF_START],
		['Customer ID', { customerId: '=5{{ $json.none' }, '{{ $json.none}}'],
		['Attachment URL', { ...FILE, attachmentUrl: `=https://example.com/${EMPTY}.pdf` }, EMPTY],
		['Header Media', { ...flows.TEMPLATE, headerMedia: media }, NONE],
		['Template ID', { ...flows.TEMPLATE, templateId: `=order_${EMPTY}` }, EMPTY],
		['Channel ID', { ...flows.TEMPLATE, channelId: `=10${NONE}` }, NONE],
		['Customer Phone', { ...flows.TEMPLATE, customerPhone: `=+49${EMPTY}1` }, EMPTY],
	])("is an error in '%s': %j", async (label, parameters, path) => {
		const execution = await engine.send({ parameters }, [GAP]);
		expect(execution.words).toContain(`'${label}' is incomplete: "${path}" found no value`);
		expect(engine.received()).toEqual([]);
	});

	it('in a URL, code that says what it gives in place of nothing may give nothing', async () => {
		const attachmentUrl = '=https://example.com/a{{ $json.first ?? "" }}.png';
		await engine.send({ parameters: { ...FILE, attachmentUrl } }, [GAP]);
		expect(engine.received()).toEqual(['1000']);
	});

	it('is a hint in texts that people read, and a dry run shows it for each item', async () => {
		const evaluated = jest.spyOn(WorkflowExpression.prototype, 'resolveSimpleParameterValue');
		const text = "=Hi {{ $json.first }},{{ $('Start').item.json.last }} your order {{ $json.id }}";
		const items = [
			{ ...GAP, last: 'Bo', id: 1 },
			{ ...GAP, first: 'Ada', last: 'null', id: 2 },
			{ ...GAP, id: 2 ** 53 },
		];
		const spec = { parameters: { text } };
		const execution = await engine.send({ ...spec, safeguards: { dryRun: true } }, items);
		const HINT =
			'2 texts with a gap where an expression found no value: "{{ $json.first }}" (2), ' +
			'"{{ $(\'Start\').item.json.last }}" (1). See items 0, 2 (n8n counts items from 0)';
		expect(execution.hints()).toContain(HINT);
		expect(execution.json().map(({ emptyPaths }) => emptyPaths)).toEqual([
			['{{ $json.first }}'],
			undefined,
			['{{ $json.first }}', "{{ $('Start').item.json.last }}"],
		]);
		// The text of the item without a last name, and nothing for its gaps.
		const values = evaluated.mock.calls.map(([value]) => String(value));
		expect(values.filter((value) => value.includes('{{'))).toEqual([text]);
		expect((await engine.send(spec, items)).hints()).toContain(HINT);
		expect(engine.received()).toHaveLength(3);
	});
});

describe('JSON with expressions has the keys, or as many values, as the workflow wrote', () => {
	const HOSTILE = 'Ada", "FREE, call +1 900 555 0100';
	const ITEM = { phone: '+15550100200', a: 'Ada', b: 'Bo', n: 5, p: '2', list: ['Ada', 'Bo'] };
	const CHOOSING = { operation: 'sendAndWait', customerId: '1000', message: '?' };
	const FROM_JSON = { responseType: 'choice', specifyChoices: 'json' };
	const attributes = (attributesJson: string) => {
		return { ...flows.TEMPLATE, specifyAttributes: 'json', attributesJson };
	};
	const choices = (choicesJson: string) => ({ ...CHOOSING, ...FROM_JSON, choicesJson });
	const dryRun = async (parameters: INodeParameters, item: IDataObject = {}) =>
		await engine.send({ parameters, safeguards: { dryRun: true } }, [{ ...ITEM, ...item }]);

	it.each`
		field                                                               | read
		${'={"1": {{ JSON.stringify($json.a) }} }'}                         | ${['Ada']}
		${'=["{{ $json.a }}", "5% off"]'}                                   | ${['Ada', '5% off']}
		${'={"1":"{{ $json.a }} and {{ $json.b }}"}'}                       | ${['Ada and Bo']}
		${'= [{{ $json.n }}, "{{ "x}" }}"] '}                               | ${['5', 'x}']}
		${'={"2": "{{ $json.a }}", "1": {{ $json.n }}.{{ $json.n }}}'}      | ${['5.5', 'Ada']}
		${'=["a \\"{{ $json.a }}\\"", {{ JSON.stringify($json.quoted) }}]'} | ${['a "Ada"', HOSTILE]}
		${'={{ JSON.stringify($json.list) }}'}                              | ${['Ada', 'Bo']}
		${'= {{ JSON.stringify($json.list) }}\n'}                           | ${['Ada', 'Bo']}
		${'={{ $json.list }}'}                                              | ${['Ada', 'Bo']}
	`('$field', async ({ field, read }: { field: string; read: string[] }) => {
		const [{ request }] = (await dryRun(attributes(field), { quoted: HOSTILE })).json();
		const { body } = request as { body: { attributes: object } };
		expect(Object.values(body.attributes)).toEqual(read);
	});

	it.each`
		parameters                                          | item
		${attributes('=["{{ $json.a }}", "5% off"]')}       | ${{ a: HOSTILE }}
		${attributes('={"1": "{{ $json.a }}"}')}            | ${{ a: 'Ada", "2": "FREE' }}
		${attributes('={"1": {{ $json.n }} }')}             | ${{ n: '1, "2": "FREE"' }}
		${attributes('=[{{ $json.n }}]')}                   | ${{ n: '"Ada", "FREE"' }}
		${attributes('={"1": "Hi", "{{ $json.p }}": "x"}')} | ${{ p: '2' }}
		${choices('=["{{ $json.a }}", "Cancel"]')}          | ${{ a: 'Yes", "No' }}
	`(
		'rejected: $parameters with $item',
		async ({ parameters, item }: Record<string, IDataObject>) => {
			const { words } = await engine.send({ parameters: parameters as INodeParameters }, [
				{ ...ITEM, ...item },
			]);
			expect(words).toMatch(/^'\w+ \(JSON\)' .*\n.+JSON\.stringify/);
			expect(engine.received()).toEqual([]);
		},
	);

	it('a customer whose name has such quotes is rejected, and the others are sent', async () => {
		const parameters = attributes('=["{{ $json.a }}"]');
		const items = [ITEM, { ...ITEM, a: HOSTILE }, { ...ITEM, a: 'Ann "Bo" Lee' }];
		const execution = await engine.send({ ...CONTINUE, parameters }, items);
		const ended = execution.json().map(({ error }) => error === undefined);
		expect([ended, engine.received()]).toEqual([[true, false, false], ['+15550100200']]);
	});
});

describe('what an error or a hint offers works', () => {
	const AT = '2026-12-06T03:30:00.000Z';
	const SQL = '2026-12-05 05:00:00';
	/** The last one is what the others are in a retry. */
	const DATES = [new Date(AT), tryToParseDateTime(AT), AT];
	const [ANY, PRICE, EXCEL] = ['', '[^}]*price', "[^}]*'excel'"].map(
		(words) => new RegExp(String.raw`(?<=\{\{ )(?=${words})[^{]*?(?= \}\})`),
	);
	const NAME = /(?<=fallback: ).*'there'/;
	const IN_JSON = { ...flows.TEMPLATE, specifyAttributes: 'json' };
	const PLACES: Array<(text: string) => INodeParameters> = [
		(text) => ({ text }),
		(value) => ({ ...flows.TEMPLATE, attributes: { attribute: [{ value }] } }),
		(text) => ({ ...IN_JSON, attributesJson: `={"1": "${text.slice(1)}"}` }),
	];

	/** What a customer would read, and what is said about it. */
	async function tried(parameters: INodeParameters, item: IDataObject) {
		const items = [{ customer: '1', phone: '+15550100200', ...item }];
		const more = { options: { templateText: '{{1}}' }, safeguards: { dryRun: true } };
		const execution = await engine.send({ parameters, ...more }, items);
		const [{ text, details }] = execution.json();
		return { text, said: JSON.stringify([details, execution.hints()]) };
	}

	it.each([
		{ text: '={{ $json.date }}', given: DATES[0], offer: ANY, values: DATES, made: '5 December' },
		{
			text: '=On {{ $json.date }}',
			given: DATES[0],
			offer: ANY,
			values: DATES,
			made: '5 December',
		},
		{ text: '=On {{ $json.date }}', given: AT, offer: ANY, values: DATES, made: '5 December' },
		{
			text: "={{ DateTime.fromFormat($json.date, 'd') }}",
			given: DATES[0],
			offer: ANY,
			values: DATES,
			made: '5 December',
		},
		{
			text: '=On {{ DateTime.fromISO($json.date) }}',
			given: '6.12.',
			offer: ANY,
			values: ['2026-12-06'],
			made: '6 December',
		},
		{
			text: '=On {{ DateTime.fromISO($json.date) }}',
			given: '46362',
			offer: EXCEL,
			values: [46362, '46362', 46362.9],
			made: '6 December',
		},
		{
			text: '=On {{ $json.date }}',
			given: SQL,
			offer: ANY,
			values: [SQL, SQL.slice(0, 10)],
			made: '5 December',
		},
		{
			text: '=On {{ $json.date }}',
			given: 46361.4375,
			offer: ANY,
			values: [46361.4375, '46361'],
			made: '5 December',
		},
		{
			text: '=At {{ $json.time }}',
			given: 0.4375,
			offer: ANY,
			values: [0.4375, '0.4375'],
			made: '10:30',
		},
		{
			text: '={{ $json.name }}',
			given: ' ',
			offer: NAME,
			values: [null, undefined, '', ' '],
			made: 'there',
		},
		{
			text: '={{ $json.price }}',
			given: 0.1 + 0.2,
			offer: PRICE,
			values: [0.1 + 0.2, `${0.1 + 0.2}`],
			made: '0.30',
		},
	] as Offer[])('where $text gives $given', async ({ text, given, offer, values, made }: Offer) => {
		const [field] = /(?<=json.)\w+/.exec(text)!;
		for (const at of PLACES) {
			const { said } = await tried(at(text), { [field]: given });
			const [code] = offer.exec(said) ?? [said];
			for (const value of values)
				expect((await tried(at(`={{ ${code} }}`), { [field]: value })).text).toBe(made);
		}
	});

	it('a hint names what is on a button', async () => {
		const choices = { choice: [{ label: '={{ $json.date }}' }, { label: 'No' }] };
		const question = { operation: 'sendAndWait', message: '?', responseType: 'choice', choices };
		expect((await tried(question, { date: AT })).said).toContain(
			`writes it: \\"${AT}\\" (1). Format`,
		);
	});

	it('a date makes the same send-once key before a retry and in it', async () => {
		const send = async (sendOnceKey: string, date: unknown) => {
			const items = [{ customer: '1', text: 'Hi', date } as IDataObject];
			return await engine.send({ safeguards: { sendOnceKey } }, items);
		};
		const { words } = await send('={{ $json.date }}', DATES[0]);
		const [key] = /(?<=is a date and time, not an ID.* key as ){{.*?}}/s.exec(words)!;
		for (const date of DATES) await send(`=${key}`, date);
		expect(engine.received()).toHaveLength(1);
	});
});

it.each<Record<string, string>>([
	{
		key: '={{ $json.customer }}-{{ $json.empty }}',
		words: 'is incomplete: "{{ $json.empty }}" found no value',
	},
	{ key: '={{ $json.customer }}{{ $json["spaces"] }}', words: 'found no value' },
	{ key: '=order-{{ $json.list }}', words: '"{{ $json.list }}" found no value' },
	{ key: "=order-{{ $('Start').item.json.orderId }}", words: 'found no value' },
	{
		key: '={{ $json.customer }}-{{ $json.big }}',
		words: '"9007199254740992" is too large for a number',
	},
	{
		key: '={{ $json.customer }}-{{ $json.orderId ?? "" }}',
		words: 'is incomplete: "{{ $json.orderId ?? "" }}" found no value',
	},
	{ key: '={{ $json.código }}-confirmación', words: '"{{ $json.código }}" found no value' },
	{
		key: '={{ $json.customer }}-{{ $json.name }}-undefined',
		words: 'has "undefined": what an expression gives for a missing field',
	},
	{ key: '={{ $json.customer + "-" + $json.none }}', words: '' },
	{ key: '={{ $json.customer }} \\{{ $json.orderId }}', words: "a placeholder that wasn't filled" },
	{
		key: '=$json.none {{ $json.customer }}',
		words: 'has "$json": code of an expression without braces',
	},
])('the send-once key $key: $words', async ({ key, words }: Record<string, string>) => {
	const more = { empty: '', spaces: ' ', none: null, list: [], big: 2 ** 53, name: 'Null' };
	const items = customers(2).map((item) => ({ ...item, ...more }));
	const execution = await engine.send({ safeguards: { sendOnceKey: key } }, items);
	expect(execution.status).toBe(words === '' ? 'success' : 'error');
	expect(execution.words).toContain(words);
	expect(engine.received()).toHaveLength(words === '' ? 2 : 0);
});

describe('a message that was left uncertain', () => {
	// n8n 3 takes this member away from nodes.
	beforeEach(() => {
		const { execute } = OutboundMessaging.prototype;
		const get = (of: object, name: string): unknown =>
			name === '$getPairedItem' ? undefined : Reflect.get(of, name);
		const run = jest.spyOn(OutboundMessaging.prototype, 'execute');
		run.mockImplementation(async function (this: n8n.IExecuteFunctions) {
			const value = (index: number) => new Proxy(this.getWorkflowDataProxy(index), { get });
			const later = Object.create(this, { getWorkflowDataProxy: { value } }) as typeof this;
			return await execute.call(later);
		});
	});

	const UNCERTAIN =
		'An earlier step might have sent this customer a message, so this step sent nothing';
	const ofStart = (field: string) => `={{ $('Start').item.json.${field} }}`;
	const OF_START = { parameters: { customerId: ofStart('customer'), text: ofStart('text') } };
	const LOOK = { customerId: '7', text: 'Look' };
	const NO_TEXT = { parameters: { text: '={{ "" }}' } };
	const FILE = { ...LOOK, operation: 'sendAttachment', attachmentUrl: 'https://example.com/a.png' };
	const FIRST_PHONE = { ...flows.TEMPLATE, customerPhone: '+15550101000' };
	/** Says what a text can say, too. */
	const SAYS_LOOK = {
		attributes: { attribute: [{ value: 'Look' }] },
		options: { templateText: '{{1}}' },
	};

	const again = (spec: Sending = {}) => sending({ ...ERROR_OUTPUT, name: 'Again', ...spec });
	const third = (spec: Sending = {}) => again({ name: 'Third', ...spec });
	const alert = (parameters: INodeParameters) => again({ name: 'Alert', parameters });
	const after = node('After', 'test.pass');
	/** Nodes in a row, the first one at the error output of a node that sends. */
	const row = (nodes: Array<string | INode>, more?: n8n.IConnections, first?: Sending) => {
		const others = nodes.map((each) => (typeof each === 'string' ? node(each, each) : each));
		return flows.workflow([flows.START, sending({ ...ERROR_OUTPUT, ...first }), ...others], more);
	};
	const rowAfter = (parameters: INodeParameters, ...nodes: Array<string | INode>) =>
		row(nodes, {}, { parameters });
	const leads = (from: string, ...outputs: string[][]): n8n.IConnections => {
		return { [from]: { main: outputs.map((names) => names.map((name) => flows.to({ name }))) } };
	};
	const BACK = leads('test.twice', [NODE]);
	/** What is not in the loop comes first, at the success output. */
	const backThrough = (type: string) =>
		row([type, 'test.twice', after], { ...BACK, ...leads(NODE, ['After'], [type]) });
	const BRANCHES = { ...leads('Start', [NODE, 'After']), ...leads('After', [NODE]) };
	const NEVER = { ...leads('Again', []), ...leads('Never', ['Again']) };

	const list = (count: number): IDataObject[] =>
		customers(count).map((item) => ({ ...item, phone: `+1555010${String(item.customer)}` }));
	const [one, two] = list(3);
	const toOne = [1, 2, 3].map((number) => ({ customer: '1001', text: `text ${number}` }));
	const cut = (...nth: number[]) => [cuts({ nth })];

	it.each<Uncertain>([
		{
			what: 'is not sent by other nodes',
			flow: row([again(), third()]),
			items: list(3),
			rules: cut(2),
			received: ['1000', '1001', '1002'],
			runs: 1,
			told: ['Again', 'Third'],
		},
		{
			what: '… while another node before it has not run',
			flow: row([again(), third({ name: 'Never' })], NEVER),
			items: list(3),
			rules: cut(2),
			received: ['1000', '1001', '1002'],
			runs: 1,
			told: ['Again'],
		},
		{
			what: '… unless the user chooses to resend',
			flow: row([again({ safeguards: flows.RESEND }), third()]),
			items: list(3),
			rules: cut(2),
			received: ['1000', '1001', '1001', '1002'],
			runs: 1,
			told: [],
		},
		{
			what: '… and its item can be read',
			flow: row([
				again({ safeguards: flows.RESEND, ...NO_TEXT }),
				third({ parameters: { text: 'Other' } }),
			]),
			items: list(3),
			rules: cut(2),
			received: ['1000', '1001', '1002'],
			runs: 1,
			told: ['Third'],
		},
		{
			what: '… without other fields',
			flow: row(['test.drop', 'test.pass', again({ safeguards: flows.RESEND }), third()]),
			items: list(3),
			rules: cut(2),
			received: ['1000', '1001', '1001', '1002'],
			runs: 1,
			told: [],
		},
		{
			what: 'is not sent by a node whose error output leads back',
			flow: backThrough('test.pass'),
			items: list(3),
			rules: cut(2),
			received: ['1000', '1001', '1002'],
			runs: 3,
			told: [],
		},
		{
			what: '… without other fields',
			flow: backThrough('test.drop'),
			items: list(3),
			rules: cut(2),
			received: ['1000', '1001', '1002'],
			runs: 3,
			told: [],
		},
		{
			what: '… unless the user chooses to resend, with Send First too',
			flow: row(['test.twice'], BACK, { safeguards: flows.RESEND_FIRST }),
			items: list(3),
			rules: cut(2),
			received: ['1000', '1001', '1001', '1002'],
			runs: 2,
			told: [],
		},
		{
			what: 'is not sent by the second run of a node that two branches lead to',
			flow: row([after, alert(LOOK)], { ...BRANCHES, ...leads(NODE, [], ['Alert']) }),
			items: list(3),
			rules: cut(2),
			received: ['1000', '1000', '1001', '1002', '1002', '7', '7'],
			runs: 2,
			told: [],
		},
		{
			what: 'is not sent after a node that has sent all of its own',
			flow: row([again(OF_START), third(OF_START)], {}, { onError: undefined }),
			items: list(3),
			rules: cut(5),
			received: ['1000', '1000', '1001', '1001', '1002', '1002'],
			runs: 1,
			told: [],
		},
		{
			what: 'is neither what was rejected nor what was accepted',
			flow: row([again(OF_START)], leads(NODE, ['Again'], ['Again'])),
			items: list(3),
			rules: [rejects({ nth: 2 })],
			received: ['1000', '1000', '1001', '1001', '1002', '1002'],
			runs: 1,
			told: [],
		},
		{
			what: 'holds no one else back in the batches of a loop',
			flow: flows.looped({ ...ERROR_OUTPUT, parameters: { text: 'Look' } }, 2),
			items: list(6),
			rules: cut(2),
			received: ['1000', '1001', '1002', '1003', '1004', '1005'],
			runs: 3,
			told: [],
		},
		{
			what: '… who gets the same template',
			flow: flows.looped({ ...ERROR_OUTPUT, parameters: { ...flows.TEMPLATE, ...SAYS_LOOK } }, 1),
			items: list(2),
			rules: cut(1),
			received: ['+15550101000', '+15550101001'],
			runs: 2,
			told: [],
		},
		{
			what: '… and no other message to the same customer',
			flow: flows.looped(ERROR_OUTPUT, 1),
			items: toOne,
			rules: cut(2),
			received: ['1001', '1001', '1001'],
			runs: 3,
			told: [],
		},
		{
			what: 'is no reason for Retry On Fail to leave out an equal item',
			flow: flows.toSend({ ...flows.ONE_BY_ONE, ...CONTINUE, tries: 2 }),
			items: [one, one],
			rules: [...cut(1), rejects({ nth: 2 })],
			received: ['1000', '1000', '1000'],
			runs: 1,
			told: [],
		},
		{
			what: 'lets an alert out to someone else',
			flow: row([alert(LOOK)]),
			items: list(1),
			rules: cut(1),
			received: ['1000', '7'],
			runs: 1,
			told: [],
		},
		{
			what: '… after a node that has rejected it',
			flow: row([again(), alert(LOOK)]),
			items: list(3),
			rules: cut(2),
			received: ['1000', '1001', '1002', '7'],
			runs: 1,
			told: ['Again'],
		},
		{
			what: '… but not to the customer',
			flow: row([again(), alert({ ...LOOK, customerId: '1000' })]),
			items: list(1),
			rules: cut(1),
			received: ['1000'],
			runs: 1,
			told: ['Again', 'Alert'],
		},
		{
			what: '… or without a text',
			flow: row([alert({ ...LOOK, ...NO_TEXT.parameters })]),
			items: list(1),
			rules: cut(1),
			received: ['1000'],
			runs: 1,
			told: ['Alert'],
		},
		{
			what: '… after templates',
			flow: rowAfter(flows.TEMPLATE, alert(LOOK)),
			items: list(2),
			rules: cut(1, 2),
			received: ['+15550101000', '+15550101001', '7', '7'],
			runs: 1,
			told: [],
		},
		{
			what: '… or a file, after a template whose text is not known',
			flow: rowAfter(flows.TEMPLATE, alert(FILE)),
			items: list(1),
			rules: cut(1),
			received: ['+15550101000', '7'],
			runs: 1,
			told: [],
		},
		{
			what: '… but not to the phone',
			flow: rowAfter(flows.TEMPLATE, alert(FIRST_PHONE)),
			items: list(1),
			rules: cut(1),
			received: ['+15550101000'],
			runs: 1,
			told: ['Alert'],
		},
		{
			what: '… but to no phone of the row, after a text',
			flow: rowAfter(LOOK, alert(flows.TEMPLATE)),
			items: list(1),
			rules: cut(1),
			received: ['7'],
			runs: 1,
			told: ['Alert'],
		},
		{
			what: '… or customer ID of the row, after a template',
			flow: rowAfter(flows.TEMPLATE, again()),
			items: list(1),
			rules: cut(1),
			received: ['+15550101000'],
			runs: 1,
			told: ['Again'],
		},
		{
			what: '… in one item of all templates',
			flow: rowAfter(flows.TEMPLATE, 'test.aggregate', alert(LOOK)),
			items: list(2),
			rules: cut(1, 2),
			received: ['+15550101000', '+15550101001', '7'],
			runs: 1,
			told: [],
		},
	])('$what: $received', async ({ flow, items, rules, received, runs, told }: Uncertain) => {
		engine.faults(...rules);
		const execution = await engine.run(flow, items);
		expect(execution.status).toBe('success');
		expect(engine.received().sort()).toEqual(received);
		expect(execution.runs()).toHaveLength(runs);
		for (const name of told) {
			const details = { code: 'uncertainDelivery' };
			expect(execution.json(1, name)).toMatchObject([{ error: UNCERTAIN, details }]);
		}
	});

	it('is not taken for what its item had sent to someone else before a retry', async () => {
		engine.faults(rejects({ nth: 2 }));
		const details = { delivery: 'uncertain', recipient: '7' };
		const failed = await engine.send(flows.ONE_BY_ONE, [{ ...one, details }, two]);
		const retried = await failed.retry(flows.toSend({ ...CONTINUE, parameters: LOOK }));
		expect(retried.deliveries()).toEqual(['rejected', 'accepted']);
	});

	it.each([1, 2])('by its key: only alerts go out (of %d)', async (count) => {
		const keyed = { ...ERROR_OUTPUT, tries: 2, safeguards: { sendOnceKey: 'order' } };
		engine.faults(cuts({ nth: 1 }));
		await engine.send(keyed, list(1));
		engine.faults(cuts({ recipient: '1001' }));
		const execution = await engine.run(row([again(), alert(LOOK)], {}, keyed), list(count));
		expect(execution.json(1)[0].error).toMatch(/^A message with this send-once key may have/);
		const received = count === 1 ? ['1000', '7'] : ['1000', '1001', '7', '7'];
		expect(engine.received().sort()).toEqual(received);
	});

	it('is not looked for in the data of each item while nothing is uncertain', async () => {
		const other = sending({ name: 'Again', parameters: LOOK });
		const flow = flows.workflow([flows.START, sending(), other]);
		const proxy = jest.spyOn(WorkflowDataProxy.prototype, 'getDataProxy');
		const counts: number[] = [];
		for (const count of [2, 20]) {
			proxy.mockClear();
			await engine.run(flow, customers(count));
			counts.push(proxy.mock.calls.length);
		}
		expect(counts[1]).toBe(counts[0]);
	});
});

const toRead = (parameters: INodeParameters, safeguards: INodeParameters = {}) =>
	flows.toSend({ parameters, safeguards, ...CONTINUE });
const OF_ITEM = {
	customerId: "={{ $('Start').item.json['customer'] }}",
	text: '=Dear {{ $json.name }}, {{ $json["a b"][0].c }}',
};

it.each<Read>([
	{
		what: 'no plain path and no fixed value',
		times: 0,
		flow: toRead(OF_ITEM, { sendOnceKey: '=a-{{ $json.customer }}' }),
		recipients: 10,
	},
	{
		what: 'other expressions, once per item',
		times: 10,
		flow: toRead({ customerId: '={{ $json.customer.trim() }}' }),
		recipients: 10,
	},
	{
		what: 'a path where its value is not plain',
		times: 1,
		flow: toRead({ text: '={{ $json.odd }}' }),
		recipients: 9,
	},
	{
		what: 'a list that no item changes, once',
		times: 1,
		flow: toRead({}, { doNotContact: '={{ [4711].concat(1) }}' }),
		recipients: 10,
	},
	{
		what: 'everything of a tool',
		times: 10,
		flow: flows.agent('test.engineAgent', {
			parameters: { customerId: '7', text: '={{ $json.name }}' },
		}),
		recipients: 1,
	},
])('n8n evaluates $what', async ({ times, flow, recipients }: Read) => {
	const items = customers(10).map((item, index) => {
		return { ...item, name: 'Ada', 'a b': [{ c: 1 }], odd: index === 3 ? {} : 'x' };
	});
	const evaluate = jest.spyOn(WorkflowExpression.prototype, 'resolveSimpleParameterValue');
	await engine.run(flow, items);
	const expressions = evaluate.mock.calls.filter(([value]) => String(value).startsWith('='));
	expect(expressions).toHaveLength(times);
	expect(new Set(engine.accepted()).size).toBe(recipients);
});
