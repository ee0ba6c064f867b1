import * as attributes from '../../../nodes/OutboundMessaging/validation/attributes';
import { itRejects, NOTHING, refusalOf } from '../help';

const { attributesFromJson, attributesFromList } = attributes;

describe('from a list', () => {
	it.each<[unknown[], Record<string, string> | undefined]>([
		[[], undefined],
		[[' Ada ', '__proto__'], { '1': ' Ada ', '2': '__proto__' }],
		[[0, -1.5, true, false], { '1': '0', '2': '-1.5', '3': 'true', '4': 'false' }],
	])('%j becomes %j', (values, made) => expect(attributesFromList(values)).toEqual(made));

	// What a value may be is shown for texts.
	itRejects((values) => attributesFromList(values as unknown[]), {
		'value 2 is empty': [['Ada', '']],
		'value 1 is empty: the expression found no value': [[null], new Array(2)],
		'value 1 received several values at once': [[['Ada']]],
	});
});

describe('from JSON', () => {
	const ADA = { '1': 'Ada', '2': '5' };
	it.each<readonly [unknown, Record<string, string>?]>([
		...[' { } ', '[ ]\n', {}, [], Object.create({ '1': 'Ada' })].map((empty) => [empty] as const),
		['\ufeff\u00a0{"1":"Ada"}\u00a0\n', { '1': 'Ada' }],
		['{ "2" : "Ada" ,\r\n\t"1" : -1.5 }', { '1': '-1.5', '2': 'Ada' }],
		['["\\u00e9 \\"x\\" \\\\", false]', { '1': 'é "x" \\', '2': 'false' }],
		...[{ '2': 5, '1': 'Ada' }, ['Ada', 5]].map((given) => [given, ADA] as const),
		['{"1":"100.00 \\" 1e3","2":-0.5}', { '1': '100.00 " 1e3', '2': '-0.5' }],
		['["\\\\", 12.5 ]', { '1': '\\', '2': '12.5' }],
		['{"1":"a\\"1\\":","2":"1: \\\\"}', { '1': 'a"1":', '2': '1: \\' }],
	])('%j becomes %j', (...[value, made]) => expect(attributesFromJson(value)).toEqual(made));

	it.each(['{"1":"Ada"', '{"1":"Ada",}', "{'1':'Ada'}", '["say "hi""]', '[01]', '["two\nlines"]'])(
		'says what is wrong with %j',
		(json) =>
			expect(refusalOf(() => attributesFromJson(json)).title).toMatch(
				/^isn't valid JSON: "[^<\n]{20,150}"$/,
			),
	);

	it.each(['100.00', '1e3', '-0', '9007199254740993', '12.50', '1.0'])(
		'says how JSON reads %s',
		(number) =>
			expect(refusalOf(() => attributesFromJson(`{"1": "\\"", "2": ${number}}`)).title).toBe(
				`has the number "${number}", which JSON reads as "${String(Number(number))}"`,
			),
	);

	itRejects(attributesFromJson, {
		'is empty\nEnter {} if the template has no variables': ['', ' \ufeff\n'],
		...NOTHING,
		'is …, not an object or a list': [5, true],
		'is a date and time, not an object or a list': [new Date(0)],
		"… isn't a JSON object or list": ['Ada [1]', 'null', '"Ada"'],
		'value 2 received several values at once': ['["Ada", {"__proto__":{"toString":"x"}}]'],
		'has the key "1" twice': ['{"1":"a","2":"b","1" : "c"}', '{"1":"a","\\u0031":"b"}'],
		'has the key "2" twice': ['{"1":"Ada","2":"FREE REFUND","2":"Friday"}'],
	});

	/** Whether it's text or has been parsed before. */
	const bothWays = (json: unknown) => {
		const parsed = refusalOf(() => attributesFromJson(JSON.parse(String(json))));
		expect(refusalOf(() => attributesFromJson(json))).toEqual(parsed);
		return attributesFromJson(json);
	};
	const ODD = [
		'0',
		'01',
		'1.0',
		'-1',
		'1234567',
		'name',
		'１',
		'__proto__',
		'constructor',
		' 1',
		'',
	];
	itRejects(bothWays, {
		'has no value for position 1': ['{"2":"Friday"}'],
		'has no value for position 2': ['{"1":"Ada","10":"Friday"}'],
		'value 2 is empty: the expression found no value': ['{"1":"Ada","2":null}'],
		'has "a·b" where a number is expected': ['{"1":"Ada","a\\nb":"x"}'],
		...Object.fromEntries(
			ODD.map((key) => [`has "${key}" where a number is expected`, [`{"1":"Ada","${key}":"x"}`]]),
		),
	});
});

it.each<[string, string]>([
	['one\ntwo', 'one two'],
	['one \r\n\n two', 'one two'],
	['one\ttwo', 'one two'],
	['\u2028one\u0085\vtwo\f', ' one two '],
	['four    spaces', 'four    spaces'],
	['five\u00a0\u00a0\u00a0\u00a0\u00a0spaces', 'five spaces'],
	['no\u00a0break', 'no\u00a0break'],
])(
	'line breaks, tabs and long runs of spaces in %j: kept, replaced by %j or rejected',
	(value, replaced) => {
		expect(attributesFromList([value], 'keep')).toEqual({ '1': value });
		expect(attributesFromJson({ '1': value }, 'replace')).toEqual({ '1': replaced });
		const rejecting = () => attributesFromJson(['a', value]);
		if (replaced === value) expect(rejecting()).toEqual({ '1': 'a', '2': value });
		else
			expect(refusalOf(rejecting).title).toMatch(/^value 2 has a line break, a tab or more than/);
	},
);
