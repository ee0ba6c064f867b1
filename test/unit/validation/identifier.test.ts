import { identifier } from '../../../nodes/OutboundMessaging/validation/identifier';
import { SPACES, INVISIBLE_MARKS, MEGABYTE, refusalOf } from '../help';

it.each<[unknown, string]>([
	['4711', '4711'],
	['  4711 ', '4711'],
	['\u200e4711\u200f', '4711'],
	['\ufeff4711\u00a0\r\n', '4711'],
	['0042', '0042'],
	['order_confirmation', 'order_confirmation'],
	['a b', 'a b'],
	['a\u200bb', 'a\u200bb'],
	['é😀', 'é😀'],
	['__proto__', '__proto__'],
	['1e21', '1e21'],
	['9007199254740993', '9007199254740993'],
	[4711, '4711'],
	[0, '0'],
	[-0, '0'],
	[Number.MAX_SAFE_INTEGER, '9007199254740991'],
])('%p becomes %j', (given, sent) => {
	expect(identifier(given)).toBe(sent);
});

it('256 characters at most, spaces around it not counted', () => {
	const longest = 'x'.repeat(256);
	expect(identifier(` ${longest}\n`)).toBe(longest);
	for (const long of [`${longest}x`, 'x'.repeat(MEGABYTE)]) {
		expect(refusalOf(() => identifier(long))).toEqual({
			message: `"${'x'.repeat(60)}…" is longer than 256 characters`,
			fix: 'Map the field that holds the ID, and nothing else',
		});
	}
});

describe('rejected', () => {
	const TEXT = 'Map the field that holds the ID';
	const EMPTY = 'Enter the ID, or map a field that has a value';
	const NO_VALUE = 'is empty: the expression found no value';
	const FIELD = 'Check that the input item has that field';
	const SEVERAL = 'received several values at once';
	const WHOLE = 'Map the field that holds the ID, as text or as a whole number';
	const DIGITS =
		'Store it as text where it comes from, e.g. format the spreadsheet column as plain text';
	const lost = (shown: string) => `"${shown}" is too large for a number: its last digits are lost`;

	it.each<[unknown, string, string]>([
		['', 'is empty', EMPTY],
		[SPACES.join(''), 'is empty', EMPTY],
		[INVISIBLE_MARKS.join(''), 'is empty', EMPTY],
		[' '.repeat(MEGABYTE), 'is empty', EMPTY],
		[47.11, '"47.11" isn\'t a whole number', WHOLE],
		[-1, '"-1" isn\'t a whole number', WHOLE],
		[NaN, '"NaN" isn\'t a whole number', WHOLE],
		[2 ** 53, lost('9007199254740992'), DIGITS],
		[-(2 ** 53), lost('-9007199254740992'), DIGITS],
		[1e21, lost('1e+21'), DIGITS],
		[Infinity, '"Infinity" isn\'t a whole number', WHOLE],
		[null, NO_VALUE, FIELD],
		[undefined, NO_VALUE, FIELD],
		[false, 'is "false", not an ID', TEXT],
		[['4711'], SEVERAL, TEXT],
		[{ id: '4711' }, SEVERAL, TEXT],
		[new Date(0), SEVERAL, TEXT],
		[Symbol('4711'), 'is "Symbol(4711)", not an ID', TEXT],
	])('row %#', (...row) => {
		const [value, message, fix] = row;
		expect(refusalOf(() => identifier(value))).toEqual({ message, fix });
	});
});
