/**
 * Expressions in a real n8n: what the node reads on its own, plain paths, has to be n8n's own
 * value, or end in n8n's own error. What it leaves to n8n is in test/unit/parameters.
 */
import * as builders from '../n8n/workflow.cts';
import { useN8n, textOf } from './help.cts';

const used = useN8n();

/** Items that bring out the worst in expressions. */
const list = [
	{ text: 'plain', name: 'Ada', a: 1, deep: { value: 'deep' } },
	{ text: 'with "quotes", \'these\' and `those`', name: null, deep: {} },
	{ text: '}} {{ $json.name }} ]) \\}} ${x}', name: 'Bob', deep: null },
	{ text: 'two\nlines\u2028and\ttabs 👩‍👩‍👧 \ud83d', name: '', a: 'x' },
	{ text: 42, name: 0, a: 0, deep: { value: 0 } },
	{ text: -0.5, name: true, a: false, deep: { value: false } },
	{ text: null, name: undefined },
	{ text: { an: 'object' }, name: { a: 1 }, a: { b: 2 }, deep: { value: {} } },
	{ text: ['a', 'list'], name: ['x'], a: [] },
	{ text: '', name: '   ', a: null },
	{ name: 'no text' },
	{ text: '2026-11-21T08:00:00.000Z', name: 'Eve' },
	{ text: 'constructor', name: '__proto__', a: 1e21, deep: { value: 'again' } },
	{ text: 'the last', name: 'Zoë', a: 2 },
].map((item, index) => ({
	customer: String(7000 + index),
	// Of the first and the last nothing can be sorted or turned round.
	list: index % 13 === 0 ? ['only'] : ['c', 'a', 'b'],
	...item,
}));

const words = (text: string) => text.trim().split(/\s+/);

/** Fields whose names or values are traps for whoever reads them without n8n. */
const TRAPS = words(`
	x.y it's $ $x {a} }} größe 😀 0 length arguments caller prototype toString valueOf
	hasOwnProperty globalThis this class undefined json item isProxy toJSON isEmpty .isEmpty(
`);
const traps = {
	...Object.fromEntries([...TRAPS, 'b c', 'say "hi"'].map((name) => [name, `own ${name}`])),
	__isError: true,
	formula: '=1+1',
	expression: '={{ $json.name }}',
	nested: {
		...{ list: [{ value: 'first' }, null, ['x', ['y']]] },
		...{ none: null, empty: {}, yes: true, n: 1.5 },
	},
};
list.forEach((item, index) => {
	if (index % 2 === 0) Object.assign(item, traps);
	if (index % 4 === 0) item.list.length = 0;
});
// As the names that come with every object can be own fields in JSON too.
for (const name of ['constructor', '__proto__']) {
	Object.defineProperty(list[2], name, { value: 'own', enumerable: true });
}

const NAMES = words(`
	text name missing date nan deep.value nested nested.list nested.none nested.none.more
	nested.empty.more nested.yes nested.n nested.list[0].value nested.list[1].value
	nested.list[2][1][0] nested.list[9].value nested.list.length nested["list"]["0"]["value"]
	list[0] text.length text[0] length arguments caller prototype constructor __proto__
	__proto__.toString toString valueOf hasOwnProperty $ $x $.a globalThis this class undefined
	json item isProxy __isError toJSON isEmpty formula expression
`);
const QUOTED = [
	...['"b c"', "'b c'", '"it\'s"', '\'say "hi"\''],
	...words(`
		"x.y" "$" '{a}' "}}" 'größe' "😀" 0 "0" "length" "arguments" "caller" "constructor"
		'__proto__' "toString" "globalThis" ".isEmpty(" "text"]["length"
	`),
];
const STEPS = [...NAMES.map((name) => `.${name}`), ...QUOTED.map((name) => `[${name}]`)];
const NODES = words(`$('Items') $('Start') $('Nowhere') $('Later')`);
NODES.push(`$("It's (1)")`, '$("Items", 0)');

/** Paths, alone and inside a text, from the item and from other nodes. */
const paths = [
	...STEPS.map((step) => `={{ $json${step} }}`),
	...STEPS.map((step) => `=Dear {{$json${step}}},\n{{ $json.text }}}}`),
	...NODES.flatMap((node) =>
		['.text', '["b c"]', '.nested.list[0].value', '.toString'].map(
			(step) => `={{ ${node}.item.json${step} }}`,
		),
	),
	"= {{ $('Items').item.json.name }} and {{ $json.name }} ",
];

/** The parameters of all nodes; in lists of fields, expressions are read as in texts. */
const all = paths.map((text) => ({ ...textOf({}, { dryRun: true }), text }));

/**
 * The same for n8n, but nothing that the node reads on its own: a comment keeps an expression from
 * being a plain path.
 */
const evaluated = (parameters: object) =>
	JSON.parse(JSON.stringify(parameters), (_, value: unknown) =>
		typeof value === 'string' && value.startsWith('=')
			? value.replace(/\{\{(.*?)\}\}/gs, '{{$1\n/**/}}')
			: value,
	) as object;

/** Each becomes two nodes: one with the expressions, one with what only n8n can read. */
const WAYS = { Direct: (parameters: object) => parameters, 'By n8n': evaluated };

function bothWays() {
	const senders = Object.entries(WAYS).flatMap(([way, as]) =>
		all.map((parameters, index) =>
			builders.outboundMessaging({
				name: `${way} ${index}`,
				parameters: as(parameters),
				credentialId: used.credentialId,
				settings: { onError: 'continueRegularOutput' },
			}),
		),
	);
	/** Adds what JSON can't hold: a date, and what is not a number. */
	const assignments = [
		{ id: 'date', name: 'date', type: 'object', value: '={{ new Date(0) }}' },
		{ id: 'nan', name: 'nan', type: 'number', value: '={{ NaN }}' },
	];
	const fields = builders.node("It's (1)", 'n8n-nodes-base.set', 3.4, {
		assignments: { assignments },
		includeOtherFields: true,
		options: { ignoreConversionErrors: true },
	});
	const later = builders.node('Later', 'n8n-nodes-base.noOp', 1);
	const before = [builders.manualTrigger(), builders.items(list), fields];
	return builders.graph(
		'Expressions',
		[...before, ...senders, later],
		[
			...builders.links(before),
			...senders.map(({ name }): builders.Link => [fields.name, name]),
			[senders[0].name, later.name],
		],
	);
}

type Result = { dryRun?: boolean; error?: string; details?: object; emptyPaths?: string[] };

test('a value is the same, read by the node or evaluated by n8n', async () => {
	const { id } = await used.client.createWorkflow(bothWays());
	const execution = await used.client.run(id);
	expect(execution.status).toBe('success');
	const [direct, byN8n] = Object.keys(WAYS).map((way) =>
		all.map((_, index) => execution.items(`${way} ${index}`) as Result[]),
	);
	// Only of a plain path does the node know that it's empty, or how to show it in a fix.
	const isGap = ({ error }: Result) => String(error).includes('is incomplete');
	const comparable = (results: Result[][]) =>
		results.map((each, index) => [
			all[index],
			each.map(
				({ details: _, emptyPaths: __, ...value }, item) => !isGap(direct[index][item]) && value,
			),
		]);
	expect(comparable(direct)).toEqual(comparable(byN8n));
	// All of them, and not because everything was rejected.
	expect(direct.flat()).toHaveLength(all.length * list.length);
	expect(direct.flat().filter(({ dryRun }) => dryRun).length).toBeGreaterThan(800);
});
