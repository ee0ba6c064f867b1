import { identifier } from '../../../nodes/OutboundMessaging/validation/identifier';
import { BLANKS, INVISIBLE_MARKS, MEGABYTE, refusalOf } from '../help';

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

it('a megabyte stays as it is', () => {
	const long = 'x'.repeat(MEGABYTE);
	expect(identifier(` ${long} `)).toBe(long);
});

describe('refused', () => {
	const TEXT = 'Map the field that holds the ID';
	const EMPTY = 'Enter the ID, or map the field that holds it';
	const WHOLE = 'Map the field that holds the ID, as text or as a whole number';
	const DIGITS =
		'Keep the ID as text where it comes from, e.g. format the column of the sheet as plain text';
	const lost = (shown: string) =>
		`"${shown}" is too large for a number: its last digits are already lost`;

	it.each<[unknown, string, string]>([
		['', 'is empty', EMPTY],
		[BLANKS.join(''), 'is empty', EMPTY],
		[INVISIBLE_MARKS.join(''), 'is empty', EMPTY],
		[' '.repeat(MEGABYTE), 'is empty', EMPTY],
		[47.11, '"47.11" is not a whole number', WHOLE],
		[-1, '"-1" is not a whole number', WHOLE],
		[NaN, '"NaN" is not a whole number', WHOLE],
		[2 ** 53, lost('9007199254740992'), DIGITS],
		[-(2 ** 53), lost('-9007199254740992'), DIGITS],
		[1e21, lost('1e+21'), DIGITS],
		[Infinity, lost('Infinity'), DIGITS],
		[null, 'is null, not an ID', TEXT],
		[undefined, 'is undefined, not an ID', TEXT],
		[false, 'is "false", not an ID', TEXT],
		[['4711'], 'is a list, not an ID', TEXT],
		[{ id: '4711' }, 'is an object, not an ID', TEXT],
		[new Date(0), 'is an object, not an ID', TEXT],
		[Symbol('4711'), 'is "Symbol(4711)", not an ID', TEXT],
	])('%#: %s', (...row) => {
		const [value, message, fix] = row;
		expect(refusalOf(() => identifier(value))).toEqual({ message, fix });
	});
});
