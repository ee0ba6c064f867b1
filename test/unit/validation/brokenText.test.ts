/** What no customer should read, in each kind of field. */
import { phoneNumber } from '../../../nodes/OutboundMessaging/recipients/phone';
import { attributesFromJson } from '../../../nodes/OutboundMessaging/validation/attributes';
import { customerId } from '../../../nodes/OutboundMessaging/recipients/customerId';
import { identifier, messageText } from '../../../nodes/OutboundMessaging/validation/text';
import { mediaUrl } from '../../../nodes/OutboundMessaging/validation/media';
import { oddWord } from '../../../nodes/OutboundMessaging/validation/brokenText';
import { itRejects, list, refusalOf, words } from '../help';

const DATE = 'Sun Dec 06 2026 05:00:00 GMT-0500 (EST)';
const MISSING = 'what an expression gives for a missing field';
const UNDEFINED = [...words('undefined undefined,x order-undefined'), 'Hi undefined!'];
UNDEFINED.push('undefined undefined');
const NOT_A_NUMBER = ['NaN', '5 of NaN'];

const url = (value: unknown) => mediaUrl(value, 'document');
const FIELDS: Array<[string, (value: unknown) => unknown, string?]> = [
	['an attribute', (value) => attributesFromJson([value]), 'value 1 '],
	['an ID', identifier],
	['a customer ID', customerId],
	['a phone number', phoneNumber],
	['a URL', url],
];

const KINDS: Record<string, string[]> = {
	'several values at once': ['[object Object]', '[object Array]'],
	'a date as a program writes it': [DATE, 'Sun Dec 06 2026 05:00:00 GMT+0100'],
	"the date couldn't be read": list(`Invalid DateTime; Invalid Date; Invalid date; invalid date;
		INVALID DATE; Invalid Duration`),
	"a placeholder that wasn't filled": list('{{ $json.a }}; {{name}}; {{SAVE}}; {{1}}; {{}}'),
	"a spreadsheet's error":
		words(`#N/A #REF! #NAME? #VALUE! #ERROR! #DIV/0! #NULL! #SPILL! #CALC! #GETTING_DATA Err:502 #NV #BEZUG! #WERT! #ZAHL!
		#ÜBERLAUF! #¡REF! #¡VALOR! #VALOR! #¿NOMBRE? #NOMBRE? #¡ALGO! #VALEUR! #NOM? #NOMBRE! #ERRO! #RIF! #N/D #NÚM! #NAAM? #N/B
		#DEEL/0! #VÆRDI! #I/T #VERDI! #NAVN? #SAKNAS! #VÄRDEFEL! #ARVO! #PUUTTUU! #LICZBA! #N/D! #HODNOTA! #ÉRTÉK!
		#NENÍ_K_DISPOZICI #HIÁNYZIK #DEĞER! #YOK #ССЫЛКА! #ИМЯ? #Н/Д #ДЕЛ/0! #ІМ’Я? #ΤΙΜΗ! #Δ/Υ #VALOARE!`),
};
const FOUND = Object.entries(KINDS).flatMap(([kind, texts]) => texts.map((text) => [text, kind]));

it.each(FOUND)('%s is %s, in every field', (text, kind) => {
	const title = `has "${text}": ${kind}`;
	for (const each of [text, `Hi (${text}), on ${text} at 10:00`])
		expect(refusalOf(() => messageText(each)).title).toBe(title);
	for (const [, check, part = ''] of FIELDS)
		expect(refusalOf(() => check(text)).title).toBe(part + title);
});

const CHARACTER = 'a NUL character or half of an emoji, which services reject';
const PLACEHOLDER = "a placeholder that wasn't filled";
itRejects(messageText, {
	[`has "#ARG!": a spreadsheet's error`]: ['#ARG!'],
	[`has "{{name}}": ${PLACEHOLDER}`]: ['{{{name}}}'],
	[`has "{{·$": ${PLACEHOLDER}`]: ['Hi {{\n$json.name'],
	[`has "{{ $": ${PLACEHOLDER}`]: ["{{ $('Node').item.json['{a}'] }}"],
	[`has "=Hi {{": ${PLACEHOLDER}`]: ['=Hi {{ name'],
	[`has "·": ${CHARACTER}`]: ['a\0b', 'cut \ud83d', '\ude00 cut'],
});

describe.each(FIELDS)('%s', (_, check, part = '') =>
	itRejects(check, {
		[`${part}has "undefined": ${MISSING}`]: [...UNDEFINED, '+undefined'],
		[`${part}has "NaN": ${MISSING}`]: NOT_A_NUMBER,
		[`${part}has "/null": ${MISSING}`]: 'https://a.example/null; https://a.example/a/null.pdf',
	}),
);

itRejects(url, {
	'has "[object Object]": several values at once': 'https://a.example/%5Bobject%20Object%5D.pdf',
	[`has "${DATE}": a date as a program writes it`]: [`https://a.example/${encodeURI(DATE)}`],
	[`has "{{id}}": ${PLACEHOLDER}`]: 'https://a.example/%7B%7Bid%7D%7D.pdf',
	[`has "·": ${CHARACTER}`]: ['https://a.example/a%00.pdf'],
});

const TIMES_AND_NUMBERS =
	list(`2026-12-06T05:00:00.000Z; 2026-12-06T05:00:00+01:00; 2026-12-06T05:00:00,123-0500; 2026-12-06 05:00:00;
	24.950000000000003; 24,950000000000003; -0.30000000000000004; 434.99999999999994`);
it.each([...UNDEFINED, ...NOT_A_NUMBER, ...TIMES_AND_NUMBERS, '$json.a', "$('A').b"])(
	'%j may be meant in texts, and is a hint',
	(text) => {
		expect(messageText(text)).toBe(text);
		const [word] = /undefined|NaN|\$json|\$\(/.exec(text) ?? [text];
		for (const each of [text, `Hi, ${text}.`]) expect(oddWord(each)).toBe(word);
	},
);

it.each(
	list(`{ "a": { "b": 1 } }; Use {code} or }} or {{; if (a) {{; a = {{; [object]; [object of the day]; Invalid Date of Birth;
		invalid date format; That's an invalid date.; Invalid DateTimes; Sun Dec 06 2026; Sun, 06 Dec 2026 05:00:00 GMT; 2026-12-06;
		2026-12-06T05:00; 05:00:00; https://a.example/?at=2026-12-06T05:00:00Z; #1 #N #NA #N/Away #REF #ERROR #SALE! #name?; N/A;
		REF!; Table #4; Order #NV-2231; #SALE!; #1!; #NVIDIA; Go, #ARG!; Did you see our #AD?; Room:502;
		24.95; 3.14159265; 1.234.567.890.123,45; 123456789012345; 1,234,567,890,123.45; https://a.example/@52.520006599999994,13.4; 192.168.100.100; +49.1512.345.6789; Undefined; undefinedly;
		Nan; nan; NaNo; Null; not null; /nullable; None; 😀 👨‍👩‍👧; $5; $js.a; =5; -`),
)('%j is what someone meant', (text) => {
	expect(messageText(text)).toBe(text);
	expect(attributesFromJson([text])).toEqual({ '1': text });
	expect(oddWord(text)).toBeUndefined();
});
