/** What no customer should read, in each kind of field. */
import { phoneNumber } from '../../../nodes/OutboundMessaging/recipients/phone';
import { attributesFromJson } from '../../../nodes/OutboundMessaging/validation/attributes';
import { customerId } from '../../../nodes/OutboundMessaging/recipients/customerId';
import { identifier, messageText } from '../../../nodes/OutboundMessaging/validation/text';
import { mediaUrl } from '../../../nodes/OutboundMessaging/validation/media';
import { BROKEN, HINTS } from '../../../nodes/OutboundMessaging/validation/brokenText';
import { quoteForError } from '../../../nodes/OutboundMessaging/validation/invalidValue';
import { found } from '../../found';
import { itRejects, refusalOf } from '../help';

/** What a hint names in a text. */
const hintsIn = (text: string): string[] =>
	HINTS.flatMap(({ pattern }) => pattern.exec(text)?.[0] ?? []);

const DATE = 'Sun Dec 06 2026 05:00:00 GMT-0500 (EST)';
const MISSING = 'what an expression gives for a missing field';
const UNDEFINED = ['undefined', 'undefined,x', 'order-undefined', 'Hi undefined!'];
UNDEFINED.push('undefined undefined');
const NOT_A_NUMBER = ['NaN', '5 of NaN'];

const url = (value: unknown) => mediaUrl(value, 'document');
/** What comes of a value that a check lets through. */
const READ = 'a customer would read';
const SENT = 'the message would be sent with';
const FIELDS: Array<[string, otherwise: string, (value: unknown) => unknown, part?: string]> = [
	['an attribute', READ, (value) => attributesFromJson([value])?.[1], 'value 1 '],
	['an ID', SENT, identifier],
	['a customer ID', SENT, customerId],
	['a phone number', SENT, phoneNumber],
	['a URL', SENT, url],
];

const KINDS: Record<string, string[]> = {
	'several values at once': ['[object Object]', '[object Array]'],
	'a date as a program writes it': [DATE, 'Sun Dec 06 2026 05:00:00 GMT+0100'],
	"the date couldn't be read": [
		'Invalid DateTime',
		'Invalid Date',
		'Invalid date',
		'invalid date',
		'INVALID DATE',
		'Invalid Duration',
	],
	"a placeholder that wasn't filled": ['{{ $json.a }}', '{{name}}', '{{SAVE}}', '{{1}}', '{{}}'],
	'a placeholder of another program': [
		'*|FNAME|*',
		'*|LIST:COMPANY|*',
		'<%= name %>',
		'<% x %>',
		'${name}',
		'${order.total}',
		'{% if name %}',
		'%%First Name%%',
	],
	'the sign for a letter that was lost when a file was read': ['\ufffd'],
	'what an AI model was thinking': [
		'</think>',
		'</thinking>',
		'</reasoning>',
		'</THOUGHTS>',
		'</reflection>',
	],
	'a sign between the turns of a chat, which AI models use': [
		'<|im_end|>',
		'<|endoftext|>',
		'<|eot_id|>',
		'<｜end▁of▁sentence｜>',
		'[INST]',
		'[/INST]',
		'<<SYS>>',
		'<end_of_turn>',
		'<start_of_turn>',
	],
	"a spreadsheet's error": [
		'#N/A',
		'#REF!',
		'#NAME?',
		'#VALUE!',
		'#ERROR!',
		'#DIV/0!',
		'#NULL!',
		'#SPILL!',
		'#CALC!',
		'#GETTING_DATA',
		'Err:502',
		'#NV',
		'#BEZUG!',
		'#WERT!',
		'#ZAHL!',
		'#ÜBERLAUF!',
		'#¡REF!',
		'#¡VALOR!',
		'#VALOR!',
		'#¿NOMBRE?',
		'#NOMBRE?',
		'#¡ALGO!',
		'#VALEUR!',
		'#NOM?',
		'#NOMBRE!',
		'#ERRO!',
		'#RIF!',
		'#N/D',
		'#NÚM!',
		'#NAAM?',
		'#N/B',
		'#DEEL/0!',
		'#VÆRDI!',
		'#I/T',
		'#VERDI!',
		'#NAVN?',
		'#SAKNAS!',
		'#VÄRDEFEL!',
		'#ARVO!',
		'#PUUTTUU!',
		'#LICZBA!',
		'#N/D!',
		'#HODNOTA!',
		'#ÉRTÉK!',
		'#NENÍ_K_DISPOZICI',
		'#HIÁNYZIK',
		'#DEĞER!',
		'#YOK',
		'#ССЫЛКА!',
		'#ИМЯ?',
		'#Н/Д',
		'#ДЕЛ/0!',
		'#ІМ’Я?',
		'#ΤΙΜΗ!',
		'#Δ/Υ',
		'#VALOARE!',
	],
};
const FOUND = Object.entries(KINDS).flatMap(([kind, texts]) => texts.map((text) => [text, kind]));

it.each(FOUND)('%s is %s, in every field', (text, kind) => {
	const title = `has ${quoteForError(text)}: ${kind}`;
	for (const each of [text, `Hi (${text}), on ${text} at 10:00`])
		expect(refusalOf(() => messageText(each), READ).title).toBe(title);
	for (const [, otherwise, check, part = ''] of FIELDS)
		expect(refusalOf(() => check(text), otherwise).title).toBe(part + title);
});

const CHARACTER = 'a NUL character or half of an emoji, which services reject';
const TOKEN = 'a sign between the turns of a chat, which AI models use';
const STOPPED = 'Agent stopped due to max iterations.';
const PLACEHOLDER = "a placeholder that wasn't filled";
itRejects(
	messageText,
	{
		[`has "#ARG!": a spreadsheet's error`]: ['#ARG!'],
		[`has "{{name}}": ${PLACEHOLDER}`]: ['{{{name}}}'],
		[`has "{{·$": ${PLACEHOLDER}`]: ['Hi {{\n$json.name'],
		[`has "{{ $": ${PLACEHOLDER}`]: ["{{ $('Node').item.json['{a}'] }}"],
		[`has "\u2039/think>": what an AI model was thinking`]: [
			'<think>\nHe asks, so…\n</think>\n\nHi!',
		],
		[`has "\u2039/s>": ${TOKEN}`]: ['Hi!</s>', 'Hi!</s>\n'],
		[`has "…": n8n's notice that an AI Agent gave up`.replace('…', STOPPED)]: [STOPPED],
		[`has "null": ${MISSING}`]: ['null'],
		[`has "=Hi {{": ${PLACEHOLDER}`]: ['=Hi {{ name'],
		[`has "·": ${CHARACTER}`]: ['a\0b', 'cut \ud83d', '\ude00 cut'],
	},
	READ,
);

describe.each(FIELDS)('%s', (_, otherwise, check, part = '') =>
	itRejects(
		check,
		{
			[`${part}has "undefined": ${MISSING}`]: [...UNDEFINED, '+undefined'],
			[`${part}has "NaN": ${MISSING}`]: NOT_A_NUMBER,
			[`${part}has "/null": ${MISSING}`]: [
				'https://a.example/null',
				'https://a.example/a/null.pdf',
			],
		},
		otherwise,
	),
);

itRejects(
	url,
	{
		'has "[object Object]": several values at once': [
			'https://a.example/%5Bobject%20Object%5D.pdf',
		],
		[`has "${DATE}": a date as a program writes it`]: [`https://a.example/${encodeURI(DATE)}`],
		[`has "{{id}}": ${PLACEHOLDER}`]: ['https://a.example/%7B%7Bid%7D%7D.pdf'],
		[`has "·": ${CHARACTER}`]: ['https://a.example/a%00.pdf'],
	},
	SENT,
);

const PLACEHOLDERS = [
	'{first_name}',
	'{firstName}',
	'{name}',
	'{First Name}',
	'[Customer Name]',
	'[your name]',
	'[Insert date]',
	'[Name]',
	'%FIRSTNAME%',
	'%first_name%',
];
const SHEET_NUMBERS = [
	'46342.4375',
	'46342.375',
	'46351.6458333333',
	'46351.395833333336',
	'0.4375',
	'0.40625',
	'0.3958333333',
	'0.354166666666667',
];
const TIMES_AND_NUMBERS = [
	'2026-12-06T05:00:00.000Z',
	'2026-12-06T05:00:00+01:00',
	'2026-12-06T05:00:00,123-0500',
	'2026-12-06 05:00:00',
	'24.950000000000003',
	'24,950000000000003',
	'-0.30000000000000004',
	'434.99999999999994',
];
/** A line break, HTML, a model's frame, lost letters, an equals sign, and null after a greeting. */
const LEFT_OVER = [
	'Hi null, see you',
	'Hi Ann,\\n\\nWe received',
	'Hi Bo,<br>Just',
	'Fish &amp; Chips',
	'```json {"text": "Hi"}',
	'{"text": "Hi Ann"}',
	'As an AI language model, I cannot',
	'cafÃ© noir',
	'=Ann',
	'Hi <<name>>',
];
it.each(LEFT_OVER)('%j is a hint', (text) => {
	expect(messageText(text)).toBe(text);
	expect(hintsIn(text)).toHaveLength(1);
});

const HINTED = [...UNDEFINED, ...NOT_A_NUMBER, ...TIMES_AND_NUMBERS, ...PLACEHOLDERS];
HINTED.push(...SHEET_NUMBERS, '$json.a', "$('A').b");

it.each(HINTED)('%j may be meant in texts, and is a hint', (text) => {
	expect(messageText(text)).toBe(text);
	const [word] = /undefined|NaN|\$json|\$\(/.exec(text) ?? [text];
	for (const each of [text, `Hi, ${text}.`]) expect(hintsIn(each)).toContain(word);
});

it('each row of the table has an example here', () => {
	const examples = [...FOUND.map(([text]) => text), ...HINTED, ...LEFT_OVER, STOPPED];
	examples.push('null', '\0');
	examples.push('https://a.example/?id=null', '#ARG!');
	const isIn = ({ pattern }: (typeof BROKEN)[number]) =>
		examples.some((each) => pattern.test(each));
	expect(found(BROKEN).filter((row) => !isIn(row))).toEqual([]);
});

// cspell:disable
/** As people write to customers, and in what they explain to them. */
const WRITTEN = `Hi Ada, your order #1042 is ready for pickup until 18:00.
Hallo Frau Müller, Ihr Termin ist am Mittwoch, 25. November, um 9:30 Uhr.
Bitte bringen Sie den Ausweis mit („Reisepass“ geht auch).
Hola, ¿podrías confirmar tu cita? ¡Gracias!
Olá João, seu pedido saiu para entrega às 14h.
Bonjour, votre colis n° 4711 arrive demain à 10 h 30 !
Ciao! Il tuo appuntamento è confermato: 25/11/2026, ore 15:00
Привет, Анна! Ваш заказ готов.
नमस्ते, आपका ऑर्डर भेज दिया गया है।
您好，您的订单已发货。
こんにちは、ご予約は11月25日（水）9時です。
مرحبا، موعدك غدا الساعة 9:30 صباحا
שלום, התור שלך מחר ב-9:30
Merhaba, siparişiniz yola çıktı :)
Xin chào, đơn hàng của bạn đã được giao.
สวัสดีค่ะ ออเดอร์ของคุณพร้อมแล้ว
Γεια σας, το ραντεβού σας είναι αύριο.
Cześć! Twoja paczka czeka w punkcie „Żabka”.
We <3 our customers
I <3 you :-) >:-( <(^_^)> |o| \\o/ =) <|> <||>
[urgent] Please call us back
[URGENT] [2/3] Your documents are missing
[Reminder] Yoga, tomorrow 8 am
[Friday] See you [at 5pm]
{…}
{} [] () <> ** || %% $$ \`\`
Choose {A} or {B}
Save 20% today, and 100 % of it goes to charity
100%% sure, 50%-70% off, 5% off%
From $5 to $10, US$ 20, $5k, $1,299.00
$ 5 {plus tax}
1.299,00 € statt 1.499,00 €
0.25 l, 0.375 l, 0.5 kg, 0.75 m, 0.125 in
3.14159 is π, and 1/3 is 0.333
Rates: 1 USD = 0.9234 EUR, 4.375% APR, 0.0625 %
Price: 46342.50 HUF, 45000.75 INR, 45250.00
12345.375 kg, 99999.125
ID 46342, code 0423, PIN 4375
IP 192.168.0.4375, version 0.4375.1
Call +49 151 23456789 or 0800/123456
https://example.com/a?x={id}&y=%20%C3%BC%41bc%
See https://example.com/a_b-c.pdf?t=2026-12-06T05:00:00Z#p=[1]
[Your order](https://example.com/orders/1)
a < b && b > c, x^2 + y^2 = z^2, f(x) = {1, 2}
if (x > 3) { return; } else { y = null; }
Run \`echo \${HOME}\` in a terminal, or \`<%= x %>\` in ERB
SELECT * FROM orders WHERE id = 5; -- done
<b>Sale</b> <s>20 €</s> 15 €
<s>20 €</s>
Use the <thinking> emoji 🤔
I think </3 is sad
We think: "reasoning" matters. [thinking]
Mr. Null and Ms. Undefined say hi
null and void
Null
The value is null.
Our agent stopped due to illness.
Agent stopped: call us
*bold* _italic_ ~strike~ \`mono\`
*|*|*
__init__ and snake_case and camelCase
#{1} #sale #YES!
👨‍👩‍👧‍👦 🇩🇪 ❤️ ✅ 1️⃣
½ ¼ ² ³ № § © ® ™ … – — • → ≤ ≠
E=mc², 5×3, 10÷2, ±0.5
[x] done  [ ] open
[1] See note (a) {b}
Dear customer, your name is safe with us [company policy]. Not.
@ada: 5 o'clock? "Yes" & 'no'
Wed, 25 Nov 2026
25.11.2026, 11/25/2026, 2026-11-25, 9:30, 09:30:00
C:\\Users\\%USERNAME, 100%
Table for 2 {window seat}`.split('\n');
// cspell:enable

it.each(WRITTEN)('people write %j', (text) => {
	expect(messageText(text)).toBe(text);
	expect(attributesFromJson([text.replace(/ {2}/, ' ')])).toBeDefined();
});
it('none of these texts has a hint', () => {
	expect(WRITTEN.length).toBeGreaterThan(60);
	expect(WRITTEN.filter((text) => hintsIn(text).length > 0)).toEqual([]);
});

it.each([
	'{ "a": { "b": 1 } }',
	'Use {code} or }} or {{',
	'if (a) {{',
	'a = {{',
	'[object]',
	'[object of the day]',
	'Invalid Date of Birth',
	'Invalid date on your card? Update it.',
	'There is an error: invalid date in the form.',
	'invalid date format',
	"That's an invalid date.",
	'Invalid DateTimes',
	'Sun Dec 06 2026',
	'Sun, 06 Dec 2026 05:00:00 GMT',
	'2026-12-06',
	'2026-12-06T05:00',
	'05:00:00',
	'https://a.example/?at=2026-12-06T05:00:00Z',
	'#1 #N #NA #N/Away #REF #ERROR #SALE! #name?',
	'N/A',
	'REF!',
	'Table #4',
	'Order #NV-2231',
	'#SALE!',
	'#1!',
	'#NVIDIA',
	'Go, #ARG!',
	'Did you see our #AD?',
	'Room:502',
	'24.95',
	'3.14159265',
	'1.234.567.890.123,45',
	'123456789012345',
	'1,234,567,890,123.45',
	'https://a.example/@52.520006599999994,13.4',
	'192.168.100.100',
	'+49.1512.345.6789',
	'Undefined',
	'undefinedly',
	'Nan',
	'nan',
	'NaNo',
	'Null',
	'not null',
	'/nullable',
	'None',
	'😀 👨‍👩‍👧',
	'$5',
	'$js.a',
	'=5',
	'-',
])('%j is what someone meant', (text) => {
	expect(messageText(text)).toBe(text);
	expect(attributesFromJson([text])).toEqual({ '1': text });
	expect(hintsIn(text)).toEqual([]);
});
