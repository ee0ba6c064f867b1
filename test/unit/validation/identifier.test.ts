import { tryToParseDateTime } from 'n8n-workflow';

import { customerId } from '../../../nodes/OutboundMessaging/recipients/customerId';
import { identifier } from '../../../nodes/OutboundMessaging/validation/text';
import { INVISIBLE_MARKS, itRejects, NO_SINGLE_VALUE, SPACES } from '../help';

it('spaces and invisible marks are taken off both ends, and stay in the middle', () => {
	for (const mark of [...SPACES, ...INVISIBLE_MARKS, '\u00ad', '\u061c', '\u3164']) {
		expect(identifier(`${mark}${mark}a${mark}b${mark}${mark}`)).toBe(`a${mark}b`);
	}
});

it.each<[unknown, string]>([
	...['0042', 'v1.0', 'é😀', '__proto__', '9007199254740993'].map((id): [string, string] => [
		id,
		id,
	]),
	[-0, '0'],
	[Number.MAX_SAFE_INTEGER, '9007199254740991'],
	[` ${'x'.repeat(256)}\n`, 'x'.repeat(256)],
])('%p becomes %j', (given, sent) => expect(identifier(given)).toBe(sent));

it.each<unknown[]>([
	['4711.0', '4711'],
	['47.00', '47'],
	['0042', '0042'],
	["'4711", '4711'],
	['"4711"', '4711'],
	['="0042"', '0042'],
	['"4711.0"', '4711'],
	['12025550143', '12025550143'],
	['٤٧١١', '4711'],
	['৪৭১১', '4711'],
	[4711, '4711'],
])('the customer ID %j becomes %s', (given, sent) => expect(customerId(given)).toBe(sent));

const INVISIBLE = [...SPACES, ...INVISIBLE_MARKS].join('');
const NO_IDS = [47.11, -1, NaN, Infinity, -(2 ** 53), false, Symbol('4711')];
itRejects(identifier, {
	'is empty\nEnter the ID, or map the field that holds it': ['', INVISIBLE],
	'… is longer than 256 characters': ['x'.repeat(257)],
	'is a date and time, not an ID': [new Date(0), tryToParseDateTime(0), { isLuxonDateTime: true }],
	// Of whatever language: for an ID and a key, a hashtag is no reason to be lenient.
	'has "#ԱՐԺԵՔ!": a spreadsheet\'s error': ['order-#ԱՐԺԵՔ!-7'],
	'has "$json": code of an expression without braces': ['$json.a', 'o-$json.a }}', '${$json["a"]}'],
	'… is too large for a number: its last digits are lost': [2 ** 53, 1e21],
	'is …, not an ID\nEnter the ID, or map the field that holds it': NO_IDS,
	...NO_SINGLE_VALUE,
});

describe('a customer ID', () =>
	itRejects(customerId, {
		'… is in scientific notation, so digits are lost': ['1.23457E+11', '1,23457E+11', '4711e0'],
		'… has a mark for thousands or decimals, so the ID is uncertain': [
			'4,711',
			'4.711',
			'4711,0',
			'4.000',
			'1 234 567',
			"1'234'567",
		],
		'… holds several IDs': ['4711;4712', '4711,4712', '4711, 4712', '4711 4712', '4711\n4712'],
		'… is a phone number': [
			'+4711',
			'+49 151 2345678',
			'(202) 555-0143',
			'202-555-0143',
			'4915123456789@c.us',
		],
		'… is an ID of another system': [
			'gid://shopify/Customer/4711',
			'cus_Nf4711',
			'A-47.0',
			'C4711',
			'CUST-4711',
			'6ba7b810-9dad-11d1-80b4-00c04fd430c8',
		],
		"… isn't a customer ID": [
			'#4711',
			'47.0.1',
			'4711/',
			'-',
			'-4711',
			'Ada',
			'0x1267',
			'4711a',
			'4711.4712',
		],
		'… stands for no value': ['null', 'None', 'n/a'],
		'… is a hidden user ID of WhatsApp, not a phone number': ['184069530861739@lid'],
		'is empty': ['""', "'"],
		'… is what an empty cell becomes as a number': [0, '00'],
		...NO_SINGLE_VALUE,
	}));
