import {
	attributesFromJson,
	attributesFromList,
} from '../../../nodes/OutboundMessaging/validation/attributes';
import { NOTHING, refusalOf, rejects, STORE_AS_TEXT, words } from '../help';

const EXAMPLE = 'Write it as {"1": "Ada", "2": "Friday"} or ["Ada", "Friday"]';
const SYNTAX = `${EXAMPLE}. To map a field, write {{ JSON.stringify($json.name) }} without quotes around it`;
const KEYS = `Use the positions "1", "2", … as keys, without gaps. ${EXAMPLE}`;
const ENTER = 'Enter text, or map a field that has a value';
const CHECK = NOTHING.description;
const MAP = 'Map one field, e.g. {{ $json.text }}';
const LOST = '"9007199254740992" is too large for a number: its last digits are lost';

describe('from a list', () => {
	it.each<[unknown[], Record<string, string> | undefined]>([
		[[], undefined],
		[[' Ada ', '__proto__'], { '1': ' Ada ', '2': '__proto__' }],
		[[0, -1.5, true, false], { '1': '0', '2': '-1.5', '3': 'true', '4': 'false' }],
	])('%j becomes %j', (values, attributes) => {
		expect(attributesFromList(values)).toEqual(attributes);
	});

	const fromList = (values: unknown) => attributesFromList(values as unknown[]);
	it.each`
		title                                                   | description                                  | values
		${'value 2 is empty'}                                   | ${ENTER}                                     | ${[['Ada', ''], ['Ada', ' \u00a0\n']]}
		${'value 1 is empty: it has only invisible characters'} | ${ENTER}                                     | ${[['\u3164']]}
		${`value 1 ${NOTHING.title}`}                           | ${CHECK}                                     | ${[[null], new Array(2)]}
		${`value 3 ${NOTHING.title}`}                           | ${CHECK}                                     | ${[['a', 'b', undefined]]}
		${'value 1 received several values at once'}            | ${MAP}                                       | ${[[{}], [['Ada']]]}
		${'value 1 is "NaN", not text'}                         | ${'Check the calculation in the expression'} | ${[[NaN]]}
		${`value 2 ${LOST}`}                                    | ${STORE_AS_TEXT}                             | ${[['Ada', 2 ** 53]]}
	`('$title', rejects(fromList));
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
	])('%j becomes %j', (...[value, attributes]) => {
		expect(attributesFromJson(value)).toEqual(attributes);
	});

	it.each(['{"1":"Ada"', '{"1":"Ada",}', "{'1':'Ada'}", '["say "hi""]', '[01]', '["two\nlines"]'])(
		'says what is wrong with %j',
		(json) => {
			const { title, description } = refusalOf(() => attributesFromJson(json));
			expect(title).toMatch(/^isn't valid JSON: "[^<\n]{20,150}"$/);
			expect(description).toBe(SYNTAX);
		},
	);

	it.each(words('100.00 1e3 -0 9007199254740993 12.50 1.0'))('says how JSON reads %s', (number) => {
		const title = `has the number "${number}", which JSON reads as "${String(Number(number))}"`;
		const description = "Put it in double quotes, so that it's sent as it's written";
		const check = () => attributesFromJson(`{"1": "\\"", "2": ${number}}`);
		expect(refusalOf(check)).toEqual({ title, description });
	});

	it.each`
		title                                        | description                                    | values
		${'is empty'}                                | ${'Enter {} if the template has no variables'} | ${['', ' \ufeff\n']}
		${NOTHING.title}                             | ${NOTHING.description}                         | ${NOTHING.values}
		${'is …, not an object or a list'}           | ${EXAMPLE}                                     | ${[5, true]}
		${"… isn't a JSON object or list"}           | ${SYNTAX}                                      | ${['Ada [1]', 'null', '"Ada"']}
		${'value 2 received several values at once'} | ${MAP}                                         | ${['{"1":"Ada","2":["Friday"]}', '["Ada", {"__proto__":{"toString":"x"}}]']}
	`('$title', rejects(attributesFromJson));

	it.each([
		['{"1":"a","2":"b","1" : "c"}', '1'],
		['{"1":"Ada","2":"FREE REFUND","2":"Friday"}', '2'],
		['{"1":"a","\\u0031":"b"}', '1'],
	])('%s has a key twice', (json, key) => {
		const { title, description } = refusalOf(() => attributesFromJson(json));
		expect(title).toBe(`has the key "${key}" twice`);
		expect(description).toContain('{{ JSON.stringify($json.name) }}');
	});

	/** Whether it's text or has been parsed before. */
	const bothWays = (json: unknown) => {
		const parsed = refusalOf(() => attributesFromJson(JSON.parse(String(json))));
		expect(refusalOf(() => attributesFromJson(json))).toEqual(parsed);
		return attributesFromJson(json);
	};
	it.each`
		title                                     | description | values
		${'has no value for position 1'}          | ${KEYS}     | ${['{"2":"Friday"}']}
		${'has no value for position 2'}          | ${KEYS}     | ${['{"1":"Ada","10":"Friday"}']}
		${`value 2 ${NOTHING.title}`}             | ${CHECK}    | ${['{"1":"Ada","2":null}']}
		${'value 2 is empty'}                     | ${ENTER}    | ${['["Ada",""]']}
		${'has "a·b" where a number is expected'} | ${KEYS}     | ${['{"1":"Ada","a\\nb":"x"}']}
	`('$title', rejects(bothWays));

	it.each([...words('0 01 1.0 -1 1234567 name １ __proto__ constructor'), ' 1', ''])(
		'the key %j is no position',
		(key) => {
			const refusal = refusalOf(() => bothWays(`{"1":"Ada","${key}":"x"}`));
			expect(refusal).toEqual({
				title: `has "${key}" where a number is expected`,
				description: KEYS,
			});
		},
	);
});

describe('line breaks, tabs and long runs of spaces', () => {
	const TITLE =
		'value 2 has a line break, a tab or more than four spaces in a row, which WhatsApp rejects in templates';
	const DESCRIPTION =
		"Remove them, or set 'Line Breaks in Attributes' under Options to Replace. If the service cleans them up, set it to Keep";
	it.each<[string, string]>([
		['one\ntwo', 'one two'],
		['one \r\n\n two', 'one two'],
		['one\ttwo', 'one two'],
		['\u2028one\u0085\vtwo\f', ' one two '],
		['four    spaces', 'four    spaces'],
		['five\u00a0\u00a0\u00a0\u00a0\u00a0spaces', 'five spaces'],
		['no\u00a0break', 'no\u00a0break'],
	])('%j: kept, replaced by %j or rejected', (value, replaced) => {
		expect(attributesFromList([value], 'keep')).toEqual({ '1': value });
		expect(attributesFromJson(['a', value], 'keep')).toEqual({ '1': 'a', '2': value });
		expect(attributesFromJson({ '1': value }, 'replace')).toEqual({ '1': replaced });
		const rejecting = () => attributesFromList(['a', value]);
		if (replaced === value) expect(rejecting()).toEqual({ '1': 'a', '2': value });
		else expect(refusalOf(rejecting)).toEqual({ title: TITLE, description: DESCRIPTION });
	});
});
