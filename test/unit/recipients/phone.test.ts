import { phoneNumber } from '../../../nodes/OutboundMessaging/recipients/phone';
import { INVISIBLE_MARKS, itRejects, NO_SINGLE_VALUE, SPACES } from '../help';

const HYPHENS = '-\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d';
/** As many characters as a number may have. */
const LONGEST = `+1${'\u2009'.repeat(52)}5550100200`;

it.each([
	[LONGEST, '+15550100200'],
	['00 49 (151) 234-56789', '+4915123456789'],
	['0 0 4915123456789', '+4915123456789'],
	['+2902158', '+2902158'],
	['+499876543210987', '+499876543210987'],
	['[+1] 555 0100200', '+15550100200'],
	['+49 151/23456', '+4915123456'],
	['+49 (151)/234-5678', '+491512345678'],
	['0049 30 / 123456', '+4930123456'],
	['+39 055 12345678', '+3905512345678'],
	['0039 0345 123456', '+390345123456'],
	['+225 07 01 02 03 04', '+2250701020304'],
	['0091 20 2555 0143', '+912025550143'],
	['002 01012345678', '+201012345678'],
	['001 202 555 0143', '+12025550143'],
	['007 912 345-67-89', '+79123456789'],
	['+1 202 5550143', '+12025550143'],
	['tel:+49-151-23456789', '+4915123456789'],
	['WhatsApp: +15550100200', '+15550100200'],
	['++49 151 23456789', '+4915123456789'],
	['+ +49 151 23456789', '+4915123456789'],
	// What spreadsheets and CSV put around.
	["'+49 151 23456789", '+4915123456789'],
	['"+49 151 23456789"', '+4915123456789'],
	['="+4915123456789"', '+4915123456789'],
	['=+4915123456789', '+4915123456789'],
	['’0049 151 23456789’', '+4915123456789'],
	['"\'+4915123456789"', '+4915123456789'],
	['„+49 151 23456789“', '+4915123456789'],
	['+49 151 23456789;', '+4915123456789'],
	['"+49 151 23456789", ', '+4915123456789'],
	// What WhatsApp's links and gateways make of a full number; after a colon, the device.
	['https://wa.me/4915123456789', '+4915123456789'],
	['wa.me/+4915123456789', '+4915123456789'],
	[
		'https://wa.me/4915123456789?text=Hi%20there%2C%20I%20have%20a%20question%20about%20my%20order',
		'+4915123456789',
	],
	['https://api.whatsapp.com/send?phone=4915123456789&text=Hi', '+4915123456789'],
	['4915123456789@s.whatsapp.net', '+4915123456789'],
	['4915123456789:12@s.whatsapp.net', '+4915123456789'],
	['4915123456789@c.us', '+4915123456789'],
	['5215512345678@c.us', '+5215512345678'],
	['553187654321@s.whatsapp.net', '+553187654321'],
	['whatsapp://send?phone=4915123456789', '+4915123456789'],
	['4915123456789.0:1@s.whatsapp.net', '+4915123456789'],
	['p:+4915123456789', '+4915123456789'],
	// A spreadsheet's decimals are no digits; after a hyphen, 0 is a switchboard's.
	['+4915123456789.0', '+4915123456789'],
	['+49 30 12345-0', '+4930123450'],
	[' +4915123456789.00\u200b', '+4915123456789'],
	// A 0 that is dialed within the country only.
	['+44 (0)20 7946 0958', '+442079460958'],
	['+49 (0) 30/12345678', '+493012345678'],
	['0049(0)1512345678', '+491512345678'],
	['+44 [0] 20 79460000', '+442079460000'],
	['+43/(0)664/1234567', '+436641234567'],
	// A slash after the country code, and one after the area code.
	['0043/664/1234567', '+436641234567'],
	['+49/151/2345678', '+491512345678'],
	['+ 43 / 664 1234567', '+436641234567'],
	['+1/202/5550143', '+12025550143'],
	['+358/40/1234567', '+358401234567'],
])('%j becomes %j', (given, sent) => expect(phoneNumber(given)).toBe(sent));

/**
 * Numbers of new plans and ranges, and of countries with several lengths, that a refusal would keep
 * from their customers.
 */
const LEGITIMATE = [
	'+62 812 345 6789',
	'+62 812 3456 7890',
	'+62 895 1234 56789',
	'+62 812 3456 7890 12',
	'+225 07 01 02 03 04',
	'+225 27 21 23 45 67',
	'+225 07 01 02 03',
	'+225 21 23 45 67',
	'+229 01 97 12 34 56',
	'+229 97 12 34 56',
	'+242 06 612 3456',
	'+241 74 12 34 56',
	'+241 06 03 12 34',
	'+378 66 66 12 12',
	'+378 0549 886377',
	'+39 0549 886377',
	'+383 43 201 234',
	'+383 38 123 456',
	'+970 599 123 456',
	'+972 59 912 3456',
	'+211 977 123 456',
	'+211 91 234 5678',
	'+49 1556 7812345',
	'+49 160 1234567',
	'+1 983 234 5678',
	'+1 686 234 5678',
	'+1 942 234 5678',
	'+52 1 55 1234 5678',
	'+54 11 2345 6789',
	'+55 31 8765 4321',
	'+55 55 99123 4567',
	'+86 197 1234 5678',
	'+91 91234 56789',
	'+91 62345 67890',
	'+973 6612 3456',
	'+84 89 123 4567',
	'+33 7 00 12 34 56',
	'+47 591 23 456',
	'+355 68 123 4567',
	'+375 25 123 4567',
	'+385 97 123 4567',
	'+212 8 12 34 56 78',
	'+263 86 7712 3456',
	'+95 9 12345',
	'+95 9 4200 12345',
	'+43 670 1234567',
	'+43 677 61234567',
	'+352 2612345',
	'+7 771 000 9998',
	'+7 700 123 4567',
	'+998 20 123 4567',
	'+996 22 012 3456',
	'+856 20 5512 3456',
	'+257 31 12 34 56',
	'+239 981 2345',
	'+290 51234',
	'+690 7290',
	'+688 901234',
	'+508 808 12 34 56',
	'+881 612 345 678',
	'+882 1312345678',
	'+883 5100 12345678',
	'+870 773 111 632',
	'+49 4941 12345',
	'+49 4921 12345678',
	'+49 491 5123456',
	'+62 628 1234567',
	'+27 27 810 9599',
	'+20 20 1234 5678',
];
it.each(LEGITIMATE)('%s is taken', (number) =>
	expect(phoneNumber(number)).toBe(number.replaceAll(' ', '')),
);

it('the digits of every script are digits', () => {
	const all = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).join('');
	for (const [script] of all.matchAll(/\p{Nd}{10}/gu)) {
		const given = '+15550100200'.replace(/\d/g, (digit) => [...script][Number(digit)]);
		expect(phoneNumber(given)).toBe('+15550100200');
	}
});

it('what people put between digits is taken out wherever it is', () => {
	for (const mark of [...INVISIBLE_MARKS, ...SPACES, ...HYPHENS, ...'.()[]']) {
		const given = `${mark}+1${mark}555${mark}${mark}0100200${mark}`;
		expect({ given, sent: phoneNumber(given) }).toEqual({ given, sent: '+15550100200' });
	}
});

const MISSING_PLUS = (where: string) =>
	"Add the country code, e.g. +15550100200, or set 'Default Country' under Options. If it's " +
	`${where}, only the plus sign is missing: put a + in front of the number, or of the ` +
	'expression in this field';
const ONCE = (fix: string) =>
	`${fix}. If 'Customer Phone' has a code before the expression, remove it`;
const LENGTH = '… has too many or too few digits for its country code';
itRejects(phoneNumber, {
	'is empty': ['', ' \t\u00a0\u200b\u061c'],
	'… has no digits': ['-', '+', '00'],
	// In Italy, the 0 is dialed from abroad, too; and further back, it's anything.
	'… has a (0) in it': [
		'+39 (0)6 12345678',
		'49 (0) 151 2345678',
		'+49 151 (0) 2345678',
		'(0)30 12345678',
	],
	"… ends in .0, which may be a spreadsheet's decimal or a digit": [
		'+49.30.12345.0',
		'+49 151 23456789.0',
		'+49.151.2345678. (0)',
		'030/12345.0',
	],
	'… has no plus sign and country code': [
		'15550100200',
		'0151/2345678',
		'00 0151 2345678',
		'0011 44 20 7946 0958',
		...[15550100200, 0, '\u202a0151\r\n234\u202c'],
	],
	// As an international number, each is someone's.
	[`… has no plus sign and country code\n${MISSING_PLUS('+61412345678 in Australia')}`]: [
		'614 123 456 78',
	],
	[`… has no plus sign and country code\n${MISSING_PLUS('+4915123456789 in Germany')}`]: [
		'4915123456789',
	],
	// In Indonesia, 009 is a prefix for calls abroad; without the space, it's a number of India.
	"… begins with 00 and one digit, which may be a carrier's prefix": [
		'009 1 202 555 0143',
		'(009) 1-202-555-0143',
		'008/1/202 555 0143',
	],
	'… looks like a date': [
		'2026-11-23',
		'23.11.2026',
		'23.11.26',
		'26-11-23',
		'11/23/2026 10:00',
		'2026-1-3T08:00',
	],
	'… is in scientific notation, so digits are lost': ['4.91512E+12', '+4,91512e12', '5E9'],
	'is …, not a phone number': [-15550100200, 1555010.02, 2 ** 53, NaN, true, 10n],
	'… has a 0 where the country code starts': ['+0151 2345678', '+004915112345678'],
	// The plan of Poland has no such 0, and people write it anyway. Italy's landlines begin with one:
	// of eleven digits, it's too many. The last one is dialed in Australia, where 0011 is the prefix
	// for calls abroad.
	['… has digits after the country code that are dialed within the country only\n' +
	'Remove them: write +49 151 23456789 instead of +49 0151 23456789, and +54 9 11 2345 6789 ' +
	'instead of +54 11 15 2345 6789']: [
		'+49 0151 23456789',
		'0044 07911 123456',
		'0049/030/1234567',
		'+4306641234567',
		'+36 06 30 123 4567',
		'+7 8 (912) 345-67-89',
		'+54 (11) 15 2345-6789',
		'+54 011 15-2345-6789',
		'0054 11 15 23456789',
		'+1 1 202 555 0143',
		'+52 01 55 1234 5678',
		'+52 044 55 1234 5678',
		'+48 0512 345 678',
		'0048 0512345678',
		'+45 020123456',
		'+1 0202 555 0143',
		'0039 03123456789',
		'+39 0345 1234567',
		'0011 43 1 5123456',
	],
	[`… has the country code twice\n${ONCE('Write +4915123456789')}`]: [
		'+49 49 151 23456789',
		'+494915123456789',
		'+4949 151 23456789',
	],
	[`… has the country code twice\n${ONCE('Write +919876543210')}`]: [
		'+91 91 98765 43210',
		'0091 91 98765 43210',
	],
	// What =+91{{ $json.phone }} makes of a number that is complete.
	[`… has the country code twice\n${ONCE('Leave only the right one')}`]: [
		'+91+919812345678',
		'+91 +91 98123 45678',
		'0091+919812345678',
		'+1+15550100200',
		'+49+919812345678',
	],
	"… begins with a country code that doesn't exist": [
		'+999 123 4567',
		'+210 1234567',
		'+4294915123',
	],
	'… has an area code that begins with 1; with the country code 1, none does': ['+1 123 456 7890'],
	[`${LENGTH}\nCheck the number for missing or extra digits`]: [
		'+1 202 555 014',
		'+1 202 555 01433',
		'+33 6 12 34 56 7',
		'+1 5550143',
		'0043 4151',
	],
	[`${LENGTH}\n` +
	'Check the number for missing or extra digits. In an event from WhatsApp, it may be a ' +
	'hidden user ID, which is no phone number']: ['+184069530861739'],
	'… is a hidden user ID of WhatsApp, not a phone number': [
		'184069530861739@lid',
		'184069530861739@hosted.lid',
		'US.13491208655302741918',
		'US.ENT.11815799212886844830',
	],
	'… is a group or channel of WhatsApp, not one person': [
		'120363041234567890@g.us',
		'status@broadcast',
	],
	'… is an email address': ['ada@example.com'],
	'… stands for no value': ['null', 'N/A', 'none'],
	'… may hold several numbers': [
		'+15550100200/+15550100201',
		'+1555010+0200',
		'+15550100200, +15550100201',
		...['+15550100200\n+15550100201', '15550100200;15550100201'],
		// A slash may join two numbers.
		'+1555010020/0201',
		'+15550100200/15550100201',
		'0151 234567/8',
		'+43/664/1234',
		'+4366/412345/67890',
		'0664/123/45678',
		'0043/664/12345/67890',
		'030/123456/654321',
		'030 1234567/030 7654321',
	],
	'… has letters in it': [
		'Ada +15550100200',
		'+1 555 CALL-NOW',
		'+15550100200 (mobile)',
		'fax:+15550100200',
		'tel:tel:+1555010',
		'+1 555 010 0200 x12',
		'+15550100200 (ext 5)',
		'0151 2345678 or 0160 2345678',
		'+15550100200,wa.me/15550100201',
	],
	'… is longer than 64 characters': [`(${LONGEST}`],
	"… contains characters that aren't allowed": ['+15550100200/', '/+15550100200', '+①5550100200'],
	...NO_SINGLE_VALUE,
});
