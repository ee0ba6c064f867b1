import { connectionFrom } from '../../../nodes/OutboundMessaging/service/connection';
import { itRejects } from '../help';

const connection = (fields: Record<string, unknown>) =>
	connectionFrom({
		baseUrl: 'https://api.example.com',
		apiKeyHeader: 'X-Service-Api-Key',
		apiKey: 'sk-Test_0123/+=',
		...fields,
	} as never);

it('three tidy fields', () => {
	const given = {
		baseUrl: '\u200b https://API.example.com:443/\ufeff\n',
		apiKeyHeader: ' x-acme-api-key ',
		apiKey: '\u200b  sk-1!~"\\ \n\ufeff',
	};
	expect(connection(given)).toEqual({
		baseUrl: 'https://api.example.com',
		headerName: 'x-acme-api-key',
		apiKey: 'sk-1!~"\\',
	});
});

it.each([
	['https://api.example.com///', 'https://api.example.com'],
	['https://api.example.com/stable/open//', 'https://api.example.com'],
	['https://example.com/eu/stable/open', 'https://example.com/eu'],
	['https://example.com/eu/stable/open/customers/send-text-message', 'https://example.com/eu'],
	['https://example.com//stable/open/?a=1#b', 'https://example.com'],
	['http://[::1]:3000/', 'http://[::1]:3000'],
	['https://bücher.example', 'https://xn--bcher-kva.example'],
	...[
		'https://example.com/a%3Fb',
		'https://api.example.com:8443',
		'https://example.com/stable/opening',
		'https://example.com/unstable/open',
		'http://127.0.0.1',
		'http://localhost:3000',
		'http://sandbox:3000',
		'http://192.168.1.5',
		'http://10.0.0.1',
		'http://service.internal',
		'http://[fd00::1]',
		`https://example.com/${'a'.repeat(2028)}`,
	].map((url) => [url, url]),
])('the base URL %j becomes %s', (given, baseUrl) => {
	expect(connection({ baseUrl: given }).baseUrl).toBe(baseUrl);
});

itRejects((baseUrl) => connection({ baseUrl }), {
	"'Base URL' is empty": ['', ' \u200b', undefined, null, 5, {}],
	"'Base URL' isn't a URL that starts with https://": [
		'api.example.com',
		'localhost:3000',
		'//api.example.com',
		'file:///etc/passwd',
		'javascript:alert(1)',
		'ftp://api.example.com',
		'xhttps://api.example.com',
		'https-x://api.example.com',
		'https://',
		'https://api.example.com:99999',
	],
	"'Base URL' has a user name or password in it": [
		'https://ada@api.example.com',
		'https://:secret@api.example.com',
	],
	"'Base URL' is too long": [`https://api.example.com/${'a'.repeat(2048)}`],
	"'Base URL' starts with http://, so the API key would travel unencrypted": [
		'http://api.example.com',
		'http://8.8.8.8',
		'HTTP://api.example.com:443/x',
	],
	"'Base URL' has a ? or # in it": [
		'https://api.example.com?x=1',
		'https://api.example.com/#top',
		'https://api.example.com/?',
		'https://api.example.com?',
		'https://api.example.com/#',
		'https://api.example.com/?to=/stable/open',
	],
});

it('a header and a key may be long, and have signs', () => {
	for (const apiKeyHeader of ['Authorization', "!#$%&'*+.^_`|~09Az-", 'x'.repeat(256)])
		expect(connection({ apiKeyHeader }).headerName).toBe(apiKeyHeader);
	for (const apiKey of ['x'.repeat(4096), 'Bearer sk-1', 'a b'])
		expect(connection({ apiKey }).apiKey).toBe(apiKey);
});

itRejects((apiKeyHeader) => connection({ apiKeyHeader }), {
	"'API Key Header' is empty": ['', undefined, 5],
	["'API Key Header' isn't a header name: it has spaces, colons or other " +
	"characters that aren't allowed"]: [
		'X-Key:',
		'X-Key\u0000',
		'X-Kéy',
		'X-Ke\u200by',
		'(X)',
		...['X Service', 'X-Key: abc', 'X-Key\r\nHost: evil', 'x'.repeat(257)],
	],
	"'API Key Header' is a header that HTTP uses itself": [
		'Host',
		'content-length',
		'Content-Type',
		'Content-Encoding',
		'Transfer-Encoding',
		'CONNECTION',
		'Keep-Alive',
		'Proxy-Authorization',
		'TE',
		'Trailer',
		'Upgrade',
		'Expect',
		'User-Agent',
		'Accept',
		'Accept-Encoding',
		'Date',
		'__proto__',
	],
});

// It's never shown.
itRejects((apiKey) => connection({ apiKey }), {
	"'API Key' is empty": ['', ' \u200b', undefined, null],
	"'API Key' has line breaks, several spaces or other characters that aren't allowed": [
		...['secret\r\nX-Evil: 1', 'secret\nsecret', 'a secret key', 'two  spaces', 'sec\u200bret'],
		...['sécret', 'secret\u007fx', 'secret\u0000x', 'secret\u00a0x'],
	],
	"'API Key' is too long": ['x'.repeat(4097)],
});
