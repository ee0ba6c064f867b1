import { extractServiceError } from '../../../nodes/OutboundMessaging/service/serviceError';
import { redactor } from '../../../nodes/OutboundMessaging/service/redact';
import { KEY, MEGABYTE } from '../help';

const textOf = (body: unknown) => (typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
const words = (body: unknown) => extractServiceError(textOf(body), redactor(KEY));

describe('what the service said', () => {
	it.each<[string, unknown, string | undefined, string?]>([
		[
			'error and code of a 400',
			{ error: 'No such template', code: 'T404', success: false },
			'No such template',
			'T404',
		],
		['detail of a 401', { detail: 'Invalid API key provided' }, 'Invalid API key provided'],
		['message', { message: 'Try later' }, 'Try later'],
		['error before detail before message', { message: 'c', detail: 'b', error: 'a' }, 'a'],
		['detail when error is empty', { error: '', detail: 'b' }, 'b'],
		['a code that is a number', { error: 'x', code: 131 }, 'x', '131'],
		['a code alone', { code: 'T1' }, undefined, 'T1'],
		['an object in error', { error: { message: 'nested' } }, 'nested'],
		['an object with msg', { detail: { msg: 'nested' } }, 'nested'],
		[
			'a list of a schema check',
			{ detail: [{ loc: ['body', 'text'], msg: 'field required' }, { msg: 'too long' }] },
			'text: field required; too long',
		],
		[
			'the field of a rejection',
			{ errors: [{ field: 'text', message: 'too long' }] },
			'text: too long',
		],
		[
			'the field, once',
			{ errors: [{ field: 'text', message: 'text is too long' }] },
			'text is too long',
		],
		['a list of sentences', { message: ['a', 'b'] }, 'a; b'],
		['the first five of a list', { detail: ['1', '2', '3', '4', '5', '6'] }, '1; 2; 3; 4; 5'],
		['an empty list, then message', { detail: [], message: 'm' }, 'm'],
		['a list of errors', { errors: [{ message: 'a' }, { title: 'b' }] }, 'a; b'],
		['msg', { msg: 'Wallet empty' }, 'Wallet empty'],
		['title', { type: 'about:blank', title: 'Not allowed' }, 'Not allowed'],
		['details in error', { error: { details: 'No such channel' } }, 'No such channel'],
		[
			'the description before the name of an OAuth error',
			{ error_description: 'Token expired' },
			'Token expired',
		],
		['a list', [{ message: 'a' }, 'b'], 'a; b'],
		['a text in JSON', '"Not allowed"', 'Not allowed'],
		// Where no field tells anything, a piece of the body does.
		['other fields', { reasonText: 'No', n: 1 }, '{"reasonText":"No","n":1}'],
		['a list of nothing', { detail: [null, 5, {}] }, '{"detail":[null,5,{}]}'],
		['a number', '5', '5'],
		['JSON that breaks off', '{"error":"No such', '{"error":"No such'],
		['fields of every object', '{"__proto__":{"error":"x"}}', '{"__proto__":{"error":"x"}}'],
		['plain text', 'upstream connect error', 'upstream connect error'],
		[
			'a page with a title',
			'<html><head><title>502 Bad Gateway</title></head><body>nginx',
			'502 Bad Gateway',
		],
		['a page without one', '<h1>Not   found</h1>\n<p>here</p>', 'Not found here'],
		['a page with scripts', '<script>alert(1)</script><style>a{}</style>Sorry', 'Sorry'],
		['spaces in a row', { error: ' a\r\n\tb\u00a0c ' }, 'a b c'],
		['terminal colors', { error: '\u001b[31;1mred\u001b[0m' }, 'red'],
		['control and direction marks', { error: 'a\u0000b\u202ec\u200bd\u0007' }, 'a b c d'],
		['marks in a code', { error: 'x', code: 'a\nb' }, 'x', 'a b'],
		['nothing but marks', { error: '\u200b\u0000' }, undefined],
	])('%s', (...row) => {
		const [, body, text, code] = row;
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

	it.each([
		['letters', 'x'.repeat(MEGABYTE)],
		['blanks', `${' '.repeat(MEGABYTE)}x`],
		['opening brackets', '<'.repeat(MEGABYTE)],
		['opening titles', '<title '.repeat(MEGABYTE / 7)],
		['scripts', '<script'.repeat(MEGABYTE / 7)],
		['tags', '<b>'.repeat(MEGABYTE / 3)],
		['escapes', '\u001b['.repeat(MEGABYTE / 2)],
		['digits after an escape', `\u001b[${'1'.repeat(MEGABYTE)}`],
		['the beginning of the key', `${KEY.slice(0, -1)} `.repeat(MEGABYTE / KEY.length)],
		['nesting', '['.repeat(MEGABYTE)],
	])('a megabyte of %s', (_, long) => {
		for (const body of [long, { error: long, code: long }, { detail: [long, long] }]) {
			const { text = '', code = '' } = words(body);
			expect(text.length).toBeLessThanOrEqual(301);
			expect(code.length).toBeLessThanOrEqual(301);
		}
	});
});

describe('the key is taken out', () => {
	it.each<[string, unknown]>([
		['in error', { error: `Key ${KEY} is wrong` }],
		['in code', { error: 'x', code: KEY }],
		['in detail', { detail: `${KEY}${KEY}` }],
		['in a list', { detail: [{ msg: KEY }] }],
		['in text', `Invalid: ${KEY}.`],
		['in a title', `<title>${KEY}</title>`],
		['in an attribute', `<p title="${KEY}">no</p>`],
		['with colors in it', { error: `${KEY.slice(0, 5)}\u001b[1m${KEY.slice(5)}` }],
		['where a title is cut', `<title>${'x'.repeat(290)}${KEY}</title>`],
		['where a sentence is cut', { error: `${'x'.repeat(290)}${KEY}` }],
		['where a long answer is cut', { error: `${' '.repeat(19_990)}${KEY}` }],
		['where a long page is cut', `${' '.repeat(19_990)}${KEY}`],
	])('%s', (_, body) => {
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
