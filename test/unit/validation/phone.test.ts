import { phoneNumber } from '../../../nodes/OutboundMessaging/validation/phone';
import { BLANKS, INVISIBLE_MARKS, MEGABYTE, refusalOf, visible } from '../help';

const HYPHENS = [
	...[0x2d, 0xad, 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015],
	...[0x2212, 0xfe58, 0xfe63, 0xff0d],
].map((code) => String.fromCharCode(code));

describe('taken', () => {
	it.each([
		['+15550100200', '+15550100200'],
		['+1 (555) 010-0200', '+15550100200'],
		['+1.555.010.0200', '+15550100200'],
		['  +49 151 2345678\n', '+491512345678'],
		['004915123456789', '+4915123456789'],
		['00 49 (151) 234-56789', '+4915123456789'],
		['0 0 4915123456789', '+4915123456789'],
		['+1234567', '+1234567'],
		['+123456789012345', '+123456789012345'],
		['+ 1 2 3 4 5 6 7', '+1234567'],
	])('%j becomes %s', (given, sent) => {
		expect(phoneNumber(given)).toBe(sent);
	});

	const separators = [...INVISIBLE_MARKS, ...BLANKS, ...HYPHENS, '.', '(', ')'];
	it.each(separators.map((mark) => [visible(mark), mark]))(
		'%s is taken out wherever it stands',
		(_, mark) => {
			expect(phoneNumber(`${mark}+1${mark}555${mark}${mark}0100200${mark}`)).toBe('+15550100200');
		},
	);
});

describe('refused', () => {
	const NO_COUNTRY_CODE =
		'Write the number with a plus sign and the country code in front, e.g. +15550100200. If your list holds the country code without the plus, put a + before the expression: +{{ $json.phone }}';
	const NOT_DIGITS = 'Use only a plus sign, the country code and digits 0 to 9, e.g. +15550100200';
	const TRUNK_ZERO =
		'Take the (0) out: it is dialled within the country only, and not after a country code';
	const LENGTH = 'Check the number: digits are missing or there are too many';
	const LEADING_ZERO = 'Replace the leading 0 by the country code, e.g. +15550100200';
	const EMPTY = 'Enter the number with a plus sign and the country code, e.g. +15550100200';
	const NO_VALUE = 'Map the field that holds the phone number, e.g. {{ $json.phone }}';

	it.each<[unknown, string, string]>([
		['', 'is empty', EMPTY],
		[' \t\u00a0\u200b', 'is empty', EMPTY],
		['-', 'is empty', EMPTY],
		['+49 (0) 151 2345678', '"+49 (0) 151 2345678" has a (0) in it', TRUNK_ZERO],
		['0049(0)1512345678', '"0049(0)1512345678" has a (0) in it', TRUNK_ZERO],
		['15550100200', '"15550100200" has no plus sign and country code', NO_COUNTRY_CODE],
		['0151 2345678', '"0151 2345678" has no plus sign and country code', NO_COUNTRY_CODE],
		[15550100200, '"15550100200" has no plus sign and country code', NO_COUNTRY_CODE],
		[-15550100200, '"-15550100200" has no plus sign and country code', NO_COUNTRY_CODE],
		[1555010.02, '"1555010.02" has no plus sign and country code', NO_COUNTRY_CODE],
		[0, '"0" has no plus sign and country code', NO_COUNTRY_CODE],
		[2 ** 53, '"9007199254740992" has no plus sign and country code', NO_COUNTRY_CODE],
		[1e21, '"1e+21" is not a phone number', NOT_DIGITS],
		[NaN, '"NaN" is not a phone number', NOT_DIGITS],
		[Infinity, '"Infinity" is not a phone number', NOT_DIGITS],
		['+0151 2345678', '"+0151 2345678" has a 0 where the country code starts', LEADING_ZERO],
		['00 0151 2345678', '"00 0151 2345678" has a 0 where the country code starts', LEADING_ZERO],
		['+004915112345678', '"+004915112345678" has a 0 where the country code starts', LEADING_ZERO],
		['+123456', '"+123456" has 6 digits; a phone number has 7 to 15', LENGTH],
		['+1', '"+1" has 1 digits; a phone number has 7 to 15', LENGTH],
		['+1234567890123456', '"+1234567890123456" has 16 digits; a phone number has 7 to 15', LENGTH],
		['+', '"+" is not a phone number', NOT_DIGITS],
		['00', '"00" is not a phone number', NOT_DIGITS],
		['++15550100200', '"++15550100200" is not a phone number', NOT_DIGITS],
		['+1555010+0200', '"+1555010+0200" is not a phone number', NOT_DIGITS],
		['+1 555 CALL-NOW', '"+1 555 CALL-NOW" is not a phone number', NOT_DIGITS],
		['+15550100200 ext. 5', '"+15550100200 ext. 5" is not a phone number', NOT_DIGITS],
		['+15550100200/+15550100201', '"+15550100200/+15550100201" is not a phone number', NOT_DIGITS],
		['tel:+15550100200', '"tel:+15550100200" is not a phone number', NOT_DIGITS],
		['+١٥٥٥٠١٠٠٢٠٠', '"+١٥٥٥٠١٠٠٢٠٠" is not a phone number', NOT_DIGITS],
		['+１５５５０１００２００', '"+１５５５０１００２００" is not a phone number', NOT_DIGITS],
		['+۱۵۵۵۰۱۰۰۲۰۰', '"+۱۵۵۵۰۱۰۰۲۰۰" is not a phone number', NOT_DIGITS],
		['＋15550100200', '"＋15550100200" is not a phone number', NOT_DIGITS],
		[null, 'is null, not a phone number', NO_VALUE],
		[undefined, 'is undefined, not a phone number', NO_VALUE],
		[true, 'is "true", not a phone number', NO_VALUE],
		[10n, 'is "10", not a phone number', NO_VALUE],
		[['+15550100200'], 'is a list, not a phone number', NO_VALUE],
		[{ phone: '+15550100200' }, 'is an object, not a phone number', NO_VALUE],
		[{ toString: () => '+15550100200' }, 'is an object, not a phone number', NO_VALUE],
		[new Date(0), 'is an object, not a phone number', NO_VALUE],
	])('%p: %s', (value, message, fix) => {
		expect(refusalOf(() => phoneNumber(value))).toEqual({ message, fix });
	});

	it('a number with its marks, on one line', () => {
		expect(refusalOf(() => phoneNumber('\u202a0151\r\n234\u202c')).message).toBe(
			'"·0151··234·" has no plus sign and country code',
		);
	});

	it('a number followed by a line break and another one', () => {
		expect(refusalOf(() => phoneNumber('+15550100200\n+15550100201')).message).toBe(
			'"+15550100200·+15550100201" is not a phone number',
		);
	});

	it.each([
		['digits', `+${'1'.repeat(MEGABYTE)}`, 'has 1000000 digits'],
		['digits without a plus', '1'.repeat(MEGABYTE), 'has no plus sign'],
		['blanks', ' '.repeat(MEGABYTE), 'is empty'],
		['blanks before a letter', `${' '.repeat(MEGABYTE)}x`, 'is not a phone number'],
		['pluses', '+'.repeat(MEGABYTE), 'is not a phone number'],
		['zeros', '0'.repeat(MEGABYTE), 'has a 0 where the country code starts'],
	])('a megabyte of %s, in few words', (_, value, message) => {
		const refusal = refusalOf(() => phoneNumber(value));
		expect(refusal.message).toContain(message);
		expect(refusal.message.length).toBeLessThan(150);
	});
});
