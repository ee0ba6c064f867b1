/**
 * What is read without n8n. Which parts of a text must find a value is in
 * test/engine/reading.test.ts.
 */
import { compile } from '../../../nodes/OutboundMessaging/parameters/plainPath';

const item = {
	text: 'Ada',
	'b c': { list: ['zero', 'one'], "it's": 7 },
	no: false,
	zero: 0,
	empty: '',
	none: null,
	minus: -0,
	infinite: Infinity,
	half: '\ud800',
	nul: 'a\0',
	nothing: undefined,
	mark: '\ufeffa',
	line: 'a\nb',
	when: Object.assign(new Date(0), { zone: 'UTC' }),
	node: { $: 1, prototype: 2 },
	// As JSON.parse makes it, an own property.
	...(JSON.parse('{"__proto__":1,"constructor":2,"globalThis":3}') as object),
};
const data = {
	$json: item,
	$: (name: string) => {
		if (name === "it's") return { item: { json: { id: 'from the node' } } };
		throw new Error('no such node');
	},
};

const read = (raw: unknown) => compile(raw).read(data);
const leftToN8n = 'n8n has to evaluate this';

it.each<[unknown, unknown]>([
	['plain {{ $json.text }}', 'plain {{ $json.text }}'],
	['={{$json.text}}', 'Ada'],
	['={{ \t\n$json.text\r\n }}', 'Ada'],
	["={{ $json['b c']['list'][0] }}", 'zero'],
	['={{ $json["b c"]["it\'s"] }}', 7],
	['={{ $json["b c"].list.length }}', 2],
	['={{ $("it\'s").item.json.id }}', 'from the node'],
	['={{ $json.no }}', false],
	['={{ $json.line }}', 'a\nb'],
	['=', ''],
	['= {{ $json.zero }}', ' 0'],
	['={{ $json.zero }} ', '0 '],
	['=Dear {{ $json.text }}, {{ $json["b c"].list[0] }}!', 'Dear Ada, zero!'],
	['={{ $json.zero }}{{ $json.no }}', '0false'],
	[null, null],
	[
		[{ a: '={{ $json.text }}' }, 7, '=x{{ $json.zero }}'],
		[{ a: 'Ada' }, 7, 'x0'],
	],
])('%j is read directly', (raw, value) => expect(read(raw)).toEqual(value));

it.each([
	'={{ $json }}',
	'={{ $json.missing }}',
	'={{ $json.text[0] }}',
	'={{ $json["b c"] }}',
	'={{ $json["b c"].list[2] }}',
	'={{ $json["b c"].list[01] }}',
	'={{ $json[0] }}',
	'={{ $json.none }}',
	'={{ $json.none.a }}',
	'={{ $json.missing.a }}',
	'={{ $json.minus }}',
	'={{ $json.infinite }}',
	'={{ $json.half }}',
	'={{ $json.nul }}',
	'={{ $json.mark }}',
	'={{ $json.when }}',
	'={{ $json.when.zone }}',
	'={{ $json.toString }}',
	'={{ $json.__proto__ }}',
	'={{ $json["constructor"] }}',
	'={{ $json.globalThis }}',
	'={{ $json.node.$ }}',
	'={{ $json.node.prototype }}',
	'={{ $json?.text }}',
	'={{ $json.text.trim() }}',
	'={{ $json.text + "" }}',
	'={{ x$json.text }}',
	'={{ $json.text x }}',
	'={{ $json["te\\u0078t"] }}',
	"={{ $json['te\nxt'] }}",
	'={{ $node.item.json.id }}',
	'={{ $("it\'s").first().json.id }}',
	'={{ $("it\'s").item.json }}',
	...['=a\0 {{ $json.text }}', '=a \\ {{ $json.text }}', '=Hi {{ $json.missing }}'],
	...['=a .constructor {{ $json.text }}', '=a . constructor {{ $json.text }}'],
	...['=Hi {{ $json.text }} {{}', '=Hi }} {{ $json.text'],
	...['=Hi {{ $json.text', '=Hi {{ {{ $json.text }}', '=Hi {{ $json.text }} {{ 1 + 1 }}'],
])('%j is left to n8n', (raw) => {
	expect(() => read(raw)).toThrow(leftToN8n);
	expect(() => read({ a: 'x', b: raw })).toThrow(leftToN8n);
});

it('a text of a million braces is left to n8n at once', () => {
	expect(() => read(`=${'{{'.repeat(500_000)}`)).toThrow(leftToN8n);
});

it('a node that cannot be found is left to whoever asks', () =>
	expect(() => read("={{ $('No').item.json.id }}")).toThrow('no such node'));

it.each(['missing', 'none', 'nothing'])('$json.%s in a text finds nothing', (path) =>
	expect(compile(`=x{{ $json.${path} }}`).pieces[0].read(data)).toBeNull(),
);

it('the expressions that are pieces of texts, in whatever way they are written', () => {
	const codes = (raws: unknown[]) => compile(raws).pieces.map(({ code }) => code);
	const raws = ['={{ $json.a }}', '=A {{ $json.a?.b }}', { c: '={{ f() }}{{ "é" }}' }];
	expect(codes(raws)).toEqual(['{{ $json.a?.b }}', '{{ f() }}', '{{ "é" }}']);
	expect(codes([null, 7, 'A {{ $json.a }}', '=A \\{{ $json.a }}'])).toEqual([]);
});
