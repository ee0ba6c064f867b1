import {
	asText,
	describeInvalid,
	messageText,
} from '../../../nodes/OutboundMessaging/validation/text';
import { BLANKS, INVISIBLE_MARKS, MEGABYTE, refusalOf } from '../help';

describe('sent untouched', () => {
	it.each<[unknown, string]>([
		['Hello', 'Hello'],
		['  two blanks before, a line break after\n', '  two blanks before, a line break after\n'],
		['\u200eleft to right', '\u200eleft to right'],
		['Family: 👨‍👩‍👧, café, ﷽', 'Family: 👨‍👩‍👧, café, ﷽'],
		['{{ 1 }} <b>&amp;</b> \\n "quoted"', '{{ 1 }} <b>&amp;</b> \\n "quoted"'],
		['\u0000', '\u0000'],
		['null', 'null'],
		['0', '0'],
		[0, '0'],
		[-1.5, '-1.5'],
		[1e21, '1e+21'],
		[true, 'true'],
		[false, 'false'],
	])('%p', (given, sent) => {
		expect(messageText(given)).toBe(sent);
		expect(asText(given)).toBe(sent);
	});

	it('a megabyte', () => {
		const long = `${' '.repeat(MEGABYTE)}x${' '.repeat(MEGABYTE)}`;
		expect(messageText(long)).toBe(long);
	});
});

describe('refused', () => {
	it.each<[unknown, string]>([
		['', 'is empty'],
		[' ', 'is empty'],
		[BLANKS.join(''), 'is empty'],
		[INVISIBLE_MARKS.join(''), 'is empty'],
		['\n'.repeat(MEGABYTE), 'is empty'],
		[null, 'is null, not text'],
		[undefined, 'is undefined, not text'],
		[NaN, 'is "NaN", not text'],
		[Infinity, 'is "Infinity", not text'],
		[-Infinity, 'is "-Infinity", not text'],
		[['Hello'], 'is a list, not text'],
		[{ text: 'Hello' }, 'is an object, not text'],
		[new Date(0), 'is an object, not text'],
	])('%#: %s', (...row) => {
		const [value, message] = row;
		expect(refusalOf(() => messageText(value))).toEqual({
			message,
			fix: 'Enter the text, or map a field that holds text, e.g. {{ $json.text }}',
		});
		expect(asText(value)).toBeUndefined();
		expect(describeInvalid(value)).toBe(message);
	});
});
