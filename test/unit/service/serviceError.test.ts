import { extractServiceError } from '../../../nodes/OutboundMessaging/service/serviceError';
import { redactor } from '../../../nodes/OutboundMessaging/service/redact';
import { KEY } from '../help';

const textOf = (body: unknown) => (typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
const words = (body: unknown) => extractServiceError(textOf(body), redactor(KEY));

describe('what the service said', () => {
	it.each<[unknown, string | undefined, string?]>([
		[{ error: 'No such template', code: 'T404', success: false }, 'No such template', 'T404'],
		[{ detail: 'Invalid API key provided' }, 'Invalid API key provided'],
		[{ message: 'Try later' }, 'Try later'],
		[{ message: 'c', detail: 'b', error: 'a' }, 'a'],
		[{ error: '', detail: 'b' }, 'b'],
		[{ error: 'x', code: 131 }, 'x', '131'],
		[{ code: 'T1' }, undefined, 'T1'],
		[{ error: { message: 'nested' } }, 'nested'],
		[{ detail: { msg: 'nested' } }, 'nested'],
		// As a schema check has it, with the field of each rejection, once.
		[{ detail: [{ loc: ['body', 'text'], msg: 'missing' }, { msg: 'b' }] }, 'text: missing; b'],
		[{ errors: [{ field: 'text', message: 'too long' }] }, 'text: too long'],
		[{ errors: [{ field: 'text', message: 'text is too long' }] }, 'text is too long'],
		[{ message: ['a', 'b'] }, 'a; b'],
		[{ detail: ['1', '2', '3', '4', '5', '6'] }, '1; 2; 3; 4; 5'],
		[{ detail: [], message: 'm' }, 'm'],
		[{ errors: [{ message: 'a' }, { title: 'b' }] }, 'a; b'],
		[{ msg: 'Wallet empty' }, 'Wallet empty'],
		[{ type: 'about:blank', title: 'Not allowed' }, 'Not allowed'],
		[{ error: { details: 'No such channel' } }, 'No such channel'],
		[{ error_description: 'Token expired' }, 'Token expired'],
		[[{ message: 'a' }, 'b'], 'a; b'],
		['"Not allowed"', 'Not allowed'],
		// Where no field tells anything, a piece of the body does.
		[{ reasonText: 'No', n: 1 }, '{"reasonText":"No","n":1}'],
		[{ detail: [null, 5, {}] }, '{"detail":[null,5,{}]}'],
		['5', '5'],
		['{"error":"No such', '{"error":"No such'],
		['{"__proto__":{"error":"x"}}', '{"__proto__":{"error":"x"}}'],
		['upstream connect error', 'upstream connect error'],
		['<html><head><title>502 Bad Gateway</title></head><body>nginx', '502 Bad Gateway'],
		['<h1>Not   found</h1>\n<p>here</p>', 'Not found here'],
		['<script>alert(1)</script><style>a{}</style>Sorry', 'Sorry'],
		[{ error: ' a\r\n\tb\u00a0c ' }, 'a b c'],
		[{ error: '\u001b[31;1mred\u001b[0m' }, 'red'],
		[{ error: 'a\u0000b\u202ec\u200bd\u0007' }, 'a b c d'],
		[{ error: 'x', code: 'a\nb' }, 'x', 'a b'],
		[{ error: '\u200b\u0000' }, undefined],
	])('%j: %s', (...row) => {
		const [body, text, code] = row;
		expect(words(body)).toEqual({ text, code });
	});

	it.each(['', ' \n', 'null', '""', '{}', '[]', '<html></html>'])('%j: nothing', (body) => {
		expect(words(body)).toEqual({ text: undefined, code: undefined });
	});
});

describe('long answers are cut', () => {
	it('at 300 characters', () => {
		expect(words({ error: 'x'.repeat(300) }).text).toBe('x'.repeat(300));
		expect(words({ error: 'x'.repeat(301) }).text).toBe(`${'x'.repeat(300)}…`);
	});

	it.each(['<title ', '[', '\u001b[1', `${KEY.slice(0, -1)} `])('a megabyte of %j', (piece) => {
		const long = piece.repeat(1_000_000 / piece.length);
		for (const body of [long, { error: long, code: long }, { detail: [long, long] }]) {
			const { text = '', code = '' } = words(body);
			expect(text.length).toBeLessThanOrEqual(301);
			expect(code.length).toBeLessThanOrEqual(301);
		}
	});
});

describe('the key is taken out', () => {
	it.each<unknown>([
		{ error: `Key ${KEY} is wrong` },
		{ error: 'x', code: KEY },
		{ detail: `${KEY}${KEY}` },
		{ detail: [{ msg: KEY }] },
		`Invalid: ${KEY}.`,
		`<title>${KEY}</title>`,
		`<p title="${KEY}">no</p>`,
		{ error: `${KEY.slice(0, 5)}\u001b[1m${KEY.slice(5)}` },
		// Where a title, a sentence, a long answer and a long page are cut.
		`<title>${'x'.repeat(290)}${KEY}</title>`,
		{ error: `${'x'.repeat(290)}${KEY}` },
		{ error: `${' '.repeat(19_990)}${KEY}` },
		`${' '.repeat(19_990)}${KEY}`,
	])('of text %#', (body) => {
		const shown = JSON.stringify(words(body));
		for (let length = KEY.length; length >= 8; length--) {
			expect(shown).not.toContain(KEY.slice(0, length));
		}
	});

	const odd = 'sk/a+b=c&d<e>"f\'g\\h:0123';
	const spread = (text: string, between: string) => [...text].join(between);
	const coded = (text: string, code: (character: string) => string) => [...text].map(code).join('');
	const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');
	const base64 = (text: string) => Buffer.from(text).toString('base64');
	const FORMS: Array<[string, (key: string) => string]> = [
		['as it is', (key) => key],
		['in capitals', (key) => key.toUpperCase()],
		['URL-encoded', encodeURIComponent],
		['URL-encoded in small letters', (key) => encodeURIComponent(key).toLowerCase()],
		['URL-encoded twice', (key) => encodeURIComponent(encodeURIComponent(key))],
		['each character URL-encoded', (key) => coded(key, (c) => `%${hex(c)}`)],
		[
			'escaped for HTML',
			(key) =>
				coded(
					key,
					(c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c] ?? c,
				),
		],
		['as numbers of HTML', (key) => coded(key, (c) => `&#${c.charCodeAt(0)};`)],
		['as hexadecimal numbers of HTML', (key) => coded(key, (c) => `&#x${hex(c)};`)],
		['escaped for JSON in text', (key) => JSON.stringify(key)],
		['escaped for JavaScript', (key) => coded(key, (c) => `\\u00${hex(c)}`)],
		['split by invisible characters', (key) => spread(key, '\u200b')],
		['split by spaces and line ends', (key) => spread(key, ' \r\n')],
		['split by control characters', (key) => spread(key, '\u0000')],
		['in base64', base64],
		['in base64 for URLs', (key) => Buffer.from(key).toString('base64url')],
		['in base64 with a user name', (key) => base64(`ada:${key}`)],
		['in base64 with a longer one', (key) => base64(`adam:${key}:x`)],
		['in base64 at the third place', (key) => base64(`adams:${key}`)],
	];
	it.each(FORMS)('%s', (_, form) => {
		for (const key of [KEY, odd]) {
			const redact = redactor(key);
			for (const body of [
				JSON.stringify({ error: `Key ${form(key)} is wrong`, code: form(key) }),
				`Key ${form(key)} is wrong`,
			]) {
				const { text, code } = extractServiceError(body, redact);
				expect(text).toMatch(/^Key "?\S{0,8}\*\*\*\S{0,8}"? is wrong$/);
				expect(code ?? '***').toMatch(/\*\*\*/);
			}
		}
	});

	it('what is around it stays', () => {
		expect(words({ error: `Key ${KEY} is wrong` }).text).toBe('Key *** is wrong');
	});
});
