/**
 * Expressions as users write them, good and bad, and items that bring out the worst in them. The node reads plain
 * paths itself; whatever is here has to give the same as when n8n evaluates it.
 */

export const items = [
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
	{ text: '2026-11-21T08:00:00.000Z', name: 'Eve', fails: true },
	{ text: 'constructor', name: '__proto__', a: 1e21, deep: { value: 'again' } },
	{ text: 'the last', name: 'Zoë', a: 2 },
].map((item, index) => ({
	customer: String(7000 + index),
	phone: `+155501002${index + 10}`,
	// Of the first and the last nothing can be sorted or turned round.
	list: index % 13 === 0 ? ['only'] : ['c', 'a', 'b'],
	...item,
}));

export const expressions = [
	'= {{ $json.text }}',
	'=Hello {{ $json.name }}, it is {{ $json.text }}!',
	'=no code at all',
	'=Hello {{ $json.name',
	'=Hello {{ $json.name }} }} and {{ $json.a',
	'=\\{{ not code }} but {{ $json.name }}',
	"={{ $json.name + '\\}}' }}",
	'={{ $json.missing.deep() }}',
	'={{ $json.text; }}',
	'={{ 1), (2 }}',
	'={{ }}',
	'={{ { a: $json.text } }}',
	'={{ [$json.text] }}',
	'={{ $json.text.toTitleCase() }}',
	'={{ $json.text.toUpperCase }}',
	"={{ $json.fails ? $('Nowhere').item.json.text : $json.text }}",
	'={{ nope }}',
	'={{ undefined }}',
	'={{ NaN }} {{ -0 }} {{ 1e21 }} {{ 10n }}',
	'={{ Symbol("x") }}',
	'={{ DateTime.fromISO($json.text) }}',
	'={{ new Date(0) }}',
	// Nothing but itself: older releases let an expression change the items that other nodes get.
	'={{ $json.text = $json.text }}{{ $json.name }}',
	'={{ throw new Error("no") }}',
];

/** For a field that takes JSON. */
export const jsons = [
	'={{ { 1: $json.name, 2: $json.text } }}',
	'={{ [$json.name, $json.text, $json.deep] }}',
	'={{ [DateTime.fromISO("2026-11-21"), $json.text] }}',
	'={{ { 1: DateTime.fromISO("2026-11-21"), 2: $json.name } }}',
	'={{ $json }}',
	'={{ $json.deep }}',
	'={ "1": "{{ $json.name }}", "2": {{ JSON.stringify($json.text) }} }',
];

const words = (text: string) => text.trim().split(/\s+/);

/** Fields whose names or values are traps for whoever reads them without n8n. */
const TRAPS = words(`
	x.y it's $ $x {a} }} back\\slash größe 😀 0 length arguments caller prototype toString valueOf
	hasOwnProperty globalThis this class undefined json item isProxy toJSON isEmpty .isEmpty(
`);
const traps = {
	...Object.fromEntries([...TRAPS, 'b c', 'say "hi"'].map((name) => [name, `own ${name}`])),
	__isError: true,
	formula: '=1+1',
	expression: '={{ $json.name }}',
	nested: {
		list: [{ value: 'first' }, null, ['x', ['y']]],
		none: null,
		empty: {},
		yes: true,
		n: 1.5,
	},
};
items.forEach((item, index) => {
	if (index % 2 === 0) Object.assign(item, traps);
	if (index % 4 === 0) item.list.length = 0;
});
// As the names that come with every object can be own fields in JSON too.
for (const name of ['constructor', '__proto__']) {
	Object.defineProperty(items[2], name, { value: 'own', enumerable: true });
}

const NAMES = words(`
	text name missing date nan deep.value nested nested.list nested.none nested.none.more
	nested.empty.more nested.yes nested.n nested.list[0].value nested.list[1].value
	nested.list[2][1][0] nested.list[9].value nested.list[-1] nested.list.length
	nested["list"]["0"]["value"] list[0] nested['list'][00] text.length text[0] length
	arguments caller prototype constructor __proto__ __proto__.toString toString valueOf
	hasOwnProperty $ $x $.a globalThis this class undefined json item isProxy __isError toJSON
	isEmpty größe formula expression fa\\u0069ls text?.length nested?.list?.[0].value
`);
const QUOTED = [
	...['"b c"', "'b c'", '"it\'s"', "'it\\'s'", '\'say "hi"\'', '"say \\"hi\\""', '"text" + ""'],
	' "text" ',
	...words(`
		"x.y" "$" '{a}' "}}" "back\\\\slash" 'größe' "😀" 0 "0" "length" "arguments" "caller"
		"constructor" '__proto__' "toString" "globalThis" ".isEmpty(" \`text\` "te\\u0078t"
		"text"]["length"
	`),
];
const STEPS = [...NAMES.map((name) => `.${name}`), ...QUOTED.map((name) => `[${name}]`)];
const NODES = words(`$('Items') $('Start') $('Nowhere') $('Later')`);
NODES.push(`$("It's (1)")`, '$("Items", 0)');

/** Paths, alone and inside a text, from the item and from other nodes. */
export const paths = [
	...STEPS.map((step) => `={{ $json${step} }}`),
	...STEPS.filter((_, index) => index % 3 === 0).map(
		(step) => `=Dear {{$json${step}}},\n{{ $json.text }}}}`,
	),
	...NODES.flatMap((node) =>
		['.text', '["b c"]', '.nested.list[0].value', '.toString'].map(
			(step) => `={{ ${node}.item.json${step} }}`,
		),
	),
	"= {{ $('Items').item.json.name }} and {{ $json.name }} ",
	'=. constructor {{ $json.text }}',
	'={{ $json.text }} \\ {{ $json.name }}',
	'={{ $json.text.toTitleCase() }} {{ $json.name }}',
	'={{ $json }}',
	"={{ $('Items').item.json }}",
];

/** The same for n8n, but nothing that the node reads on its own: a comment keeps an expression from being a plain path. */
export const evaluated = (expression: string) =>
	expression.includes('\\') ? expression : expression.replace(/\{\{(.*?)\}\}/gs, '{{$1\n/**/}}');
