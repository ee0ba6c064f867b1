import { phoneNumber } from '../../../nodes/OutboundMessaging/validation/phone';
import { SPACES, INVISIBLE_MARKS, refusalOf, visible, words } from '../help';

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
		['+1 [555] 010-0200', '+15550100200'],
		['[+1] 555 0100200', '+15550100200'],
		['+49 151/23456', '+4915123456'],
		['+49 (151)/234-5678', '+491512345678'],
		['0049 30 / 123456', '+4930123456'],
	])('%j becomes %s', (given, sent) => {
		expect(phoneNumber(given)).toBe(sent);
	});

	const separators = [...INVISIBLE_MARKS, ...SPACES, ...HYPHENS, '.', '(', ')', '[', ']'];
	it.each(separators.map((mark) => [visible(mark), mark]))(
		'%s is taken out wherever it is',
		(_, mark) => {
			expect(phoneNumber(`${mark}+1${mark}555${mark}${mark}0100200${mark}`)).toBe('+15550100200');
		},
	);
});

describe('rejected', () => {
	const NO_COUNTRY_CODE =
		"Write the number with a plus sign and the country code in front, e.g. +15550100200. If only the plus sign is missing, write +{{ $json.phone }}. If the numbers are in national spelling, set 'Default Country' under Options";
	const noPlus = (shown: string) => `${shown} has no plus sign and country code`;
	const CHARACTERS = 'Use +, digits, spaces, dots, hyphens or brackets, e.g. +1 (555) 010-0200';
	const TRUNK_ZERO =
		"Remove the (0): it's dialed within the country only, and not after a country code";
	const LENGTH = 'Check the number for missing or extra digits';
	const LEADING_ZERO = 'Replace the leading 0 with the country code, e.g. +15550100200';
	const ENTER =
		'Enter the number with a plus sign and the country code, e.g. +15550100200, or map a field that has a value';
	const MAP = 'Map the field that holds the phone number, e.g. {{ $json.phone }}';
	const ONE_NUMBER = 'Enter one number, without a slash';
	const slash = (shown: string) => `${shown} has a slash, which may join two numbers`;
	const FIELD = 'Check that the input item has that field';
	const NO_VALUE = 'is empty: the expression found no value';

	it.each<[unknown, string, string]>([
		['', 'is empty', ENTER],
		[' \t\u00a0\u200b\u061c', 'is empty', ENTER],
		['-', '"-" has no digits', ENTER],
		['+', '"+" has no digits', ENTER],
		['00', '"00" has no digits', ENTER],
		['+49 (0) 151 2345678', '"+49 (0) 151 2345678" has a (0) in it', TRUNK_ZERO],
		['0049(0)1512345678', '"0049(0)1512345678" has a (0) in it', TRUNK_ZERO],
		['+44 ( 0 ) 20 79460000', '"+44 ( 0 ) 20 79460000" has a (0) in it', TRUNK_ZERO],
		['+44 (\u200b0\u00a0 ) 20', '"+44 (·0\u00a0 ) 20" has a (0) in it', TRUNK_ZERO],
		['+44 [0] 20 79460000', '"+44 [0] 20 79460000" has a (0) in it', TRUNK_ZERO],
		['15550100200', noPlus('"15550100200"'), NO_COUNTRY_CODE],
		['0151 2345678', noPlus('"0151 2345678"'), NO_COUNTRY_CODE],
		['0151/2345678', noPlus('"0151/2345678"'), NO_COUNTRY_CODE],
		[15550100200, noPlus('"15550100200"'), NO_COUNTRY_CODE],
		[0, noPlus('"0"'), NO_COUNTRY_CODE],
		[-15550100200, '"-15550100200" isn\'t a phone number', MAP],
		[1555010.02, '"1555010.02" isn\'t a phone number', MAP],
		[2 ** 53, '"9007199254740992" isn\'t a phone number', MAP],
		[NaN, '"NaN" isn\'t a phone number', MAP],
		['+0151 2345678', '"+0151 2345678" has a 0 where the country code starts', LEADING_ZERO],
		['00 0151 2345678', '"00 0151 2345678" has a 0 where the country code starts', LEADING_ZERO],
		['+004915112345678', '"+004915112345678" has a 0 where the country code starts', LEADING_ZERO],
		['+123456', '"+123456" has 6 digits; a phone number has 7 to 15', LENGTH],
		['+1', '"+1" has 1 digit; a phone number has 7 to 15', LENGTH],
		['+1234567890123456', '"+1234567890123456" has 16 digits; a phone number has 7 to 15', LENGTH],
		['+1555010020/0201', slash('"+1555010020/0201"'), ONE_NUMBER],
		['+15550100200/15550100201', slash('"+15550100200/15550100201"'), ONE_NUMBER],
		['0151 234567/8', slash('"0151 234567/8"'), ONE_NUMBER],
		[null, NO_VALUE, FIELD],
		[undefined, NO_VALUE, FIELD],
		[true, 'is "true", not a phone number', MAP],
		[10n, 'is "10", not a phone number', MAP],
		[['+15550100200'], 'received several values at once', MAP],
		[{ phone: '+15550100200' }, 'received several values at once', MAP],
		[{ toString: () => '+15550100200' }, 'received several values at once', MAP],
	])('%p: %s', (value, message, fix) => {
		expect(refusalOf(() => phoneNumber(value))).toEqual({ message, fix });
	});

	it.each([
		...words(`+49/151/2345678 +15550100200/ /+15550100200 +15550100200/+15550100201 ++15550100200
			+1555010+0200 tel:+15550100200 +١٥٥٥٠١٠٠٢٠٠ +１５５５０１００２００ +۱۵۵۵۰۱۰۰۲۰۰ ＋15550100200`),
		'+1 555 CALL-NOW',
		'+15550100200 ext. 5',
		'<a href="x">+1</a>',
		// One number on each line.
		'+15550100200\n+15550100201',
	])('%j: other characters', (value) => {
		const shown = value.replaceAll('<', '‹').replace('\n', '·');
		const message = `"${shown}" contains characters that aren't allowed`;
		expect(refusalOf(() => phoneNumber(value))).toEqual({ message, fix: CHARACTERS });
	});

	it('a number with its marks, on one line', () => {
		expect(refusalOf(() => phoneNumber('\u202a0151\r\n234\u202c')).message).toBe(
			'"·0151··234·" has no plus sign and country code',
		);
	});

	it('more than 64 characters', () => {
		const longest = `+1${'\u2009'.repeat(52)}5550100200`;
		expect(phoneNumber(longest)).toBe('+15550100200');
		const { message, fix } = refusalOf(() => phoneNumber(`(${longest}`));
		expect(message).toMatch(/^"[^"]{60}…" is longer than 64 characters$/);
		expect(fix).toBe('Map a field that holds one phone number');
	});
});
