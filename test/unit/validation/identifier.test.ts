import { customerId, identifier } from '../../../nodes/OutboundMessaging/validation/identifier';
import { INVISIBLE_MARKS, NOTHING, rejects, rows, SPACES, STORE_AS_TEXT } from '../help';

it('spaces and invisible marks are taken off both ends, and stay in the middle', () => {
	for (const mark of [...SPACES, ...INVISIBLE_MARKS, '\u00ad', '\u061c', '\u3164']) {
		expect(identifier(`${mark}${mark}a${mark}b${mark}${mark}`)).toBe(`a${mark}b`);
	}
});

it.each<[unknown, string]>([
	['0042', '0042'],
	['é😀 ', 'é😀'],
	['__proto__', '__proto__'],
	['9007199254740993', '9007199254740993'],
	[-0, '0'],
	[Number.MAX_SAFE_INTEGER, '9007199254740991'],
	[` ${'x'.repeat(256)}\n`, 'x'.repeat(256)],
])('%p becomes %j', (given, sent) => expect(identifier(given)).toBe(sent));

it.each<[unknown, string]>([
	...rows(`4711.0 → 4711; 47.00 → 47; 0042 → 0042; '4711 → 4711; "4711" → 4711; ="0042" → 0042;
		"4711.0" → 4711; 12025550143 → 12025550143; ٤٧١١ → 4711`),
	[4711, '4711'],
	['\u200b4711\u00a0', '4711'],
])('the customer ID %j becomes %s', (given, sent) => expect(customerId(given)).toBe(sent));

describe('rejected', () => {
	const MAP = 'Map the field that holds the ID';
	it.each`
		title                                                      | description                                        | values
		${'is empty'}                                              | ${'Enter the ID, or map a field that has a value'} | ${['', SPACES.join(''), INVISIBLE_MARKS.join('')]}
		${'… is longer than 256 characters'}                       | ${`${MAP}, and nothing else`}                      | ${['x'.repeat(257)]}
		${"… isn't a whole number"}                                | ${`${MAP}, as text or as a whole number`}          | ${[47.11, -1, NaN, Infinity]}
		${'… is too large for a number: its last digits are lost'} | ${STORE_AS_TEXT}                                   | ${[2 ** 53, -(2 ** 53), 1e21]}
		${NOTHING.title}                                           | ${NOTHING.description}                             | ${NOTHING.values}
		${'is …, not an ID'}                                       | ${MAP}                                             | ${[false, Symbol('4711')]}
		${'received several values at once'}                       | ${MAP}                                             | ${[['4711'], { id: '4711' }, new Date(0)]}
	`('$title', rejects(identifier));

	const AS_TEXT = 'Format the column as plain text, then';
	const MARKS = ['4,711', '4.711', '4711,0', '4.000', '1 234 567', "1'234'567"];
	const PHONES = [
		'+4711',
		'+49 151 2345678',
		'(202) 555-0143',
		'202-555-0143',
		'4915123456789@c.us',
	];
	const OTHER =
		"Map the service's own customer ID, e.g. extra.customer_id from the result of a template message";
	const FOREIGN = ['gid://shopify/Customer/4711', 'cus_Nf4711', 'A-47.0', 'C4711', 'CUST-4711'];
	FOREIGN.push('6ba7b810-9dad-11d1-80b4-00c04fd430c8');
	it.each`
		title                                                               | description                                                           | values
		${'… is in scientific notation, so digits are lost'}                | ${`${AS_TEXT} enter the numbers again`}                               | ${['1.23457E+11', '1,23457E+11', '4711e0']}
		${'… has a mark for thousands or decimals, so the ID is uncertain'} | ${`${AS_TEXT} check the IDs`}                                         | ${MARKS}
		${'… holds several IDs'}                                            | ${'Use one item for each customer, e.g. with a Split Out node'}       | ${['4711;4712', '4711,4712', '4711, 4712', '4711 4712', '4711\n4712']}
		${'… is a phone number'}                                            | ${"Enter customer IDs: this operation doesn't send to phone numbers"} | ${PHONES}
		${'… is an ID of another system'}                                   | ${OTHER}                                                              | ${FOREIGN}
		${"… isn't a customer ID"}                                          | ${'Enter customer IDs. They have digits only'}                        | ${['#4711', '47.0.1', '4711/', '-', '-4711', 'Ada', '0x1267', '4711a', '4711.4712']}
		${'… stands for no value'}                                          | ${'Filter out the items without one'}                                 | ${['null', 'None', 'n/a']}
		${'… is a hidden ID of WhatsApp (LID), not a phone number'}         | ${MAP}                                                                | ${['184069530861739@lid']}
		${'is empty'}                                                       | ${'Enter the ID, or map a field that has a value'}                    | ${['""', "'"]}
		${NOTHING.title}                                                    | ${NOTHING.description}                                                | ${NOTHING.values}
		${'… looks like a date'}                                            | ${MAP}                                                                | ${['2026-11-23']}
	`('a customer ID: $title', rejects(customerId));
});
