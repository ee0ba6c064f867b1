import { connectionFrom, isForService } from '../../../nodes/OutboundMessaging/service/connection';
import { refusalOf } from '../help';

const sound = {
	baseUrl: 'https://api.example.com',
	apiKeyHeader: 'X-Service-Api-Key',
	apiKey: 'sk-Test_0123/+=',
};
const connection = (fields: Record<string, unknown>) =>
	connectionFrom({ ...sound, ...fields } as never);
const refused = (fields: Record<string, unknown>) => refusalOf(() => connection(fields));

it('three tidy fields', () => {
	expect(connectionFrom(sound)).toEqual({
		baseUrl: 'https://api.example.com',
		headerName: 'X-Service-Api-Key',
		apiKey: 'sk-Test_0123/+=',
	});
});

describe('base URL', () => {
	it.each([
		['https://api.example.com/', 'https://api.example.com'],
		['https://api.example.com///', 'https://api.example.com'],
		[' https://api.example.com\n', 'https://api.example.com'],
		['\u200bhttps://api.example.com\ufeff', 'https://api.example.com'],
		['https://example.com/messaging/', 'https://example.com/messaging'],
		['https://example.com/a/b', 'https://example.com/a/b'],
		['HTTPS://API.EXAMPLE.COM', 'https://api.example.com'],
		['https://api.example.com:443', 'https://api.example.com'],
		['https://api.example.com:8443', 'https://api.example.com:8443'],
		['http://localhost:3000', 'http://localhost:3000'],
		['http://127.0.0.1:3000/', 'http://127.0.0.1:3000'],
		['http://[::1]:3000/', 'http://[::1]:3000'],
		['https://bücher.example', 'https://xn--bcher-kva.example'],
		['https://example.com/a%3Fb', 'https://example.com/a%3Fb'],
	])('%j becomes %s', (given, baseUrl) => {
		expect(connection({ baseUrl: given }).baseUrl).toBe(baseUrl);
	});

	const MEND = 'Enter the address of the messaging service, e.g. https://api.example.com';
	const noAddress = (url: string) =>
		`Base URL "${url}" is not an address that starts with https://`;

	it.each<[unknown, string]>([
		['', 'Base URL is empty'],
		[' \u200b', 'Base URL is empty'],
		[undefined, 'Base URL is empty'],
		[null, 'Base URL is empty'],
		[5, 'Base URL is empty'],
		[{}, 'Base URL is empty'],
		['api.example.com', noAddress('api.example.com')],
		['localhost:3000', noAddress('localhost:3000')],
		['//api.example.com', noAddress('//api.example.com')],
		['file:///etc/passwd', noAddress('file:///etc/passwd')],
		['ftp://api.example.com', noAddress('ftp://api.example.com')],
		['javascript:alert(1)', noAddress('javascript:alert(1)')],
		['https://', noAddress('https://')],
		['https://api.example.com:99999', noAddress('https://api.example.com:99999')],
		['https://ada:secret@api.example.com', 'Base URL has a user name or password in it'],
		['https://ada@api.example.com', 'Base URL has a user name or password in it'],
	])('refuses %j', (baseUrl, message) => {
		expect(refused({ baseUrl })).toEqual({ message, fix: MEND });
	});

	it.each([
		'https://api.example.com?x=1',
		'https://api.example.com/#top',
		'https://api.example.com/?',
		'https://api.example.com?',
		'https://api.example.com/#',
	])('refuses %s, which would swallow the paths', (baseUrl) => {
		expect(refused({ baseUrl })).toEqual({
			message: 'Base URL has a ? or # in it',
			fix: `Take off everything from there on. ${MEND}`,
		});
	});
});

describe('API key header', () => {
	it.each([
		['X-Service-Api-Key', 'X-Service-Api-Key'],
		[' x-acme-api-key ', 'x-acme-api-key'],
		['Authorization', 'Authorization'],
		["!#$%&'*+.^_`|~09Az-", "!#$%&'*+.^_`|~09Az-"],
		['__proto__', '__proto__'],
	])('%j becomes %s', (apiKeyHeader, headerName) => {
		expect(connection({ apiKeyHeader }).headerName).toBe(headerName);
	});

	const MEND =
		'Enter the name that the documentation of the service gives, e.g. X-Service-Api-Key with the name of its maker in place of Service';

	it.each<[unknown, string]>([
		['', 'API Key Header is empty'],
		[undefined, 'API Key Header is empty'],
		[5, 'API Key Header is empty'],
		['X Service', 'API Key Header "X Service" is not the name of a header'],
		['X-Key:', 'API Key Header "X-Key:" is not the name of a header'],
		['X-Key: abc', 'API Key Header "X-Key: abc" is not the name of a header'],
		['X-Key\r\nHost: evil', 'API Key Header "X-Key··Host: evil" is not the name of a header'],
		['X-Key\nEvil', 'API Key Header "X-Key·Evil" is not the name of a header'],
		['X-Key\u0000', 'API Key Header "X-Key·" is not the name of a header'],
		['X-Kéy', 'API Key Header "X-Kéy" is not the name of a header'],
		['X-Ke\u200by', 'API Key Header "X-Ke·y" is not the name of a header'],
		['(X)', 'API Key Header "(X)" is not the name of a header'],
	])('refuses %j', (apiKeyHeader, message) => {
		expect(refused({ apiKeyHeader })).toEqual({ message, fix: MEND });
	});
});

describe('API key', () => {
	it.each([
		['  sk-1 \n', 'sk-1'],
		['\u200bsk-1\ufeff', 'sk-1'],
		['!~"\\', '!~"\\'],
	])('%j becomes %s', (apiKey, tidy) => {
		expect(connection({ apiKey }).apiKey).toBe(tidy);
	});

	it.each<[unknown, string]>([
		['', 'API Key is empty'],
		[' \u200b', 'API Key is empty'],
		[undefined, 'API Key is empty'],
		[null, 'API Key is empty'],
		['secret\r\nX-Evil: 1', 'API Key has blanks, line breaks or special letters in it'],
		['secret\nsecret', 'API Key has blanks, line breaks or special letters in it'],
		['secret secret', 'API Key has blanks, line breaks or special letters in it'],
		['sec\u200bret', 'API Key has blanks, line breaks or special letters in it'],
		['sécret', 'API Key has blanks, line breaks or special letters in it'],
		['secret\u007fx', 'API Key has blanks, line breaks or special letters in it'],
		['secret\u0000x', 'API Key has blanks, line breaks or special letters in it'],
	])('refuses %j without showing it', (apiKey, message) => {
		const refusal = refused({ apiKey });
		expect(refusal).toEqual({
			message,
			fix: 'Copy the key once more from the dashboard of the service, and only the key',
		});
		expect(JSON.stringify(refusal)).not.toContain('secret');
	});
});

describe('a request is for the service', () => {
	const own = connection({ baseUrl: 'https://example.com/messaging' });
	it.each([
		['https://example.com/messaging/stable', true],
		['https://example.com/other', true],
		['https://EXAMPLE.com:443/', true],
		['https://example.com?x#y', true],
		['http://example.com/', false],
		['https://example.com:8443/', false],
		['https://api.example.com/', false],
		['https://example.com.evil.example/', false],
		['https://example.com@evil.example/', false],
		['https://evil.example/https://example.com/', false],
		['https://evil.example\\@example.com/', false],
		['//example.com/', false],
		['/messaging', false],
		['', false],
		['file:///messaging', false],
		['null', false],
	])('%s: %s', (url, answer) => {
		expect(isForService(own, url)).toBe(answer);
	});

	it('nothing is for a base URL that is none', () => {
		expect(isForService({ ...own, baseUrl: 'x' }, 'x')).toBe(false);
		expect(isForService({ ...own, baseUrl: 'x' }, 'https://example.com')).toBe(false);
	});
});
