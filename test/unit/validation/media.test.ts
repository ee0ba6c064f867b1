import { mediaType, mediaUrl as urlOf } from '../../../nodes/OutboundMessaging/validation/media';
import { itRejects, NO_SINGLE_VALUE, refusalOf, rows, words } from '../help';

const mediaUrl = (value: unknown) => urlOf(value, 'document');

const PRESIGNED =
	'https://files.s3.eu-central-1.amazonaws.com/a%20b/in%2Fvoice.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
	'&X-Amz-Credential=AKIA%2F20240101%2Feu-central-1%2Fs3%2Faws4_request&X-Amz-Date=20240101T000000Z' +
	'&X-Amz-Expires=300&X-Amz-SignedHeaders=host&X-Amz-Signature=0a1B%2b%3D==&empty=&plus=a+b&&x';
const LONGEST = `https://example.com/${'x'.repeat(8172)}`;

it.each(
	words(`http://example.com/invoice.pdf https://example.com:8443/a https://example.com./a ${PRESIGNED}
		https://example.com/~ada/(1)/a;b=c,d@e:f#page=2 https://example.com/localhost?url=http://localhost/
		https://web.archive.org/web/2020/https://a.example/1.pdf https://a.example/f?url=https://b.example/1
		https://a.example/cdn/w=80/https://b.example/1.png https://a.example/f(https://b.example/a) https://a.example/a&amp;b
		https://localhost.example.com/a https://notlocalhost.com/a https://mylocal.com/a https://a_b.example.com/a`),
)('sent as it is: %s', (url) => expect(mediaUrl(url)).toBe(url));

it.each([
	['\u200b https://example.com/a.pdf\ufeff\n', 'https://example.com/a.pdf'],
	[` ${LONGEST}\n`, LONGEST],
	...rows(`https://bücher.example/ü.pdf → https://xn--bcher-kva.example/%C3%BC.pdf;
		https://example.com/my file.pdf?q=my file → https://example.com/my%20file.pdf?q=my%20file;
		HTTPS://EXAMPLE.COM → https://example.com/; https://example.com:443/a → https://example.com/a`),
])('sent as a browser would: %j becomes %s', (given, sent) => expect(mediaUrl(given)).toBe(sent));

// Before and after each range that has a purpose of its own.
it.each(
	words(`1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
		169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255
		198.20.0.0 223.255.255.255 [2606:4700:4700::1111] [3fff:ffff::1] [2000::1] [::ffff:808:808]
		[2001:200::] [3fff:1000::]`),
)('%s is public', (host) => expect(mediaUrl(`https://${host}/a`)).toBe(`https://${host}/a`));

const PRIVATE =
	words(`localhost LOCALHOST localhost:3000 localhost. localhost.. files.localhost files.localhost.
		printer.local printer.local. db.1.internal nas.lan nas.home.arpa intranet n8n example.
		localhost.localdomain %31%32%37.0.0.1 127。0｡0．1 localhost.localdomain. nas.home files.corp wiki.intranet app.private a.test
		a..example.com 127.0.0.1 127.0.0.1. 127.0.0.1.. 127.255.255.255 127.1 2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1
		017700000001 １２７.０.０.１ 0.0.0.0 0 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255
		169.254.169.254 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 3232235521 224.0.0.1
		255.255.255.255 192.0.0.8 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.255 240.0.0.1
		[::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:192.168.1.1]
		[::ffff:a9fe:a9fe] [::ffff:198.18.0.1] [::7f00:1] [64:ff9b::7f00:1] [64:ff9b::a00:1] [fc00::1] [1:2001::]
		[fd12:3456:789a::1] [fe80::1] [febf::1] [fec0::1] [ff02::1] [1fff::1] [4000::1] [2::1] [20::1]
		[3ff::1] [2002:a00:1::] [2002:c0a8:101::1] [2001:0:53aa:64c::3f57:fefe] [2001:db8::1]
		192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1 [2001:1ff:ffff::] [2620:4f:8000::1] [3fff:fff::]`);
itRejects(mediaUrl, {
	'… points to a private network': [
		...PRIVATE.map((host) => `http://${host}/a`),
		'https:\\\\127.0.0.1',
	],
});

const ENTER = 'Enter the public URL of the file, e.g. https://example.com/invoice.pdf';
const OTHERS =
	words(`example.com/a.pdf //example.com/a.pdf C:\\files\\a.pdf javascript:alert(1) file:///etc/passwd
	data:text/plain,x ftp://example.com/a ws://example.com/a blob:https://example.com/a https://
	https://256.1.1.1/a https://[::1/a https://example.com:99999/`);
OTHERS.push('java\nscript:alert(1)', `data:text/plain,https:${'x'.repeat(8192)}`);
const SEVERAL = [', ', ',', '\n', ';', '|', '', ' '].map(
	(between) => `https://a.example/1.pdf${between}http://b.example/2`,
);
itRejects(mediaUrl, {
	[`… isn't a URL that starts with https://\n${ENTER}`]: [...OTHERS, 'https://exa mple.com/a'],
	'… has several URLs': SEVERAL,
	'… has &amp; for each &, as in the source of a web page\nUse the URL as the browser shows it: "https://example.com/?a=1&b=2&c=3"':
		['https://example.com/?a=1&amp;b=2&AMP;c=3'],
	[`is …, not a URL\n${ENTER}`]: [5, true],
	[`is empty\n${ENTER}, or map a field that has a value`]: ['', ' \u200b'],
	'… is longer than 8,192 characters': [`${LONGEST}x`],
	'has a user name or password in it':
		words(`https://ada:secret@example.com/a https://ada@example.com/a
		https://:secret@example.com/a https://example.com:secret@localhost/a`),
	...NO_SINGLE_VALUE,
});

it('a file of another kind is rejected, and a header takes fewer formats', () => {
	const url = 'https://example.com/a b.webp';
	expect(refusalOf(() => urlOf(url, 'video')).title).toContain('ends like an image');
	expect(refusalOf(() => urlOf(url, 'image', true)).title).toContain('in a header');
	expect(urlOf(url, 'image')).toBe('https://example.com/a%20b.webp');
});

describe('the type of media', () => {
	const check = mediaType([{ value: 'image' }, { value: 'document' }]);

	it.each([
		...rows('image → image; Image → image; PDF → document; pdf → document'),
		[' DOCUMENT\n', 'document'],
	])('%j is %s', (given, type) => expect(check(given)).toBe(type));

	itRejects(check, {
		"… isn't a type of media that can be sent here\nUse one of image, document": words(
			'audio images docx constructor',
		),
		'is empty': ['', ' '],
		'is …, not a type': [0],
		...NO_SINGLE_VALUE,
	});
});

it('a URL with an ü is one in a long list, too: the URL.canParse of Node 20 forgets that', () => {
	const url = 'https://bücher.example/a.pdf';
	const read = Array.from({ length: 30_000 }, () => mediaUrl(url));
	expect(new Set(read)).toEqual(new Set(['https://xn--bcher-kva.example/a.pdf']));
});
