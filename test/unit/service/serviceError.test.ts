import { extractServiceError } from '../../../nodes/OutboundMessaging/service/serviceError';
import { redactor } from '../../../nodes/OutboundMessaging/service/redact';
import { INVISIBLE_MARKS, KEY } from '../help';

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));
const said = (body: unknown, key = KEY) => extractServiceError(textOf(body), redactor(key));

it.each<[unknown, string?, string?]>([
	[{ error: 'No such template', code: 'T404', success: false }, 'No such template', 'T404'],
	[{ message: 'c', detail: 'b', error: 'a' }, 'a; b; c'],
	[{ error: 'x', code: 131 }, 'x', '131'],
	[{ code: 'T1' }, undefined, 'T1'],
	// As a schema check has it, with the field of each rejection, once.
	[{ detail: [{ loc: ['body', 0, 'text'], msg: 'missing' }, { msg: 'b' }] }, 'text: missing; b'],
	[{ errors: [{ field: 'text', message: 'text is too long' }] }, 'text is too long'],
	[{ message: 'Invalid', errors: { phone: ['too short'], n: [1] } }, 'Invalid; phone: too short'],
	[{ detail: ['1', '2', '3', '4', '5', '6'] }, '1; 2; 3; 4; 5'],
	[{ type: 'about:blank', title: 'Not allowed' }, 'Not allowed'],
	[{ error: { details: 'No such channel' } }, 'No such channel'],
	[{ error_description: 'Token expired' }, 'Token expired'],
	// Where no field tells anything, a piece of the body does.
	[{ reasonText: 'No', n: 1 }, '{"reasonText":"No","n":1}'],
	['{"error":"No such', '{"error":"No such'],
	['{"__proto__":{"error":"x"}}', '{"__proto__":{"error":"x"}}'],
	['<html><head><title lang="en">502 Bad Gateway</title></head><body>nginx', '502 Bad Gateway'],
	['<h1>Not   found</h1>\n<p>here</p>', 'Not found here'],
	['<script>alert(1)</script><style>a{}</style>Not<br>found', 'Not found'],
	[{ error: 'a < 2, <b>c</b>, <!--, <?d' }, 'a < 2, ‹b>c‹/b>, ‹!--, ‹?d'],
	[{ error: '\u001b[31;1mred\u001b[0m' }, 'red'],
	[{ error: 'a\u0000b\u202ec\u200bd\u0007' }, 'a b c d'],
	[{ error: '\u200b\u0000' }],
	...[' \n', 'null', '""', '{}', '[]', '<html></html>'].map((body): [string] => [body]),
	...['a null', 'null a', 'null.', '[a]'].map((body): [string, string] => [body, body]),
	// Cut at 300 characters, and not in the middle of an emoji.
	[{ error: 'x'.repeat(300) }, 'x'.repeat(300)],
	[{ error: 'x'.repeat(301) }, `${'x'.repeat(300)}…`],
	[{ error: `${'x'.repeat(299)}😀` }, `${'x'.repeat(299)}…`],
])('%j: %s', (...[body, text, code]) => expect(said(body)).toEqual({ text, code }));

describe('the key is taken out', () => {
	// Doubled, in a tag, with a color in it, and where a title, a sentence, a long answer and a
	// long page are cut.
	it.each<unknown>([
		{ detail: `${KEY}${KEY}` },
		`<p title="${KEY}">no</p>`,
		{ error: `${KEY.slice(0, 5)}\u001b[1m${KEY.slice(5)}` },
		`<title>${'x'.repeat(290)}${KEY}</title>`,
		{ error: `${'x'.repeat(290)}${KEY}` },
		{ error: `${' '.repeat(19_990)}${KEY}` },
		`${' '.repeat(19_990)}${KEY}`,
	])('of text %#', (body) => {
		for (let length = KEY.length; length >= 8; length--) {
			expect(JSON.stringify(said(body)).replaceAll(' ', '')).not.toContain(KEY.slice(0, length));
		}
	});

	// In base64 it has a plus sign and a slash.
	const odd = 'sk/a+b=c&d<>e"?f\'g\\h:0123';
	/** Looks as if it were encoded itself. */
	const ESCAPES = 'a%41b&amp;c\\u0041d&#65;e\\"f%25g';
	const LONG = `live_${'0123456789abcdef'.repeat(60)}`;
	const coded = (text: string, code: (character: string, index: number) => string) =>
		[...text].map(code).join('');
	const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');
	const base64 = (text: string) => Buffer.from(text).toString('base64');
	const each = (c: string, index: number) =>
		[c, `%${hex(c)}`, `&#${c.charCodeAt(0)};`, `\\u00${hex(c)}`][index % 4];
	const NAMES = ['amp', 'lt', 'gt', 'quot', '#39'];
	const asHtml = (key: string) => key.replace(/[&<>"']/g, (c) => `&${NAMES['&<>"\''.indexOf(c)]};`);
	it.each<[string, (key: string) => string]>([
		['in capitals', (key) => key.toUpperCase()],
		['URL-encoded in small letters', (key) => encodeURIComponent(key).toLowerCase()],
		['escaped for HTML', asHtml],
		['as hexadecimal numbers of HTML', (key) => coded(key, (c) => `&#x${hex(c)};`)],
		['escaped for JSON in text', (key) => JSON.stringify(key)],
		['each character in another way', (key) => coded(key, each)],
		['for a URL in JSON in HTML', (key) => asHtml(JSON.stringify(encodeURIComponent(key)))],
		['in base64', base64],
		['in base64 for URLs', (key) => Buffer.from(key).toString('base64url')],
		['in base64, URL-encoded', (key) => encodeURIComponent(base64(key))],
		['in base64 with a longer one', (key) => base64(`adam:${key}xyz`)],
	])('%s', (_, form) => {
		for (const key of [KEY, odd, ESCAPES, LONG, `Api-Key ${LONG}`, `k1-a ${LONG}`]) {
			const secret = form(key.replace('Api-Key ', ''));
			const quoting = `Key ${secret} is wrong`;
			for (const body of [{ error: quoting, code: secret }, quoting]) {
				const { text, code = '***' } = said(body, key);
				expect(text).toMatch(/^Key "?\S{0,8}\*\*\*\S{0,8}"?\s+is wrong$/);
				expect(code).toMatch(/\*\*\*/);
			}
		}
	});

	it.each([
		[`&#x10ffff;&#x110000; %73${KEY.slice(1)}`, KEY, '&#x10ffff;&#x110000; ***'],
		// Enough of it is certain in base64 from six characters on.
		[base64('secret'), 'secret', '***'],
		['Not found', 'k', 'Not found'],
		[`Key ${LONG.slice(0, 40)} is wrong`, LONG, 'Key *** is wrong'],
		[`İ ${KEY} is wrong`, KEY, 'İ *** is wrong'],
	])('what is around it stays: %j', (error, key, text) => {
		expect(said({ error }, key).text).toBe(text);
	});
});

it.each(['\0', '\u00ad', ...INVISIBLE_MARKS])(
	'the key is found with %j between its characters, and in base64',
	(mark) => {
		const redact = redactor(KEY);
		for (const form of [KEY, btoa(KEY)]) {
			expect(redact(`Key: ${[...form].join(mark)}!`)).toMatch(/^Key: \*\*\*.{0,4}!$/);
		}
	},
);
