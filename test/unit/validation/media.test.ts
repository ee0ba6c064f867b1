import { list } from '../../../nodes/OutboundMessaging/parameters/field';
import { mediaType, mediaUrl as urlOf } from '../../../nodes/OutboundMessaging/validation/media';
import { quoteForError } from '../../../nodes/OutboundMessaging/validation/invalidValue';
import { expiryOf } from '../../../nodes/OutboundMessaging/validation/url';
import { itRejects, NO_SINGLE_VALUE, refusalOf } from '../help';

const mediaUrl = (value: unknown) => urlOf(value, 'document');

const PRESIGNED =
	'https://files.s3.eu-central-1.amazonaws.com/a%20b/in%2Fvoice.pdf?' +
	'X-Amz-Algorithm=AWS4-HMAC-SHA256&' +
	'X-Amz-Credential=AKIA%2F20240101%2Feu-central-1%2Fs3%2Faws4_request&' +
	'X-Amz-Date=20990101T000000Z&X-Amz-Expires=300&X-Amz-SignedHeaders=host&' +
	'X-Amz-Signature=0a1B%2b%3D==&empty=&plus=a+b&&x';
const LONGEST = `https://example.com/${'x'.repeat(8172)}`;

it.each([
	'http://example.com/invoice.pdf',
	'https://example.com:8443/a',
	'https://example.com./a',
	`${PRESIGNED}`,
	'https://example.com/~ada/(1)/a;b=c,d@e:f#page=2',
	'https://example.com/localhost?url=http://localhost/',
	'https://web.archive.org/web/2020/https://a.example/1.pdf',
	'https://a.example/f?url=https://b.example/1',
	'https://a.example/cdn/w=80/https://b.example/1.png',
	'https://a.example/f(https://b.example/a)',
	'https://a.example/a&amp;b',
	'https://localhost.example.com/a',
	'https://notlocalhost.com/a',
	'https://mylocal.com/a',
	'https://a_b.example.com/a',
	'https://storage.googleapis.com/b/a.pdf?X-Goog-Credential=a%40b.iam%2F20240101%2Fauto&' +
		'X-Goog-Signature=0a',
	'https://a.blob.core.windows.net/b/a.pdf?sv=2022-11-02&se=2099-01-01T00%3A00%3A00Z&' +
		'sig=aB%2Bc%2F%3D',
	'https://cdn.shopify.com/s/files/1/02/files/a_800x.png?v=1700000000',
	'https://example.com/wp-content/uploads/2024/05/a-1.pdf',
	'https://res.cloudinary.com/a/image/upload/w_400,c_fill/l_text:Arial_40:Hi%2520Ada/v1/a.jpg',
	'https://a.supabase.co/storage/v1/object/sign/a/b.pdf?' +
		'token=eyJhbGciOiJIUzI1NiJ9.eyJ1IjoiYSJ9.x_-',
	'https://firebasestorage.googleapis.com/v0/b/a.appspot.com/o/a%2Fb.pdf?alt=media&' +
		'token=0b9c1e0a-7d',
	'https://n8n.example.com/webhook/invoice?id=4711',
	'https://v5.airtableusercontent.com/v3/u/1/1/1700/a/b-_',
	'https://prod-files-secure.s3.us-west-2.amazonaws.com/a/a.pdf?X-Amz-Security-Token=&' +
		'x-id=GetObject',
	'https://api.mapbox.com/styles/v1/a/b/static/9,48,9/600x400?access_token=pk.eyJ1IjoiYSJ9.x',
	'https://cms.example.com/assets/1?access_token=ab',
	'https://api.qrserver.com/v1/create-qr-code/?size=300x300&data=A-1',
	'https://example.com/robot12:a.pdf',
	'https://a.example/xoxb',
	'https://a.example/ghs_labels.pdf?d=EAA-NaN-5',
	'https://example.com/undefined-behaviour.pdf',
	'https://example.com/on%20undefined%20variables.pdf',
	'https://example.com/c_undefined_types.pdf',
	'https://example.com/null-and-void.pdf?q=nullable',
	'https://example.com/Undefined/NaNo.pdf',
	'https://example.com/nonull/a.pdf',
])('sent as it is: %s', (url) => expect(mediaUrl(url)).toBe(url));

it.each([
	['\u200b https://example.com/a.pdf\ufeff\n', 'https://example.com/a.pdf'],
	[` ${LONGEST}\n`, LONGEST],
	['https://bücher.example/ü.pdf', 'https://xn--bcher-kva.example/%C3%BC.pdf'],
	['https://example.com/my file.pdf?q=my file', 'https://example.com/my%20file.pdf?q=my%20file'],
	['HTTPS://EXAMPLE.COM', 'https://example.com/'],
	['https://example.com:443/a', 'https://example.com/a'],
])('sent as a browser would: %j becomes %s', (given, sent) => expect(mediaUrl(given)).toBe(sent));

// Before and after each range that has a purpose of its own.
it.each([
	'1.0.0.0',
	'9.255.255.255',
	'11.0.0.0',
	'100.63.255.255',
	'100.128.0.0',
	'126.255.255.255',
	'128.0.0.1',
	'169.253.255.255',
	'169.255.0.0',
	'172.15.255.255',
	'172.32.0.0',
	'192.167.255.255',
	'192.169.0.0',
	'198.17.255.255',
	'198.20.0.0',
	'223.255.255.255',
	'[2606:4700:4700::1111]',
	'[2000::1]',
	'[::ffff:808:808]',
	'[2001:200::]',
	'[3fff:1000::]',
])('%s is public', (host) => expect(mediaUrl(`https://${host}/a`)).toBe(`https://${host}/a`));

const PRIVATE = [
	'localhost',
	'LOCALHOST',
	'localhost.',
	'localhost..',
	'files.localhost',
	'printer.local',
	'printer.local.',
	'db.1.internal',
	'nas.lan',
	'nas.home.arpa',
	'intranet',
	'n8n',
	'example.',
	'localhost.localdomain',
	'%31%32%37.0.0.1',
	'127。0｡0．1',
	'nas.home',
	'files.corp',
	'wiki.intranet',
	'app.private',
	'a.test',
	'a..example.com',
	'127.0.0.1',
	'127.0.0.1.',
	'127.255.255.255',
	'2130706433',
	'0x7f.0.0.1',
	'１２７.０.０.１',
	'0.0.0.0',
	'0',
	'10.0.0.0',
	'10.255.255.255',
	'100.64.0.0',
	'100.127.255.255',
	'169.254.169.254',
	'172.16.0.0',
	'172.31.255.255',
	'192.168.0.0',
	'192.168.255.255',
	'224.0.0.1',
	'255.255.255.255',
	'192.0.0.8',
	'192.0.2.1',
	'198.18.0.1',
	'198.19.255.255',
	'198.51.100.7',
	'203.0.113.255',
	'240.0.0.1',
	'[::1]',
	'[::]',
	'[::ffff:127.0.0.1]',
	'[::ffff:10.0.0.1]',
	'[::ffff:a9fe:a9fe]',
	'[::ffff:198.18.0.1]',
	'[::7f00:1]',
	'[64:ff9b::7f00:1]',
	'[fc00::1]',
	'[1:2001::]',
	'[fd12:3456:789a::1]',
	'[fe80::1]',
	'[febf::1]',
	'[fec0::1]',
	'[ff02::1]',
	'[1fff::1]',
	'[4000::1]',
	'[2::1]',
	'[20::1]',
	'[3ff::1]',
	'[2002:a00:1::]',
	'[2001:0:53aa:64c::3f57:fefe]',
	'[2001:db8::1]',
	'192.31.196.1',
	'192.52.193.1',
	'192.88.99.1',
	'192.175.48.1',
	'[2001:1ff:ffff::]',
	'[2620:4f:8000::1]',
	'[3fff:fff::]',
];
itRejects(mediaUrl, {
	'… points to a private network': [
		...PRIVATE.map((host) => `http://${host}/a`),
		'https:\\\\127.0.0.1',
	],
});

const ENTER = 'Enter the public URL of the file, e.g. https://example.com/invoice.pdf';
const MAP =
	'Map the URL of the file. If n8n has the file, it can serve it: see the ' +
	'example file-from-n8n.json';
const SERVED = `${ENTER}. If n8n has the file, it can serve it: see the example file-from-n8n.json`;
const OTHERS = [
	'example.com/a.pdf',
	'//example.com/a.pdf',
	'C:\\files\\a.pdf',
	'javascript:alert(1)',
	'file:///etc/passwd',
	'data:text/plain,x',
	'ftp://example.com/a',
	'ws://example.com/a',
	'blob:https://example.com/a',
	'https://',
	'https://256.1.1.1/a',
	'https://[::1/a',
	'https://example.com:99999/',
];
OTHERS.push(
	'filesystem-v2:workflows/1/executions/2/binary_data/3',
	's3:workflows/1/a',
	'invoice.pdf',
);
OTHERS.push(
	`data:image/png;base64,${'iVBORw0KGgo'.repeat(900)}`,
	'JVBERi0xLjQKJcfsj6IK'.repeat(900),
);
OTHERS.push('java\nscript:alert(1)', `data:text/plain,https:${'x'.repeat(8192)}`);
const SEVERAL = [', ', ',', '\n', ';', '|', '', ' '].map(
	(between) => `https://a.example/1.pdf${between}http://b.example/2`,
);
const MISSING = 'what an expression gives for a missing field';
itRejects(mediaUrl, {
	[`… isn't a URL that starts with https://\n${SERVED}`]: [...OTHERS, 'https://exa mple.com/a'],
	[`has "[object Object]": several values at once\n${MAP}`]: ['[object Object]'],
	'… has several URLs': SEVERAL,
	'… has &amp; for each &, as in the source of a web page': [
		'https://example.com/?a=1&amp;b=2&AMP;c=3',
	],
	[`is …, not a URL\n${SERVED}`]: [5, true],
	[`received several values at once\n${SERVED}`]: [
		{ mimeType: 'application/pdf', id: 'filesystem-v2:a' },
	],
	[`is empty\n${ENTER}, or map a field that has a value`]: ['', ' \u200b'],
	'… is longer than 8,192 characters': [`${LONGEST}x`],
	'has a user name, password or access token in it': [
		'https://ada:secret@example.com/a',
		'https://ada@example.com/a',
		'https://:secret@example.com/a',
		'https://example.com:secret@localhost/a',
		'https://api.telegram.org/file/bot12:AAF-x/photos/a.jpg',
		'https://tg.example.com/file/bot12%3AAAF-x/a.jpg',
		`https://example.com/a?access_token=EAA${'x'.repeat(60)}`,
		'https://example.com/a?t=ya29.a',
		'https://example.com/a?token=xoxb-1-a',
		`https://example.com/ghp_${'x'.repeat(36)}/a`,
		'https://example.com/a?private_token=glpat-a',
	],
	[`has "undefined": ${MISSING}`]: [
		'https://a.example/undefined',
		'https://a.example/undefined.pdf',
		'https://a.example/undefined/a.pdf',
		'https://a.example/invoice-undefined.pdf',
		'https://a.example/invoice%20undefined.pdf',
		'https://a.example/a_undefined-2024.pdf',
		'https://a.example/a?id=undefined&x=1',
		'https://a.example/a?id=undefined',
		'https://a.example/a%2Fundefined.pdf',
		'https://a.example/w_undefined,h_200/a.jpg',
		'https://a.example/undefined%20.pdf',
		'undefined',
		'undefined/a.pdf',
	],
	[`has "NaN": ${MISSING}`]: ['https://a.example/NaN.pdf', 'https://a.example/a?id=NaN&x=1'],
	[`has "=null": ${MISSING}`]: ['https://a.example/a?id=null&x=1'],
	...NO_SINGLE_VALUE,
});

it('a header takes fewer formats', () => {
	const url = 'https://example.com/a b.webp';
	expect(refusalOf(() => urlOf(url, 'image', true)).title).toContain('in a header');
	expect(urlOf(url, 'image')).toBe('https://example.com/a%20b.webp');
});

const typeOf = mediaType(list('Type', '', { image: 'Image', document: 'Document' }));
it.each([
	['image', 'image'],
	['Image', 'image'],
	['PDF', 'document'],
	['pdf', 'document'],
	[' DOCUMENT\n', 'document'],
])('the type %j is %s', (given, type) => expect(typeOf(given)).toBe(type));
itRejects(typeOf, {
	['is …\n' +
	'Choose from the list, or use an expression that gives one of image ' +
	'(Image), document (Document)']: ['audio', 'images', 'docx', 'constructor', 0],
	'is empty': ['', ' '],
	...NO_SINGLE_VALUE,
});

it('a URL with an ü is one in a long list, too: the URL.canParse of Node 20 forgets that', () => {
	const url = 'https://bücher.example/a.pdf';
	const read = Array.from({ length: 30_000 }, () => mediaUrl(url));
	expect(new Set(read)).toEqual(new Set(['https://xn--bcher-kva.example/a.pdf']));
});

describe('a URL that says when it ends', () => {
	const NOW = Date.parse('2026-11-29T12:00:00Z');
	beforeEach(() => jest.useFakeTimers({ now: NOW }));
	afterEach(() => jest.useRealTimers());

	const base64 = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url');
	const token = (claims: object) => `${base64({ alg: 'HS256' })}.${base64(claims)}.x-_`;
	const seconds = (time: string) => Date.parse(time) / 1000;
	const ended = '2026-11-29T11:59:00Z';
	/** How services write it. */
	const urls = (end: string): string[] => {
		const began = new Date(Date.parse(end) - 300_000).toISOString().replace(/[-:]|\.000/g, '');
		const epoch = seconds(end);
		const hex = epoch.toString(16);
		return [
			`https://a.s3.amazonaws.com/a.pdf?X-Amz-Date=${began}&X-Amz-Expires=300&X-Amz-Signature=a`,
			`https://storage.googleapis.com/a?x-goog-date=${began}&x-goog-expires=300&x-goog-signature=a`,
			`https://a.blob.core.windows.net/b/a.pdf?sv=2022&se=${encodeURIComponent(end)}&sr=b&sig=a`,
			`https://a.s3.amazonaws.com/a.pdf?AWSAccessKeyId=A&Expires=${epoch}&Signature=a`,
			`https://a.cloudfront.net/a.pdf?Expires=${epoch}&Signature=a&Key-Pair-Id=K`,
			`https://shop.example.com/a.pdf?expires=${epoch}&signature=a`,
			`https://a.example/a.mp4?token=a&expires=${epoch}000`,
			`https://a.supabase.co/storage/v1/object/sign/a/b.pdf?token=${token({ exp: epoch })}`,
			`https://a.example/f/${token({ exp: epoch, sub: 'ü' })}/a.pdf`,
			`https://cdn.discordapp.com/attachments/1/2/a.png?ex=${hex}&is=65&hm=a`,
			`https://media.discordapp.net/attachments/1/2/a.png?ex=${hex}`,
			`https://scontent.xx.fbcdn.net/v/a.jpg?oh=00_A&oe=${hex.toUpperCase()}`,
		];
	};

	it.each(urls(ended))('is rejected after that, with when: %s', (url) =>
		expect(refusalOf(() => mediaUrl(url))).toEqual({
			title: `${quoteForError(new URL(url).href)} ended on 2026-11-29 11:59 (UTC)`,
			description: expect.stringMatching(/^Use a URL that/) as string,
		}),
	);

	it.each(urls('2026-11-29T12:30:00Z'))('is sent before that: %s', (url) => {
		expect(mediaUrl(url)).toBe(url);
		expect(expiryOf(new URL(url))).toBe(Date.parse('2026-11-29T12:30:00Z'));
	});

	it.each([
		'https://a.example/a.pdf',
		'https://a.example/a.pdf?expires=1700000000',
		'https://a.example/a.pdf?Expires=soon&Signature=a',
		'https://a.example/a.pdf?ex=65&se=2020-01-01',
		'https://a.example/a.pdf?se=1&token=a',
		'https://a.example/a.pdf?expires=3600&token=a',
		'https://a.example/a.pdf?X-Amz-Expires=300',
		`https://a.example/?token=${token({ sub: 1 })}`,
		'https://a.example/?token=eyJh.eyJi.c',
		`https://a.example/?token=${token({ exp: -1e300 })}`,
		`https://a.example/?token=${token({ exp: 'soon' })}`,
		'https://a.example/a.pdf?X-Amz-Date=x&X-Amz-Expires=y',
		'https://a.example/a.pdf?exp=1700000000',
		'https://a.blob.core.windows.net/b/a.pdf?se=never&sig=a',
		'https://cdn.discordapp.com/attachments/1/2/a.png?ex=',
	])('others say nothing about it: %s', (url) => {
		expect(expiryOf(new URL(url))).toBeUndefined();
		expect(mediaUrl(url)).toBe(new URL(url).href);
	});
});
