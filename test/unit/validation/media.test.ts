import { mediaType, mediaUrl } from '../../../nodes/OutboundMessaging/validation/media';
import { MEGABYTE, refusalOf } from '../help';

const MEND = 'Enter the public address of the file, e.g. https://example.com/invoice.pdf';
const FETCHED =
	'The service fetches the file itself: put it where everyone can reach it without signing in';
const PRESIGNED =
	'https://files.s3.eu-central-1.amazonaws.com/a%20b/in%2Fvoice.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
	'&X-Amz-Credential=AKIA%2F20240101%2Feu-central-1%2Fs3%2Faws4_request&X-Amz-Date=20240101T000000Z' +
	'&X-Amz-Expires=300&X-Amz-SignedHeaders=host&X-Amz-Signature=0a1B%2b%3D==&empty=&plus=a+b&&x';

describe('an address is sent', () => {
	it.each([
		['https://example.com/invoice.pdf'],
		['http://example.com/invoice.pdf'],
		['https://example.com:8443/a'],
		['https://example.com./a'],
		['https://example.com/a#page=2'],
		['https://example.com/a?url=http://localhost/'],
		['https://example.com/~ada/(1)/a;b=c,d@e:f'],
		['https://localhost.example.com/a'],
		['https://notlocalhost.com/a'],
		['https://mylocal.com/a'],
		['https://example.com/localhost'],
		['https://a_b.example.com/a'],
		['https://xn--bcher-kva.example/a'],
		[PRESIGNED],
	])('as it stands: %s', (url) => {
		expect(mediaUrl(url)).toBe(url);
	});

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
	])('as a browser would: %s', (given, sent) => {
		expect(mediaUrl(given)).toBe(sent);
	});

	it.each([
		['next to 0.0.0.0/8', '1.0.0.0'],
		['before 10.0.0.0/8', '9.255.255.255'],
		['after 10.0.0.0/8', '11.0.0.0'],
		['before 100.64.0.0/10', '100.63.255.255'],
		['after 100.64.0.0/10', '100.128.0.0'],
		['before 127.0.0.0/8', '126.255.255.255'],
		['after 127.0.0.0/8', '128.0.0.1'],
		['before 169.254.0.0/16', '169.253.255.255'],
		['after 169.254.0.0/16', '169.255.0.0'],
		['before 172.16.0.0/12', '172.15.255.255'],
		['after 172.16.0.0/12', '172.32.0.0'],
		['before 192.168.0.0/16', '192.167.255.255'],
		['after 192.168.0.0/16', '192.169.0.0'],
		['the last before multicast', '223.255.255.255'],
		['IPv6, global', '[2606:4700:4700::1111]'],
		['IPv6, end of global', '[3fff:ffff::1]'],
		['IPv6, start of global', '[2000::1]'],
		['IPv4 in IPv6, public', '[::ffff:808:808]'],
	])('to a public IP address: %s', (_, host) => {
		expect(mediaUrl(`https://${host}/a`)).toBe(`https://${host}/a`);
	});
});

describe('a host that cannot be public is refused', () => {
	it.each([
		['localhost'],
		['LOCALHOST'],
		['localhost:3000'],
		['localhost.'],
		['localhost..'],
		['files.localhost'],
		['files.localhost.'],
		['printer.local'],
		['printer.local.'],
		['db.internal'],
		['nas.lan'],
		['nas.home.arpa'],
		['intranet'],
		['n8n'],
		['example.'],
		['127.0.0.1'],
		['127.0.0.1.'],
		['127.0.0.1..'],
		['127.255.255.255'],
		['127.1'],
		['2130706433'],
		['0x7f000001'],
		['0x7f.0.0.1'],
		['0177.0.0.1'],
		['017700000001'],
		['１２７.０.０.１'],
		['0.0.0.0'],
		['0'],
		['10.0.0.0'],
		['10.255.255.255'],
		['100.64.0.0'],
		['100.127.255.255'],
		['169.254.169.254'],
		['172.16.0.0'],
		['172.31.255.255'],
		['192.168.0.0'],
		['192.168.255.255'],
		['3232235521'],
		['224.0.0.1'],
		['255.255.255.255'],
		['[::1]'],
		['[::]'],
		['[::ffff:127.0.0.1]'],
		['[::ffff:7f00:1]'],
		['[::ffff:10.0.0.1]'],
		['[::ffff:192.168.1.1]'],
		['[::ffff:a9fe:a9fe]'],
		['[::7f00:1]'],
		['[64:ff9b::7f00:1]'],
		['[fc00::1]'],
		['[fd12:3456:789a::1]'],
		['[fe80::1]'],
		['[febf::1]'],
		['[fec0::1]'],
		['[ff02::1]'],
		['[1fff::1]'],
		['[4000::1]'],
		['[2::1]'],
		['[20::1]'],
		['[3ff::1]'],
	])('%s', (host) => {
		expect(refusalOf(() => mediaUrl(`http://${host}/a`))).toEqual({
			message: `"http://${host}/a" cannot be reached from the internet`,
			fix: FETCHED,
		});
	});
});

describe('refused', () => {
	const noAddress = (shown: string) => `${shown} is not an address that starts with https://`;

	it.each<[unknown, string]>([
		['', 'is empty'],
		[' \u200b', 'is empty'],
		['example.com/a.pdf', noAddress('"example.com/a.pdf"')],
		['//example.com/a.pdf', noAddress('"//example.com/a.pdf"')],
		['/files/a.pdf', noAddress('"/files/a.pdf"')],
		['C:\\files\\a.pdf', noAddress('"C:\\files\\a.pdf"')],
		['javascript:alert(1)', noAddress('"javascript:alert(1)"')],
		['java\nscript:alert(1)', noAddress('"java·script:alert(1)"')],
		['file:///etc/passwd', noAddress('"file:///etc/passwd"')],
		['data:text/plain,x', noAddress('"data:text/plain,x"')],
		['ftp://example.com/a', noAddress('"ftp://example.com/a"')],
		['ws://example.com/a', noAddress('"ws://example.com/a"')],
		['blob:https://example.com/a', noAddress('"blob:https://example.com/a"')],
		['https://', noAddress('"https://"')],
		['https://exa mple.com/a', noAddress('"https://exa mple.com/a"')],
		['https://256.1.1.1/a', noAddress('"https://256.1.1.1/a"')],
		['https://[::1/a', noAddress('"https://[::1/a"')],
		['https://example.com:99999/', noAddress('"https://example.com:99999/"')],
		['https://a.example, https://b.example', noAddress('"https://a.example, https://b.example"')],
		[null, 'is null, not a URL'],
		[undefined, 'is undefined, not a URL'],
		[5, 'is "5", not a URL'],
		[true, 'is "true", not a URL'],
		[['https://example.com/a'], 'is a list, not a URL'],
		[new URL('https://example.com/a'), 'is an object, not a URL'],
	])('%p', (value, message) => {
		expect(refusalOf(() => mediaUrl(value))).toEqual({ message, fix: MEND });
	});

	it.each([
		['https://ada:secret@example.com/a'],
		['https://ada@example.com/a'],
		['https://:secret@example.com/a'],
		['https://example.com:secret@localhost/a'],
	])('what signs in, without showing it: %s', (url) => {
		expect(refusalOf(() => mediaUrl(url))).toEqual({
			message: 'has a user name or password in it',
			fix: 'Customers and the service could read them: use an address that works without',
		});
	});

	it.each([
		['letters', 'x'.repeat(MEGABYTE)],
		['a host', `https://${'x'.repeat(MEGABYTE)}/`],
		['dots', `https://${'.'.repeat(MEGABYTE)}/`],
		['blanks', `${' '.repeat(MEGABYTE)}x`],
	])('a megabyte of %s, in few words', (_, value) => {
		const { message } = refusalOf(() => mediaUrl(value));
		expect(message.length).toBeLessThan(120);
	});
});

describe('the kind of media', () => {
	const check = mediaType([{ value: 'image' }, { value: 'video' }]);

	it.each(['image', 'video'])('%s', (type) => expect(check(type)).toBe(type));

	it.each<[unknown, string]>([
		['audio', '"audio" is not a type'],
		['Image', '"Image" is not a type'],
		[' image', '" image" is not a type'],
		['', '"" is not a type'],
		['constructor', '"constructor" is not a type'],
		[0, '"0" is not a type'],
		[null, 'null is not a type'],
		[['image'], 'a list is not a type'],
	])('refuses %j', (value, message) => {
		expect(refusalOf(() => check(value))).toEqual({ message, fix: 'Use one of image, video' });
	});
});
