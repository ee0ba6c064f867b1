/** What no customer should read, in each kind of field. */
import { phoneNumber } from '../../../nodes/OutboundMessaging/validation/phone';
import { attributesFromJson } from '../../../nodes/OutboundMessaging/validation/attributes';
import {
	customerId,
	identifier,
	keyText,
} from '../../../nodes/OutboundMessaging/validation/identifier';
import { mediaUrl } from '../../../nodes/OutboundMessaging/validation/media';
import { messageText } from '../../../nodes/OutboundMessaging/validation/text';
import { missingWord } from '../../../nodes/OutboundMessaging/validation/unreadable';
import { refusalOf } from '../help';

const SEVERAL = 'several values at once';
const DATE = "the date couldn't be read";
const PLACEHOLDER = "a placeholder that wasn't filled";
const SHEET = "a spreadsheet's error";
const CHARACTER = 'a NUL character or half of an emoji, which services reject';
const MISSING = 'what an expression gives for a missing field';

const attribute = (value: unknown) => attributesFromJson([value]);
const url = (value: unknown) => mediaUrl(value, 'document');
const refused = (check: () => unknown, found: string, what: string) => {
	const { title, description } = refusalOf(check);
	expect(title.replace(/^value 1 /, '')).toBe(`has "${found}": ${what}`);
	expect(description).toMatch(/^[A-Z].{30,}[^.]$/);
};

it.each([
	['Hi [object Object],', '[object Object]', SEVERAL],
	['[object Array]', '[object Array]', SEVERAL],
	['See you on Invalid DateTime at 10:00', 'Invalid DateTime', DATE],
	['on Invalid Date.', 'Invalid Date', DATE],
	['Hi {{ $json.name }}, hello', '{{ $json.name }}', PLACEHOLDER],
	['Hi {{first_name}}', '{{first_name}}', PLACEHOLDER],
	['Use code {{SAVE}}', '{{SAVE}}', PLACEHOLDER],
	['Hi {{1}}', '{{1}}', PLACEHOLDER],
	['Hi {{}}', '{{}}', PLACEHOLDER],
	['{{{name}}}', '{{name}}', PLACEHOLDER],
	['Hi {{\n$json.name', '{{·$', PLACEHOLDER],
	["{{ $('Node').item.json['{a}'] }}", '{{ $', PLACEHOLDER],
	['=Hi {{ name', '=Hi {{', PLACEHOLDER],
	...['#N/A', '#REF!', '#NAME?', '#VALUE!', '#ERROR!', '#DIV/0!'].map((error) => [
		`Hi ${error}, your order`,
		error,
		SHEET,
	]),
	['a\0b', '·', CHARACTER],
	['cut \ud83d', '·', CHARACTER],
	['\ude00 cut', '·', CHARACTER],
])('%j is rejected in texts, attributes and IDs', (text, found, what) => {
	for (const check of [messageText, attribute, identifier]) {
		refused(() => check(text), found, what);
	}
});

it.each([
	['[object Object]', '[object Object]', SEVERAL],
	['{{ $json.phone }}', '{{ $json.phone }}', PLACEHOLDER],
	['+{{ $json.phone }}', '{{ $json.phone }}', PLACEHOLDER],
	['#N/A', '#N/A', SHEET],
	['undefined', 'undefined', MISSING],
	['https://example.com/invoices/null.pdf', '/null', MISSING],
	['https://example.com/null', '/null', MISSING],
	['+undefined', 'undefined', MISSING],
])('%j is rejected as a phone number and a customer ID', (text, found, what) => {
	for (const check of [phoneNumber, customerId]) refused(() => check(text), found, what);
});

it.each([
	['https://example.com/[object Object].pdf', '[object Object]', SEVERAL],
	['https://example.com/%5Bobject%20Object%5D.pdf', '[object Object]', SEVERAL],
	['[object Object]', '[object Object]', SEVERAL],
	['{{ $json.url }}', '{{ $json.url }}', PLACEHOLDER],
	['https://example.com/%7B%7Bid%7D%7D.pdf', '{{id}}', PLACEHOLDER],
	['#N/A', '#N/A', SHEET],
	['https://example.com/?id=#REF!', '#REF!', SHEET],
	['https://example.com/a%00.pdf', '·', CHARACTER],
	['https://example.com/undefined', 'undefined', MISSING],
	['https://example.com/invoice-undefined.pdf', 'undefined', MISSING],
	['https://example.com/a_undefined_b.pdf', 'undefined', MISSING],
	['https://example.com/a?id=NaN&x=1', 'NaN', MISSING],
	['https://example.com/undefined/a.pdf', 'undefined', MISSING],
	['https://example.com/a?id=undefined', 'undefined', MISSING],
	['https://example.com/a?file=undefined-x.pdf', 'undefined', MISSING],
	// `{{ $json.name }}-invoice.pdf`: rather a right name rejected than a customer with a dead link.
	['https://example.com/undefined-invoice.pdf', 'undefined', MISSING],
	['undefined', 'undefined', MISSING],
	['https://example.com/invoices/null.pdf', '/null', MISSING],
	['https://example.com/null', '/null', MISSING],
])('the URL %j is rejected', (text, found, what) => refused(() => url(text), found, what));

it.each([
	'undefined',
	'undefined-x',
	'Hi undefined!',
	'undefined undefined',
	'NaN',
	'5 of NaN',
	'order-undefined',
])('%j is rejected in attributes and IDs, and may be meant in texts and keys', (text) => {
	const found = text.includes('NaN') ? 'NaN' : 'undefined';
	for (const check of [attribute, identifier]) refused(() => check(text), found, MISSING);
	for (const check of [messageText, keyText]) expect(check(text)).toBe(text);
	expect(missingWord(text)).toBe(found);
});

it.each([
	...['{ "a": { "b": 1 } }', 'Use {code} or }} or {{', 'if (a) {{', 'a = {{', '[object]'],
	...['[object of the day]', 'Invalid date', 'Invalid Date of Birth', 'Invalid DateTimes'],
	...['#1 #N #NA #N/Away #REF #ERROR #SALE! #name?', 'N/A', 'REF!', 'Undefined', 'undefinedly'],
	...[
		'Nan',
		'nan',
		'NaNo',
		'Null',
		'not null',
		'/nullable',
		'None',
		'😀 👨‍👩‍👧',
		'$json.name',
		'=5',
		'-',
	],
])('%j is what someone meant', (text) => {
	expect(messageText(text)).toBe(text);
	expect(attribute(text)).toEqual({ '1': text });
	expect(missingWord(text)).toBeUndefined();
});

it('even a long text is read quickly', () => {
	const began = performance.now();
	for (const part of ['{{', '{{ ', '[object ', 'Invalid Date x', '=', '#N/', 'a {{ b', 'NaN1']) {
		messageText(`=${part.repeat(200_000)}`.slice(1));
	}
	expect(performance.now() - began).toBeLessThan(2000);
});
