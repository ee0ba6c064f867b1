/**
 * Expressions as users write them, good and bad, and items that bring out the worst in them. The node reads several
 * expressions of an item at once; whatever stands here has to give the same as when n8n reads it on its own.
 */

const items = [
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

const expressions = [
	'={{ $json.text }}',
	'= {{ $json.text }}',
	'={{ $json.text }}\n',
	'=Hello {{ $json.name }}, it is {{ $json.text }}!',
	'={{ $json.text }}{{ $json.name }}',
	'=no code at all',
	'=Hello {{ $json.name',
	'=Hello {{ $json.name }} }} and {{ $json.a',
	'=\\{{ not code }} but {{ $json.name }}',
	"={{ $json.name + '\\}}' }}",
	'={{ $json.deep.value }}',
	'=deep: {{ $json.deep.value }}, {{ $json.text }}',
	'={{ $json.missing.deep() }}',
	'={{ $json.text // a comment }}',
	'={{ $json.text /* a comment */ }}',
	'={{ $json.text; }}',
	'={{ 1; 2 }}',
	'={{ 1), (2 }}',
	"={{ 1)].concat([('x') }}",
	'={{ }}',
	'={{ ...$json.text }}',
	'={{ $json.name, $json.text }}',
	"={{ $json.a ? 'yes' : 'no' }}",
	"={{ $json.name ?? 'nobody' }} and {{ $json.a || 'nothing' }}",
	'={{ { a: $json.text }.a }}',
	'={{ { a: $json.text } }}',
	'=times two: {{ $json.a * 2 }}',
	'={{ $json.a * 2 }}',
	'={{ [$json.text][0] }}',
	'={{ [$json.text] }}',
	'={{ `${$json.text} in ${$json.name}` }}',
	'={{ (() => { return $json.text })() }}',
	'={{ $json.text.toUpperCase() }}',
	'={{ $json.text.toTitleCase() }}',
	'={{ $json.text.length }}',
	'={{ $json.text.toUpperCase }}',
	'={{ $json.a ? $json.text.trim : $json.text }}',
	'={{ $json.text.constructor.name }}',
	"={{ $json['text'] }}",
	'={{ $json["text"].replace(/[{}]/g, "-") }}',
	'={{ $input.item.json.text }}',
	"={{ $('Start').item.json.text }}",
	"={{ $json.fails ? $('Nowhere').item.json.text : $json.text }}",
	'={{ $nope }}',
	'={{ nope }}',
	'={{ undefined }}',
	'={{ null }}',
	'={{ NaN }} {{ -0 }} {{ 1e21 }} {{ 10n }}',
	'={{ 10n }}',
	'={{ Symbol("x") }}',
	'={{ $now.year > 2000 }}',
	'={{ DateTime.fromISO($json.text) }}',
	'={{ DateTime.fromISO($json.text).toFormat("dd LLL") }}',
	'={{ new Date(0) }}',
	// Nothing but itself: older releases let an expression change the items that other nodes get.
	'={{ $json.text = $json.text }}{{ $json.name }}',
	'={{ throw new Error("no") }}',
	'={{ (() => { throw new Error("no") })() }}',
];

/** For a field that takes JSON. */
const jsons = [
	'={{ { 1: $json.name, 2: $json.text } }}',
	'={{ [$json.name, $json.text, $json.deep] }}',
	'={{ [$now.year, new Date(0), $json.text] }}',
	'={{ [DateTime.fromISO("2026-11-21"), $json.text] }}',
	'={{ { 1: DateTime.fromISO("2026-11-21"), 2: $json.name } }}',
	'={{ { 1: { 2: [$json.deep] } } }}',
	'={{ $json }}',
	'={{ $json.deep }}',
	'={ "1": "{{ $json.name }}", "2": {{ JSON.stringify($json.text) }} }',
];

/** They change the list that another expression of the item reads; n8n lets none of that be seen there. */
const changing = [
	'={{ $json.list.reverse().join() }}',
	'={{ $json.list.sort()[0] }}',
	'={{ $json["list"]["sort"]()[0] }}',
	'={{ $json.list.sort/* */()[0] }}',
	'={{ $json.list.sort?.()[0] }}',
	'={{ $json.list.length > 1 ? $json.list.pop() : $json.list[0] }}',
	'={{ $json.list.length > 1 ? ($json.list = ["x"])[0] : "y" }}',
	'={{ $json.list.length > 1 ? (delete $json.list) : "y" }}',
	'={{ Object.assign($json, $json.list.length > 1 ? { text: "x" } : {}).text }}',
];

module.exports = { items, expressions, jsons, changing };
