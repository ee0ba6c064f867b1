import { connectionFrom, isForService } from '../../../nodes/OutboundMessaging/service/connection';
import { refusalOf, words } from '../help';

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
		['HTTPS://API.EXAMPLE.COM', 'https://api.example.com'],
		['https://api.example.com:443', 'https://api.example.com'],
		['https://api.example.com/stable/open', 'https://api.example.com'],
		['https://api.example.com/stable/open//', 'https://api.example.com'],
		['https://example.com/eu/stable/open/', 'https://example.com/eu'],
		['http://127.0.0.1:3000/', 'http://127.0.0.1:3000'],
		['http://[::1]:3000/', 'http://[::1]:3000'],
		['https://bücher.example', 'https://xn--bcher-kva.example'],
	])('%j becomes %s', (given, baseUrl) => {
		expect(connection({ baseUrl: given }).baseUrl).toBe(baseUrl);
	});

	it.each(
		words(`https://example.com/a/b https://api.example.com:8443 https://example.com/stable/open/eu
			https://example.com/unstable/open https://example.com/a%3Fb http://localhost:3000
			http://sandbox:3000 http://192.168.1.5 http://10.0.0.1 http://service.internal http://[fd00::1]`),
	)('%s stays as it is', (baseUrl) => expect(connection({ baseUrl }).baseUrl).toBe(baseUrl));

	const FIX = 'Enter the URL of the messaging service, e.g. https://api.example.com';

	it.each<[string, unknown[]]>([
		["'Base URL' is empty", ['', ' \u200b', undefined, null, 5, {}]],
		[
			"'Base URL' isn't a URL that starts with https://",
			words(`api.example.com localhost:3000 //api.example.com file:///etc/passwd ftp://api.example.com
				javascript:alert(1) https:// https://api.example.com:99999`),
		],
		[
			"'Base URL' has a user name or password in it",
			['https://ada:secret@api.example.com', 'https://ada@api.example.com'],
		],
		[
			"'Base URL' is too long",
			[`https://api.example.com/${'a'.repeat(2048)}`, `https://${'a\u0301'.repeat(400_000)}`],
		],
	])('%s', (message, values) => {
		for (const baseUrl of values) expect(refused({ baseUrl })).toEqual({ message, fix: FIX });
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

	it.each(
		words(`https://api.example.com?x=1 https://api.example.com/#top https://api.example.com/?
			https://api.example.com? https://api.example.com/#`),
	)('rejects %s, which would swallow the paths', (baseUrl) => {
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
		...words('X-Key: X-Key\u0000 X-Kéy X-Ke\u200by (X)'),
		...['X Service', 'X-Key: abc', 'X-Key\r\nHost: evil', 'x'.repeat(257)],
	])('rejects %j without showing it', (apiKeyHeader) => {
		expect(refused({ apiKeyHeader })).toEqual({
			message:
				"'API Key Header' isn't a header name: it has spaces, colons or other characters that aren't allowed",
			fix: `${FIX}, without the key`,
		});
	});

	it.each(
		words(`Host content-length Content-Type Content-Encoding Transfer-Encoding CONNECTION Keep-Alive
			Proxy-Authorization TE Trailer Upgrade Expect User-Agent Accept Accept-Encoding Date __proto__`),
	)('rejects %s, which HTTP uses itself', (apiKeyHeader) => {
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

	it.each<[string, unknown[]]>([
		["'API Key' is empty", ['', ' \u200b', undefined, null]],
		[
			"'API Key' has spaces, line breaks or other characters that aren't allowed",
			[
				...['secret\r\nX-Evil: 1', 'secret\nsecret', 'secret secret', 'sec\u200bret', 'sécret'],
				...['secret\u007fx', 'secret\u0000x'],
			],
		],
		["'API Key' is too long", ['x'.repeat(513)]],
	])('%s, and the key is not shown', (message, keys) => {
		const fix = "Copy the key again from the service's dashboard, and only the key";
		for (const apiKey of keys) expect(refused({ apiKey })).toEqual({ message, fix });
	});
});

describe('a request is for the service', () => {
	const own = connection({ baseUrl: 'https://example.com/messaging' });
	it.each(
		words(`https://example.com/messaging/stable https://example.com/other https://EXAMPLE.com:443/
			https://example.com?x#y`),
	)('%s', (url) => expect(isForService(own, url)).toBe(true));

	it.each([
		'',
		...words(`http://example.com/ https://example.com:8443/ https://api.example.com/
			https://example.com.evil.example/ https://example.com@evil.example/
			https://evil.example/https://example.com/ https://evil.example\\@example.com/ //example.com/
			/messaging file:///messaging null`),
	])('unless it goes to %j', (url) => expect(isForService(own, url)).toBe(false));
});
