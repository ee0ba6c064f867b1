import { mediaType, mediaUrl } from '../../../nodes/OutboundMessaging/validation/media';
import { refusalOf, words } from '../help';

const ENTER = 'Enter the public URL of the file, e.g. https://example.com/invoice.pdf';
const OR_MAP = `${ENTER}, or map a field that has a value`;
const FETCHED =
	'Put the file where anyone on the internet can open it without signing in: the service fetches it from there';
const PRESIGNED =
	'https://files.s3.eu-central-1.amazonaws.com/a%20b/in%2Fvoice.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
	'&X-Amz-Credential=AKIA%2F20240101%2Feu-central-1%2Fs3%2Faws4_request&X-Amz-Date=20240101T000000Z' +
	'&X-Amz-Expires=300&X-Amz-SignedHeaders=host&X-Amz-Signature=0a1B%2b%3D==&empty=&plus=a+b&&x';

it.each(
	words(`https://example.com/invoice.pdf http://example.com/invoice.pdf https://example.com:8443/a
		https://example.com./a https://example.com/a#page=2 https://example.com/a?url=http://localhost/
		https://example.com/~ada/(1)/a;b=c,d@e:f https://localhost.example.com/a https://notlocalhost.com/a
		https://mylocal.com/a https://example.com/localhost https://a_b.example.com/a
		https://xn--bcher-kva.example/a ${PRESIGNED}`),
)('sent as it is: %s', (url) => expect(mediaUrl(url)).toBe(url));

it.each([
	['  https://example.com/a.pdf\n', 'https://example.com/a.pdf'],
	['\u200bhttps://example.com/a.pdf\ufeff', 'https://example.com/a.pdf'],
	['https://example.com', 'https://example.com/'],
	['HTTPS://EXAMPLE.COM/A.PDF', 'https://example.com/A.PDF'],
	['https://example.com/my file.pdf', 'https://example.com/my%20file.pdf'],
	['https://example.com/a?q=my file', 'https://example.com/a?q=my%20file'],
	['https://example.com/übersicht.pdf', 'https://example.com/%C3%BCbersicht.pdf'],
	['https://bücher.example/a', 'https://xn--bcher-kva.example/a'],
	['https://例え.テスト/a', 'https://xn--r8jz45g.xn--zckzah/a'],
	['https://example.com:443/a', 'https://example.com/a'],
])('sent as a browser would: %j becomes %s', (given, sent) => expect(mediaUrl(given)).toBe(sent));

describe('hosts', () => {
	// Before and after each range that has a purpose of its own.
	it.each(
		words(`1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
			169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255
			198.20.0.0 223.255.255.255 [2606:4700:4700::1111] [3fff:ffff::1] [2000::1] [::ffff:808:808]`),
	)('%s is public', (host) => expect(mediaUrl(`https://${host}/a`)).toBe(`https://${host}/a`));

	it.each(
		words(`localhost LOCALHOST localhost:3000 localhost. localhost.. files.localhost files.localhost.
			printer.local printer.local. db.internal nas.lan nas.home.arpa intranet n8n example.
			localhost.localdomain localhost.localdomain. nas.home files.corp wiki.intranet app.private a.test
			127.0.0.1 127.0.0.1. 127.0.0.1.. 127.255.255.255 127.1 2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1
			017700000001 １２７.０.０.１ 0.0.0.0 0 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255
			169.254.169.254 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 3232235521 224.0.0.1
			255.255.255.255 192.0.0.8 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.255 240.0.0.1
			[::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:192.168.1.1]
			[::ffff:a9fe:a9fe] [::ffff:198.18.0.1] [::7f00:1] [64:ff9b::7f00:1] [64:ff9b::a00:1] [fc00::1]
			[fd12:3456:789a::1] [fe80::1] [febf::1] [fec0::1] [ff02::1] [1fff::1] [4000::1] [2::1] [20::1]
			[3ff::1] [2002:a00:1::] [2002:c0a8:101::1] [2001:0:53aa:64c::3f57:fefe] [2001:db8::1]`),
	)('%s is not', (host) => {
		const message = `"http://${host}/a" points to a private network`;
		expect(refusalOf(() => mediaUrl(`http://${host}/a`))).toEqual({ message, fix: FETCHED });
	});
});

describe('rejected', () => {
	it.each([
		...words(`example.com/a.pdf //example.com/a.pdf /files/a.pdf C:\\files\\a.pdf javascript:alert(1)
			file:///etc/passwd data:text/plain,x ftp://example.com/a ws://example.com/a
			blob:https://example.com/a https:// https://256.1.1.1/a https://[::1/a https://example.com:99999/`),
		'https://exa mple.com/a',
		'https://a.example, https://b.example',
		'java\nscript:alert(1)',
	])("%j: it isn't a URL", (url) => {
		const message = `"${url.replace('\n', '·')}" isn't a URL that starts with https://`;
		expect(refusalOf(() => mediaUrl(url))).toEqual({ message, fix: ENTER });
	});

	const TOO_LONG = `"https://example.com/${'x'.repeat(40)}…" is longer than 2,048 characters`;
	it.each<[unknown, string, string]>([
		[5, 'is "5", not a URL', ENTER],
		[true, 'is "true", not a URL', ENTER],
		[['https://example.com/a'], 'received several values at once', ENTER],
		[new URL('https://example.com/a'), 'received several values at once', ENTER],
		['', 'is empty', OR_MAP],
		[' \u200b', 'is empty', OR_MAP],
		[null, 'is empty: the expression found no value', 'Check that the input item has that field'],
		[`https://example.com/${'x'.repeat(2029)}`, TOO_LONG, 'Use a shorter URL for the file'],
	])('row %#', (...row) => {
		const [value, message, fix] = row;
		expect(refusalOf(() => mediaUrl(value))).toEqual({ message, fix });
	});

	it('2,048 characters are fine, spaces around them not counted', () => {
		const longest = `https://example.com/${'x'.repeat(2028)}`;
		expect(mediaUrl(` ${longest}\n`)).toBe(longest);
	});

	it.each(
		words(`https://ada:secret@example.com/a https://ada@example.com/a https://:secret@example.com/a
			https://example.com:secret@localhost/a`),
	)('what signs in, without showing it: %s', (url) => {
		expect(refusalOf(() => mediaUrl(url))).toEqual({
			message: 'has a user name or password in it',
			fix: 'Use a URL that works without signing in: the customer and the service could read them',
		});
	});
});

describe('the type of media', () => {
	const check = mediaType([{ value: 'image' }, { value: 'video' }]);

	it.each(['image', 'video'])('%s', (type) => expect(check(type)).toBe(type));

	const other = (shown: string) => `"${shown}" isn't a type of media that can be sent here`;
	const FIX = 'Use one of image, video';
	it.each<[unknown, string, string]>([
		['audio', other('audio'), FIX],
		['Image', other('Image'), FIX],
		[' image', other(' image'), FIX],
		['constructor', other('constructor'), FIX],
		['', 'is empty', FIX],
		[0, 'is "0", not a type', FIX],
		[['image'], 'received several values at once', FIX],
		[null, 'is empty: the expression found no value', 'Check that the input item has that field'],
	])('rejects %j', (value, message, fix) => {
		expect(refusalOf(() => check(value))).toEqual({ message, fix });
	});
});
