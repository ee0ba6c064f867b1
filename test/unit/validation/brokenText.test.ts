/** What no customer should read, in each kind of field. */
import { phoneNumber } from '../../../nodes/OutboundMessaging/recipients/phone';
import { attributesFromJson } from '../../../nodes/OutboundMessaging/validation/attributes';
import { customerId } from '../../../nodes/OutboundMessaging/recipients/customerId';
import { identifier } from '../../../nodes/OutboundMessaging/validation/identifier';
import { mediaUrl } from '../../../nodes/OutboundMessaging/validation/media';
import { messageText } from '../../../nodes/OutboundMessaging/validation/text';
import { missingWord } from '../../../nodes/OutboundMessaging/validation/brokenText';
import { itRejects, list, words } from '../help';

const PLACEHOLDER = "a placeholder that wasn't filled";
const CHARACTER = 'a NUL character or half of an emoji, which services reject';
const MISSING = 'what an expression gives for a missing field';

const UNDEFINED = [...words('undefined undefined,x order-undefined'), 'Hi undefined!'];
UNDEFINED.push('undefined undefined');
const NOT_A_NUMBER = ['NaN', '5 of NaN'];

const url = (value: unknown) => mediaUrl(value, 'document');

itRejects(messageText, {
	'has "[object Object]": several values at once': ['Hi [object Object],'],
	'has "[object Array]": several values at once': ['[object Array]'],
	'has "Invalid DateTime": the date couldn\'t be read': ['See you on Invalid DateTime at 10:00'],
	'has "Invalid Date": the date couldn\'t be read': ['on Invalid Date.'],
	[`has "{{ $json.name }}": ${PLACEHOLDER}`]: ['Hi {{ $json.name }}, hello'],
	[`has "{{name}}": ${PLACEHOLDER}`]: ['Hi {{name}}', '{{{name}}}'],
	[`has "{{SAVE}}": ${PLACEHOLDER}`]: ['Use code {{SAVE}}'],
	[`has "{{1}}": ${PLACEHOLDER}`]: ['Hi {{1}}'],
	[`has "{{}}": ${PLACEHOLDER}`]: ['Hi {{}}'],
	[`has "{{·$": ${PLACEHOLDER}`]: ['Hi {{\n$json.name'],
	[`has "{{ $": ${PLACEHOLDER}`]: ["{{ $('Node').item.json['{a}'] }}"],
	[`has "=Hi {{": ${PLACEHOLDER}`]: ['=Hi {{ name'],
	...Object.fromEntries(
		words('#N/A #REF! #NAME? #VALUE! #ERROR! #DIV/0!').map((error) => [
			`has "${error}": a spreadsheet's error`,
			[`Hi ${error}, your order`],
		]),
	),
	[`has "·": ${CHARACTER}`]: ['a\0b', 'cut \ud83d', '\ude00 cut'],
});

const FIELDS: Array<[string, (value: unknown) => unknown, string?]> = [
	['an attribute', (value) => attributesFromJson([value]), 'value 1 '],
	['an ID', identifier],
	['a customer ID', customerId],
	['a phone number', phoneNumber],
	['a URL', url],
];
describe.each(FIELDS)('%s', (_, check, part = '') =>
	itRejects(check, {
		[`${part}has "[object Object]": several values at once`]: ['[object Object]'],
		[`${part}has "{{ $json.a }}": ${PLACEHOLDER}`]: ['{{ $json.a }}', '+{{ $json.a }}'],
		[`${part}has "#N/A": a spreadsheet's error`]: ['#N/A'],
		[`${part}has "undefined": ${MISSING}`]: [...UNDEFINED, '+undefined'],
		[`${part}has "NaN": ${MISSING}`]: NOT_A_NUMBER,
		[`${part}has "/null": ${MISSING}`]: 'https://a.example/null; https://a.example/a/null.pdf',
	}),
);

it.each([...UNDEFINED, ...NOT_A_NUMBER])('%j may be meant in texts', (text) => {
	expect(messageText(text)).toBe(text);
	expect(missingWord(text)).toBe(text.includes('NaN') ? 'NaN' : 'undefined');
});

itRejects(url, {
	'has "[object Object]": several values at once': 'https://a.example/%5Bobject%20Object%5D.pdf',
	[`has "{{id}}": ${PLACEHOLDER}`]: 'https://a.example/%7B%7Bid%7D%7D.pdf',
	[`has "·": ${CHARACTER}`]: ['https://a.example/a%00.pdf'],
});

it.each(
	list(`{ "a": { "b": 1 } }; Use {code} or }} or {{; if (a) {{; a = {{; [object]; [object of the day];
		Invalid date; Invalid Date of Birth; Invalid DateTimes; #1 #N #NA #N/Away #REF #ERROR #SALE! #name?; N/A; REF!;
		Undefined; undefinedly; Nan; nan; NaNo; Null; not null; /nullable; None; 😀 👨‍👩‍👧; $json.name; =5; -`),
)('%j is what someone meant', (text) => {
	expect(messageText(text)).toBe(text);
	expect(attributesFromJson([text])).toEqual({ '1': text });
	expect(missingWord(text)).toBeUndefined();
});
