import { messageText } from '../../../nodes/OutboundMessaging/validation/text';
import { SPACES, INVISIBLE_MARKS, MEGABYTE, refusalOf } from '../help';

describe('sent untouched', () => {
	it.each<[unknown, string]>([
		['Hello', 'Hello'],
		['  two spaces before, a line break after\n', '  two spaces before, a line break after\n'],
		['\u200eleft to right', '\u200eleft to right'],
		['Family: 👨‍👩‍👧, café, ﷽', 'Family: 👨‍👩‍👧, café, ﷽'],
		['{{ 1 }} <b>&amp;</b> \\n "quoted"', '{{ 1 }} <b>&amp;</b> \\n "quoted"'],
		['\u0000.\u00ad', '\u0000.\u00ad'],
		['👍🏽', '👍🏽'],
		['﷽', '﷽'],
		['null', 'null'],
		['0', '0'],
		[0, '0'],
		[-1.5, '-1.5'],
		[Number.MAX_SAFE_INTEGER, '9007199254740991'],
		[1e-7, '1e-7'],
		[true, 'true'],
		[false, 'false'],
	])('%p', (given, sent) => {
		expect(messageText(given)).toBe(sent);
	});

	it('a megabyte', () => {
		const long = `${' '.repeat(MEGABYTE)}x${' '.repeat(MEGABYTE)}`;
		expect(messageText(long)).toBe(long);
	});
});

describe('rejected', () => {
	const ENTER = 'Enter text, or map a field that has a value';
	const INVISIBLE = 'is empty: it has only invisible characters';
	const MAP = 'Map one field, e.g. {{ $json.text }}';
	const CALCULATION = 'Check the calculation in the expression';
	const FIELD = 'Check that the input item has that field';
	const AS_TEXT =
		'Store it as text where it comes from, e.g. format the spreadsheet column as plain text';

	it.each<[unknown, string, string]>([
		['', 'is empty', ENTER],
		[' ', 'is empty', ENTER],
		[SPACES.join(''), 'is empty', ENTER],
		['\n'.repeat(MEGABYTE), 'is empty', ENTER],
		[INVISIBLE_MARKS.join(''), INVISIBLE, ENTER],
		['\u3164', INVISIBLE, ENTER],
		['\u115f\u1160 \uffa0', INVISIBLE, ENTER],
		['\u00ad\u00ad', INVISIBLE, ENTER],
		['\u2800\n\u2800', INVISIBLE, ENTER],
		['\ufe0f\u034f\u061c\u180e\u{e0020}', INVISIBLE, ENTER],
		['\u0000\u001b\u007f', INVISIBLE, ENTER],
		['\u3164'.repeat(MEGABYTE), INVISIBLE, ENTER],
		[null, 'is empty: the expression found no value', FIELD],
		[undefined, 'is empty: the expression found no value', FIELD],
		[NaN, 'is "NaN", not text', CALCULATION],
		[Infinity, 'is "Infinity", not text', CALCULATION],
		[-Infinity, 'is "-Infinity", not text', CALCULATION],
		[2 ** 53, '"9007199254740992" is too large for a number: its last digits are lost', AS_TEXT],
		[-1e21, '"-1e+21" is too large for a number: its last digits are lost', AS_TEXT],
		[10n, 'is "10", not text', MAP],
		[['Hello'], 'received several values at once', MAP],
		[{ text: 'Hello' }, 'received several values at once', MAP],
		[new Date(0), 'received several values at once', MAP],
	])('row %#', (...row) => {
		const [value, message, fix] = row;
		expect(refusalOf(() => messageText(value))).toEqual({ message, fix });
	});
});
