import {
	attributesFromJson,
	attributesFromList,
} from '../../../nodes/OutboundMessaging/validation/attributes';
import { MEGABYTE, refusalOf } from '../help';

const EXAMPLE = 'Write it as {"1": "Ada", "2": "Friday"} or as ["Ada", "Friday"]';
const KEYS = `The keys are the positions "1", "2", … without gaps. ${EXAMPLE}`;
const give = (position: number) =>
	`Give attribute ${position} a text, a number, true or false: the service puts it into the template as it is`;

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
		expect(Object.keys(attributesFromList(values) ?? {})).toEqual([
			'1',
			'2',
			'3',
			'4',
			'5',
			'6',
			'7',
			'8',
			'9',
			'10',
			'11',
			'12',
		]);
	});

	it.each<[string, unknown[], number, string]>([
		['an empty text', ['Ada', ''], 2, 'value 2 is empty'],
		['blanks', [' \u200b\n'], 1, 'value 1 is empty'],
		['null', [null], 1, 'value 1 is null, not text'],
		['undefined', ['a', 'b', undefined], 3, 'value 3 is undefined, not text'],
		['a gap', new Array(2), 1, 'value 1 is undefined, not text'],
		['an object', [{}], 1, 'value 1 is an object, not text'],
		['a list', [['Ada']], 1, 'value 1 is a list, not text'],
		['a date', [new Date(0)], 1, 'value 1 is an object, not text'],
		['no number', [NaN], 1, 'value 1 is "NaN", not text'],
		['no end', [Infinity], 1, 'value 1 is "Infinity", not text'],
	])('refuses %s', (_, values, position, message) => {
		expect(refusalOf(() => attributesFromList(values))).toEqual({ message, fix: give(position) });
	});
});

describe('from JSON', () => {
	it.each<[unknown, Record<string, string> | undefined]>([
		['', undefined],
		[' \n', undefined],
		['{}', undefined],
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
		['{"1":"a","1":"b"}', { '1': 'b' }],
	])('%j becomes %j', (value, attributes) => {
		expect(attributesFromJson(value)).toEqual(attributes);
	});

	it.each<[unknown, string]>([
		['{"1":"Ada"', '"{"1":"Ada"" is not valid JSON'],
		['Ada', '"Ada" is not valid JSON'],
		["{'1':'Ada'}", "\"{'1':'Ada'}\" is not valid JSON"],
		['undefined', '"undefined" is not valid JSON'],
		['[object Object]', '"[object Object]" is not valid JSON'],
		[undefined, 'undefined is not valid JSON'],
		['null', 'is null, neither an object nor a list'],
		[null, 'is null, neither an object nor a list'],
		['5', 'is "5", neither an object nor a list'],
		[5, 'is "5", neither an object nor a list'],
		['"Ada"', 'is "Ada", neither an object nor a list'],
		[true, 'is "true", neither an object nor a list'],
	])('refuses %j: %s', (value, message) => {
		expect(refusalOf(() => attributesFromJson(value))).toEqual({ message, fix: EXAMPLE });
	});

	it.each([
		['{"2":"Friday"}', 'has no value for position 1'],
		['{"1":"Ada","3":"Friday"}', 'has no value for position 2'],
		['{"0":"Ada"}', 'has the key "0", which is not a position'],
		['{"1":"Ada","01":"Friday"}', 'has the key "01", which is not a position'],
		['{"1.0":"Ada"}', 'has the key "1.0", which is not a position'],
		['{"-1":"Ada"}', 'has the key "-1", which is not a position'],
		['{"name":"Ada"}', 'has the key "name", which is not a position'],
		['{" 1":"Ada"}', 'has the key " 1", which is not a position'],
		['{"":"Ada"}', 'has the key "", which is not a position'],
		['{"１":"Ada"}', 'has the key "１", which is not a position'],
		['{"1":"Ada","__proto__":"x"}', 'has the key "__proto__", which is not a position'],
		['{"__proto__":{"1":"Ada"}}', 'has the key "__proto__", which is not a position'],
		['{"constructor":"x"}', 'has the key "constructor", which is not a position'],
		['{"1":"Ada","a\\nb":"x"}', 'has the key "a·b", which is not a position'],
	])('refuses %s: %s', (json, message) => {
		expect(refusalOf(() => attributesFromJson(json))).toEqual({ message, fix: KEYS });
		expect(refusalOf(() => attributesFromJson(JSON.parse(json)))).toEqual({ message, fix: KEYS });
	});

	it.each([
		['{"1":{"name":"Ada"}}', 1, 'value 1 is an object, not text'],
		['{"1":"Ada","2":null}', 2, 'value 2 is null, not text'],
		['{"1":"Ada","2":["Friday"]}', 2, 'value 2 is a list, not text'],
		['["Ada",""]', 2, 'value 2 is empty'],
		['[["Ada"]]', 1, 'value 1 is a list, not text'],
		['{"1":{"__proto__":{"toString":"x"}}}', 1, 'value 1 is an object, not text'],
	])('refuses %s: names position %i', (json, position, message) => {
		expect(refusalOf(() => attributesFromJson(json))).toEqual({ message, fix: give(position) });
	});

	it('what stands on the prototype is no attribute', () => {
		const inherited = Object.create({ '1': 'Ada' }) as object;
		expect(attributesFromJson(inherited)).toBeUndefined();
		attributesFromJson('{"1":"Ada"}');
		expect(({} as Record<string, unknown>)['1']).toBeUndefined();
	});

	it('100,000 values', () => {
		const list = Array.from({ length: 100_000 }, (_, index) => `v${index}`);
		const fromObject = attributesFromJson(
			JSON.stringify(Object.fromEntries(list.map((value, index) => [index + 1, value]))),
		);
		expect(fromObject?.['100000']).toBe('v99999');
		expect(Object.keys(attributesFromJson(list) ?? {})).toHaveLength(100_000);
	});

	it('a megabyte that is no JSON, in few words', () => {
		const { message } = refusalOf(() => attributesFromJson('['.repeat(MEGABYTE)));
		expect(message).toBe(`"${'['.repeat(60)}…" is not valid JSON`);
	});

	it('a megabyte of a value stays as it is', () => {
		const long = 'x'.repeat(MEGABYTE);
		expect(attributesFromJson(JSON.stringify([long]))).toEqual({ '1': long });
	});
});
