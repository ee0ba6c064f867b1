import {
	attributesFromJson,
	attributesFromList,
} from '../../../nodes/OutboundMessaging/validation/attributes';
import { refusalOf } from '../help';

const EXAMPLE = 'Write it as {"1": "Ada", "2": "Friday"} or ["Ada", "Friday"]';
const SYNTAX = `${EXAMPLE}. To map a field, write {{ JSON.stringify($json.name) }} without quotes around it`;
const KEYS = `Use the positions "1", "2", … as keys, without gaps. ${EXAMPLE}`;
const ENTER = 'Enter text, or map a field that has a value';
const FIELD = 'Check that the input item has that field';
const MAP = 'Map one field, e.g. {{ $json.text }}';
const NO_VALUE = 'is empty: the expression found no value';
const SEVERAL = 'received several values at once';
const AS_TEXT =
	'Store it as text where it comes from, e.g. format the spreadsheet column as plain text';
const LOST = '"9007199254740992" is too large for a number: its last digits are lost';

describe('from a list', () => {
	it.each<[unknown[], Record<string, string> | undefined]>([
		[[], undefined],
		[['Ada'], { '1': 'Ada' }],
		[['Ada', 'Friday'], { '1': 'Ada', '2': 'Friday' }],
		[[' Ada\n'], { '1': ' Ada\n' }],
		[[0, -1.5, true, false], { '1': '0', '2': '-1.5', '3': 'true', '4': 'false' }],
		[['__proto__'], { '1': '__proto__' }],
	])('%j becomes %j', (values, attributes) => {
		expect(attributesFromList(values)).toEqual(attributes);
	});

	it('positions of two digits come in their order', () => {
		const values = Array.from({ length: 12 }, (_, index) => `v${index + 1}`);
		const positions = values.map((_, index) => String(index + 1));
		expect(Object.keys(attributesFromList(values) ?? {})).toEqual(positions);
	});

	it.each<[string, unknown[], string, string]>([
		['an empty text', ['Ada', ''], 'value 2 is empty', ENTER],
		['spaces', [' \u00a0\n'], 'value 1 is empty', ENTER],
		['a Hangul filler', ['\u3164'], 'value 1 is empty: it has only invisible characters', ENTER],
		['null', [null], `value 1 ${NO_VALUE}`, FIELD],
		['undefined', ['a', 'b', undefined], `value 3 ${NO_VALUE}`, FIELD],
		['a gap', new Array(2), `value 1 ${NO_VALUE}`, FIELD],
		['an object', [{}], `value 1 ${SEVERAL}`, MAP],
		['a list', [['Ada']], `value 1 ${SEVERAL}`, MAP],
		['a date', [new Date(0)], `value 1 ${SEVERAL}`, MAP],
		['no number', [NaN], 'value 1 is "NaN", not text', 'Check the calculation in the expression'],
		['digits that are lost', ['Ada', 2 ** 53], `value 2 ${LOST}`, AS_TEXT],
	])('rejects %s', (_, values, message, fix) => {
		expect(refusalOf(() => attributesFromList(values))).toEqual({ message, fix });
	});
});

describe('from JSON', () => {
	it.each<[unknown, Record<string, string> | undefined]>([
		['{}', undefined],
		[' { } ', undefined],
		['[ ]\n', undefined],
		['\ufeff\u00a0{"1":"Ada"}\u00a0\n', { '1': 'Ada' }],
		['{ "1" : "Ada" ,\r\n\t"2" : -1.5e-3 }', { '1': 'Ada', '2': '-0.0015' }],
		['["\\u00e9 \\"x\\" \\\\", false]', { '1': 'é "x" \\', '2': 'false' }],
		['[9007199254740991]', { '1': '9007199254740991' }],
		['[]', undefined],
		[{}, undefined],
		[[], undefined],
		['{"1":"Ada","2":"Friday"}', { '1': 'Ada', '2': 'Friday' }],
		['{"2":"Friday","1":"Ada"}', { '1': 'Ada', '2': 'Friday' }],
		['["Ada","Friday"]', { '1': 'Ada', '2': 'Friday' }],
		['{"1": 42, "2": true}', { '1': '42', '2': 'true' }],
		[{ '1': 'Ada' }, { '1': 'Ada' }],
		[
			{ 1: 'Ada', 2: 5 },
			{ '1': 'Ada', '2': '5' },
		],
		[['Ada', 5], { '1': 'Ada', '2': '5' }],
	])('%j becomes %j', (value, attributes) => {
		expect(attributesFromJson(value)).toEqual(attributes);
	});

	const QUOTE = 'a double quote that ends the text';
	it.each<[string, string, string, string]>([
		['{"1":"Ada"', '"," or "}"', 'line 1, column 11', 'the end'],
		['{"1":"Ada",}', 'a key in double quotes', 'line 1, column 12', '"}"'],
		["{'1':'Ada'}", 'a key in double quotes', 'line 1, column 2', "\"'1':'Ada'}\""],
		['{"1" "Ada"}', '":"', 'line 1, column 6', '""Ada"}"'],
		['{"1":"Ada"}}', 'nothing more', 'line 1, column 12', '"}"'],
		['["Ada" "Bo"]', '"," or "]"', 'line 1, column 8', '""Bo"]"'],
		['["say "hi""]', '"," or "]"', 'line 1, column 8', '"hi""]"'],
		['[Ada]', 'a value', 'line 1, column 2', '"Ada]"'],
		['[object Object]', 'a value', 'line 1, column 2', '"object Object]"'],
		['[01]', '"," or "]"', 'line 1, column 3', '"1]"'],
		['\u00a0\n{\n  "1": undefined}', 'a value', 'line 3, column 8', '"undefined}"'],
		['["two\nlines"]', QUOTE, 'line 1, column 6', '"·lines"]"'],
		['["no end\\', QUOTE, 'line 1, column 10', 'the end'],
		['["\\x"]', 'a text without tabs or invalid escapes', 'line 1, column 2', '""\\x"]"'],
	])('says where %j stops being valid JSON', (json, expected, position, found) => {
		expect(refusalOf(() => attributesFromJson(json))).toEqual({
			message: `isn't valid JSON: expected ${expected} at ${position}, found ${found}`,
			fix: SYNTAX,
		});
		expect(() => void JSON.parse(json)).toThrow(SyntaxError);
	});

	it.each<[unknown, string, string]>([
		['', 'is empty', 'Enter {} if the template has no variables'],
		[' \ufeff\n', 'is empty', 'Enter {} if the template has no variables'],
		[undefined, NO_VALUE, FIELD],
		[null, NO_VALUE, FIELD],
		[5, 'is "5", not an object or a list', EXAMPLE],
		[true, 'is "true", not an object or a list', EXAMPLE],
		['Ada', '"Ada" isn\'t a JSON object or list', SYNTAX],
		['null', '"null" isn\'t a JSON object or list', SYNTAX],
		['"Ada"', '""Ada"" isn\'t a JSON object or list', SYNTAX],
		['{"1":"a","2":"b","1":"c"}', 'has the key "1" twice', KEYS],
		['{"1":"a","\\u0031":"a"}', 'has the key "1" twice', KEYS],
	])('rejects %j: %s', (value, message, fix) => {
		expect(refusalOf(() => attributesFromJson(value))).toEqual({ message, fix });
	});

	const notAPosition = (shown: string) => `has ${shown} where a number is expected`;
	it.each([
		['{"2":"Friday"}', 'has no value for position 1'],
		['{"1":"Ada","3":"Friday"}', 'has no value for position 2'],
		...['0', '01', '1.0', '-1', '1234567', 'name', ' 1', '', '１', '__proto__', 'constructor'].map(
			(key) => [`{"1":"Ada","${key}":"x"}`, notAPosition(`"${key}"`)],
		),
		['{"__proto__":{"1":"Ada"}}', notAPosition('"__proto__"')],
		['{"1":"Ada","a\\nb":"x"}', notAPosition('"a·b"')],
	])('rejects %s: %s', (json, message) => {
		expect(refusalOf(() => attributesFromJson(json))).toEqual({ message, fix: KEYS });
		expect(refusalOf(() => attributesFromJson(JSON.parse(json)))).toEqual({ message, fix: KEYS });
	});

	it.each([
		['{"1":{"name":"Ada"}}', `value 1 ${SEVERAL}`],
		['{"1":"Ada","2":["Friday"]}', `value 2 ${SEVERAL}`],
		['[["Ada"]]', `value 1 ${SEVERAL}`],
		['{"1":{"__proto__":{"toString":"x"}}}', `value 1 ${SEVERAL}`],
		['{"1":"Ada","2":null}', `value 2 ${NO_VALUE}`],
		['["Ada",""]', 'value 2 is empty'],
		['["Ada", 9007199254740992]', `value 2 ${LOST}`],
		['{"1": 9007199254740993}', `value 1 ${LOST}`],
	])('rejects %s: names the position', (json, message) => {
		expect(refusalOf(() => attributesFromJson(json)).message).toBe(message);
		expect(refusalOf(() => attributesFromJson(JSON.parse(json))).message).toBe(message);
	});

	it('what is on the prototype is no attribute', () => {
		const inherited = Object.create({ '1': 'Ada' }) as object;
		expect(attributesFromJson(inherited)).toBeUndefined();
		attributesFromJson('{"1":"Ada"}');
		expect(({} as Record<string, unknown>)['1']).toBeUndefined();
	});
});

describe('line breaks, tabs and long runs of spaces', () => {
	it.each<[string, string]>([
		['Ada', 'Ada'],
		['one\ntwo', 'one two'],
		['one\r\ntwo', 'one two'],
		['one \n\n\n two', 'one two'],
		['one\ttwo', 'one two'],
		['\u2028one\u0085\vtwo\f', ' one two '],
		['four    spaces', 'four    spaces'],
		['five     spaces', 'five spaces'],
		['five\u00a0\u00a0\u00a0\u00a0\u00a0spaces', 'five spaces'],
		['no\u00a0break', 'no\u00a0break'],
		[`${' '.repeat(100_000)}x`, ' x'],
	])('%#: kept, replaced or rejected', (...row) => {
		const [value, replaced] = row;
		expect(attributesFromList([value])).toEqual({ '1': value });
		expect(attributesFromJson(['a', value], 'keep')).toEqual({ '1': 'a', '2': value });
		expect(attributesFromJson({ '1': value }, 'replace')).toEqual({ '1': replaced });
		const rejecting = () => attributesFromList(['a', value], 'reject');
		if (replaced === value) expect(rejecting()).toEqual({ '1': 'a', '2': value });
		else
			expect(refusalOf(rejecting)).toEqual({
				message:
					'value 2 has a line break, a tab or more than four spaces in a row, which WhatsApp rejects in templates',
				fix: "Remove them, or set 'Line Breaks in Attributes' under Options to Replace",
			});
	});
});
