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
		origin: 'https://api.example.com',
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
		['https://api.example.com/stable/open', 'https://api.example.com'],
		['https://api.example.com/stable/open//', 'https://api.example.com'],
		['https://example.com/eu/stable/open/', 'https://example.com/eu'],
		['https://example.com/stable/open/eu', 'https://example.com/stable/open/eu'],
		['https://example.com/unstable/open', 'https://example.com/unstable/open'],
		['http://localhost:3000', 'http://localhost:3000'],
		['http://sandbox:3000', 'http://sandbox:3000'],
		['http://192.168.1.5', 'http://192.168.1.5'],
		['http://10.0.0.1', 'http://10.0.0.1'],
		['http://service.internal', 'http://service.internal'],
		['http://[fd00::1]', 'http://[fd00::1]'],
		['http://127.0.0.1:3000/', 'http://127.0.0.1:3000'],
		['http://[::1]:3000/', 'http://[::1]:3000'],
		['https://bücher.example', 'https://xn--bcher-kva.example'],
		['https://example.com/a%3Fb', 'https://example.com/a%3Fb'],
	])('%j becomes %s', (given, baseUrl) => {
		expect(connection({ baseUrl: given }).baseUrl).toBe(baseUrl);
	});

	const FIX = 'Enter the URL of the messaging service, e.g. https://api.example.com';
	const NO_URL = "'Base URL' isn't a URL that starts with https://";

	it.each<[unknown, string]>([
		['', "'Base URL' is empty"],
		[' \u200b', "'Base URL' is empty"],
		[undefined, "'Base URL' is empty"],
		[null, "'Base URL' is empty"],
		[5, "'Base URL' is empty"],
		[{}, "'Base URL' is empty"],
		['api.example.com', NO_URL],
		['localhost:3000', NO_URL],
		['//api.example.com', NO_URL],
		['file:///etc/passwd', NO_URL],
		['ftp://api.example.com', NO_URL],
		['javascript:alert(1)', NO_URL],
		['https://', NO_URL],
		['https://api.example.com:99999', NO_URL],
		['https://ada:secret@api.example.com', "'Base URL' has a user name or password in it"],
		['https://ada@api.example.com', "'Base URL' has a user name or password in it"],
		[`https://api.example.com/${'a'.repeat(2048)}`, "'Base URL' is too long"],
		[`https://${'a\u0301'.repeat(400_000)}`, "'Base URL' is too long"],
	])('rejects %#', (baseUrl, message) => {
		expect(refused({ baseUrl })).toEqual({ message, fix: FIX });
	});

	it.each(['http://api.example.com', 'http://8.8.8.8', 'HTTP://api.example.com:443/x'])(
		'rejects %s, where the key would travel unencrypted',
		(baseUrl) => {
			expect(refused({ baseUrl })).toEqual({
				message: "'Base URL' starts with http://, so the API key would travel unencrypted",
				fix: 'Enter it with https://. Only hosts on this machine or in a private network may go without',
			});
		},
	);

	it.each([
		'https://api.example.com?x=1',
		'https://api.example.com/#top',
		'https://api.example.com/?',
		'https://api.example.com?',
		'https://api.example.com/#',
	])('rejects %s, which would swallow the paths', (baseUrl) => {
		expect(refused({ baseUrl })).toEqual({
			message: "'Base URL' has a ? or # in it",
			fix: `Remove everything from there on. ${FIX}`,
		});
	});
});

describe('API key header', () => {
	it.each([
		['X-Service-Api-Key', 'X-Service-Api-Key'],
		[' x-acme-api-key ', 'x-acme-api-key'],
		['Authorization', 'Authorization'],
		["!#$%&'*+.^_`|~09Az-", "!#$%&'*+.^_`|~09Az-"],
	])('%j becomes %s', (apiKeyHeader, headerName) => {
		expect(connection({ apiKeyHeader }).headerName).toBe(headerName);
	});

	const FIX = "Copy the exact header name from the service's API documentation";

	it.each<[unknown]>([[''], [undefined], [5]])('rejects %j as empty', (apiKeyHeader) => {
		expect(refused({ apiKeyHeader })).toEqual({ message: "'API Key Header' is empty", fix: FIX });
	});

	it.each([
		'X Service',
		'X-Key:',
		'X-Key: abc',
		'X-Key\r\nHost: evil',
		'X-Key\u0000',
		'X-Kéy',
		'X-Ke\u200by',
		'(X)',
		'x'.repeat(257),
	])('rejects %j without showing it', (apiKeyHeader) => {
		expect(refused({ apiKeyHeader })).toEqual({
			message:
				"'API Key Header' isn't a header name: it has spaces, colons or other characters that aren't allowed",
			fix: `${FIX}, without the key`,
		});
	});

	it.each([
		...[
			'Host',
			'content-length',
			'Content-Type',
			'Content-Encoding',
			'Transfer-Encoding',
			'CONNECTION',
		],
		...['Keep-Alive', 'Proxy-Authorization', 'TE', 'Trailer', 'Upgrade', 'Expect', 'User-Agent'],
		...['Accept', 'Accept-Encoding', 'Date', '__proto__'],
	])('rejects %s, which HTTP uses itself', (apiKeyHeader) => {
		expect(refused({ apiKeyHeader })).toEqual({
			message: "'API Key Header' is a header that HTTP uses itself",
			fix: FIX,
		});
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
		['', "'API Key' is empty"],
		[' \u200b', "'API Key' is empty"],
		[undefined, "'API Key' is empty"],
		[null, "'API Key' is empty"],
		[
			'secret\r\nX-Evil: 1',
			"'API Key' has spaces, line breaks or other characters that aren't allowed",
		],
		['secret\nsecret', "'API Key' has spaces, line breaks or other characters that aren't allowed"],
		['secret secret', "'API Key' has spaces, line breaks or other characters that aren't allowed"],
		['sec\u200bret', "'API Key' has spaces, line breaks or other characters that aren't allowed"],
		['sécret', "'API Key' has spaces, line breaks or other characters that aren't allowed"],
		['secret\u007fx', "'API Key' has spaces, line breaks or other characters that aren't allowed"],
		['secret\u0000x', "'API Key' has spaces, line breaks or other characters that aren't allowed"],
		['x'.repeat(513), "'API Key' is too long"],
	])('rejects %j without showing it', (apiKey, message) => {
		const refusal = refused({ apiKey });
		expect(refusal).toEqual({
			message,
			fix: "Copy the key again from the service's dashboard, and only the key",
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
});
