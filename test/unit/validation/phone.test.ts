import { phoneNumber } from '../../../nodes/OutboundMessaging/validation/phone';
import { INVISIBLE_MARKS, NOTHING, rejects, rows, SPACES, words } from '../help';

const HYPHENS = '-\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d';
/** As many characters as a number may have. */
const LONGEST = `+1${'\u2009'.repeat(52)}5550100200`;

it.each([
	[LONGEST, '+15550100200'],
	...rows(`00 49 (151) 234-56789 → +4915123456789; 0 0 4915123456789 → +4915123456789;
		+1234567 → +1234567; +123456789012345 → +123456789012345; [+1] 555 0100200 → +15550100200;
		+49 151/23456 → +4915123456; +49 (151)/234-5678 → +491512345678; 0049 30 / 123456 → +4930123456;
		+39 055 12345678 → +3905512345678; 0039 0345 123456 → +390345123456;
		+225 07 01 02 03 04 → +2250701020304; 0091 20 2555 0143 → +912025550143;
		001 202 555 0143 → +12025550143; 007 912 345-67-89 → +79123456789; +1 202 5550143 → +12025550143;
		tel:+49-151-23456789 → +4915123456789; WhatsApp: +15550100200 → +15550100200`),
	// Each country has its lengths. Far from any of them, a numbering plan may be newer than the node's.
	...rows('+290 2158 → +2902158; +1 5550143 → +15550143'),
	// WhatsApp knows old accounts by another length.
	...rows('+52 1 55 1234 5678 → +5215512345678; +55 31 8765-4321 → +553187654321'),
	// A spreadsheet's decimals are no digits; after a hyphen, 0 is a switchboard's.
	...rows('+4915123456789.0 → +4915123456789; +49 30 12345-0 → +4930123450'),
	[' +4915123456789.00\u200b', '+4915123456789'],
	// A 0 that is dialed within the country only.
	...rows(`+44 (0)20 7946 0958 → +442079460958; +49 (0) 30/12345678 → +493012345678;
		0049(0)1512345678 → +491512345678; +44 [0] 20 79460000 → +442079460000`),
])('%j becomes %j', (given, sent) => expect(phoneNumber(given)).toBe(sent));

it('what people put between digits is taken out wherever it is', () => {
	for (const mark of [...INVISIBLE_MARKS, ...SPACES, ...HYPHENS, ...'.()[]']) {
		const given = `${mark}+1${mark}555${mark}${mark}0100200${mark}`;
		expect({ given, sent: phoneNumber(given) }).toEqual({ given, sent: '+15550100200' });
	}
});

describe('rejected', () => {
	const ENTER =
		'Enter the number with a plus sign and the country code, e.g. +15550100200, or map a field that has a value';
	const MAP = 'Map the field that holds the phone number, e.g. {{ $json.phone }}';
	const LENGTH = 'Check the number for missing or extra digits';
	const ABROAD =
		'Write the number with a plus sign as it is dialed from abroad, e.g. +44 20 7946 0958';
	// In Italy, the 0 is dialed from abroad, too; and further back, it's anything.
	const BRACKETED = ['+39 (0)6 12345678', '49 (0) 151 2345678', '+49 151 (0) 2345678'];
	const AS_TEXT =
		'Format the column as plain text. If the 0 is a digit, write the number without dots';
	const DECIMALS = ['+49.30.12345.0', '+49 151 23456789.0', '+49.151.2345678. (0)', '030/12345.0'];
	const WITH_PLUS =
		"Write the number with a plus sign and the country code in front, e.g. +15550100200. If only the plus sign is missing, write +{{ $json.phone }}. If the numbers are in national spelling, set 'Default Country' under Options";
	const NATIONAL = ['15550100200', '0151/2345678', 15550100200, 0, '\u202a0151\r\n234\u202c'];
	NATIONAL.push('00 0151 2345678', '0011 44 20 7946 0958');
	// In Indonesia, 009 is a prefix for calls abroad.
	const INDONESIAN = ['009 1 202 555 0143', '(009) 1-202-555-0143'];
	const DATES = ['2026-11-23', '23.11.2026', '11/23/2026 10:00', '2026-1-3T08:00'];
	const EXPRESSIONS = ['{{ $json.phone }}', '={{ $json.phone }}', '+{{ $json.phone }}'];
	const DIALED_WITHIN = [
		...['+49 0151 23456789', '0044 07911 123456', '+4306641234567', '+36 06 30 123 4567'],
		...['+7 8 (912) 345-67-89', '+54 011 15-2345-6789', '+1 1 202 555 0143'],
		// The plan has no such 0, and people write it anyway. Italy's landlines begin with one: of eleven digits, it's too many.
		...['+48 0512 345 678', '0048 0512345678', '+45 020123456', '+1 0202 555 0143'],
		...['0039 03123456789', '+39 0345 1234567'],
		// Dialed in Australia, where 0011 is the prefix for calls abroad.
		'0011 43 1 5123456',
	];
	const SLASHED = ['+1555010020/0201', '+15550100200/15550100201', '0151 234567/8'];
	const OTHERS = words(`+49/151/2345678 +15550100200/ /+15550100200 +15550100200/+15550100201
		++15550100200 +1555010+0200 fax:+15550100200 tel:tel:+1555010 +١٥٥٥٠١٠٠٢٠٠ +１５５５０１００２００ ＋15550100200`);
	OTHERS.push('+1 555 CALL-NOW', '+15550100200 ext. 5', '+15550100200\n+15550100201');
	it.each`
		message                                                                          | fix                                                                           | values
		${'is empty'}                                                                    | ${ENTER}                                                                      | ${['', ' \t\u00a0\u200b\u061c']}
		${'… has no digits'}                                                             | ${ENTER}                                                                      | ${['-', '+', '00']}
		${'… has a (0) in it'}                                                           | ${ABROAD}                                                                     | ${[...BRACKETED, '(0)30 12345678']}
		${"… ends in .0, which may be a spreadsheet's decimal or a digit"}               | ${AS_TEXT}                                                                    | ${DECIMALS}
		${'… has no plus sign and country code'}                                         | ${WITH_PLUS}                                                                  | ${NATIONAL}
		${'… can mean +912025550143 or +12025550143'}                                    | ${'Write the number with a plus sign and the country code'}                   | ${INDONESIAN}
		${'… looks like a date'}                                                         | ${MAP}                                                                        | ${DATES}
		${'… is in scientific notation, so some of its digits are lost'}                 | ${'Format the column as plain text, then enter the numbers again'}            | ${words('4.91512E+12 +4,91512e12 5E9')}
		${'… is the expression itself, not its value'}                                   | ${'Switch the field from Fixed to Expression'}                                | ${EXPRESSIONS}
		${"… isn't a phone number"}                                                      | ${MAP}                                                                        | ${[-15550100200, 1555010.02, 2 ** 53, NaN]}
		${'… has a 0 where the country code starts'}                                     | ${'Replace the leading 0 with the country code, e.g. +15550100200'}           | ${['+0151 2345678', '+004915112345678']}
		${'… has digits after the country code that are dialed within the country only'} | ${'Remove them, e.g. write +49 151 2345678 instead of +49 0151 2345678'}      | ${DIALED_WITHIN}
		${'… has 1 digit; a phone number has 7 to 15'}                                   | ${LENGTH}                                                                     | ${['+1']}
		${'… has 6 digits; a phone number has 7 to 15'}                                  | ${LENGTH}                                                                     | ${['+123456']}
		${'… has 16 digits; a phone number has 7 to 15'}                                 | ${LENGTH}                                                                     | ${['+1234567890123456']}
		${'… has a digit too many or too few for its country code'}                      | ${LENGTH}                                                                     | ${['+1 202 555 014', '+1 202 555 01433', '+33 6 12 34 56 7']}
		${'… has a slash, which may join two numbers'}                                   | ${'Enter one number, without a slash'}                                        | ${[...SLASHED, '030 1234567/030 7654321']}
		${'… is longer than 64 characters'}                                              | ${'Map a field that holds one phone number'}                                  | ${[`(${LONGEST}`]}
		${"… contains characters that aren't allowed"}                                   | ${'Use +, digits, spaces, dots, hyphens or brackets, e.g. +1 (555) 010-0200'} | ${OTHERS}
		${NOTHING.message}                                                               | ${NOTHING.fix}                                                                | ${NOTHING.values}
		${'is …, not a phone number'}                                                    | ${MAP}                                                                        | ${[true, 10n]}
		${'received several values at once'}                                             | ${MAP}                                                                        | ${[['+15550100200'], { toString: () => '+15550100200' }]}
	`('$message', rejects(phoneNumber));
});
