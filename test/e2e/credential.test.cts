/**
 * "Test" in the credential dialog: OK only for what would really work, otherwise words that say what to fix. All
 * fields, statuses and words are in test/unit/service.
 */
import type { FaultRule } from '../../sandbox/index.cts';
import { freePort } from '../../scripts/lib/ports.cts';
import { useN8n } from './help.cts';

const KEY = 'key-that-no-one-may-see-0123456789';
const used = useN8n({ sandbox: { apiKey: KEY, basePath: '/gateway/eu' } });

/** Tests the credential with some of its values changed, while the service behaves as the rules say. */
async function outcomeOf(values = {}, rules: FaultRule[] = []) {
	used.sandbox.faults.set(rules);
	return await used.client.testCredential({
		id: used.credentialId,
		name: 'Outbound Messaging',
		type: 'outboundMessagingApi',
		data: used.credentialData(values),
	});
}

/** Whether each request had the key. */
const keys = () => used.requests().map(({ keyOk }) => keyOk);

afterEach(() => {
	// Whatever the answer was: no test of a credential may reach a customer.
	expect(used.accepted()).toEqual([]);
	expect(used.requests().filter(({ body }) => body !== null)).toEqual([]);
});

test.each([
	['the values as they are', () => ({})],
	[
		'spaces and line ends around all values, and a slash at the end of the URL',
		() => ({
			baseUrl: `  ${used.sandbox.url}/ \n`,
			apiKeyHeader: '\t x-service-api-key ',
			apiKey: ` ${KEY}\r\n`,
		}),
	],
	[
		'a URL that was pasted with /stable/open',
		() => ({ baseUrl: `${used.sandbox.url}/stable/open/` }),
	],
])('OK: %s', async (_, values) => {
	expect(await outcomeOf(values())).toMatchObject({ status: 'OK' });
	// One request with the good key, one with a wrong one: the service tells them apart.
	expect(keys()).toEqual([true, false]);
});

/** Checks that a test fails with these words, and that it never shows the key. */
async function expectError(
	values: object,
	rules: FaultRule[],
	words: RegExp,
	askedWith: Array<boolean | null>,
) {
	const { status, message } = await outcomeOf(values, rules);
	expect([status, message]).toEqual(['Error', expect.stringMatching(words)]);
	expect(message).not.toContain(KEY);
	expect(keys()).toEqual(askedWith);
}

test.each<[string, () => object | Promise<object>, RegExp, boolean[]?]>([
	[
		'another key',
		() => ({ apiKey: 'wrong-key' }),
		/didn't accept the API key \(401\)[^]*Check 'API Key'/,
		[false],
	],
	['another header name', () => ({ apiKeyHeader: 'X-Other-Api-Key' }), /401/, [false]],
	['no key', () => ({ apiKey: '' }), /'API Key' is empty[^]*Copy the key/],
	['a line end in the key', () => ({ apiKey: `${KEY}\r\nX-More: 1` }), /line breaks/],
	['the key as header', () => ({ apiKeyHeader: `X-Key: ${KEY}` }), /isn't a header name/],
	['the key as URL', () => ({ baseUrl: KEY }), /'Base URL' isn't a URL/],
	['no TLS', () => ({ baseUrl: 'http://api.example.com' }), /travel unencrypted/],
	[
		'user and password in the URL',
		() => ({ baseUrl: used.sandbox.url.replace('://', '://ada:secret@') }),
		/^(?!.*secret@)'Base URL' has a user name or password/,
	],
	[
		'a host that does not exist',
		() => ({ baseUrl: 'https://nothing.invalid' }),
		/host of 'Base URL' wasn't found/,
	],
	[
		'a port where nothing listens',
		async () => ({ baseUrl: `http://127.0.0.1:${await freePort()}` }),
		/connection was refused/,
	],
	[
		'a path where the service is not',
		() => ({ baseUrl: used.sandbox.url.replace('/eu', '/us') }),
		/no messaging service.*\(404\)/,
	],
])('%s: says what to fix', async (_, values, words, askedWith = []) => {
	await expectError(await values(), [], words, askedWith);
});

const page = '<!doctype html><title>Please sign in</title><h1>Hello</h1>';

test.each<[string, FaultRule, RegExp]>([
	[
		'a redirect',
		{ what: 'redirect', status: 301, location: 'https://other.example.com/' },
		/redirects \(301\)[^]*other\.example\.com/,
	],
	['403', { what: 'status', status: 403 }, /denied access \(403\)/],
	['429', { what: 'rateLimit', retryAfter: 30 }, /limiting requests \(429\)/],
	['503', { what: 'unavailable', retryAfter: 1 }, /isn't working properly.*\(503\)/],
	['a page', { what: 'html', body: page }, /but not the messaging service[^]*Please sign in/],
	['nothing', { what: 'empty', status: 204 }, /\(204\), but not the messaging service/],
	['a cut connection', { what: 'cutBefore' }, /couldn't connect to the service/],
])('%s proves nothing', async (_, fault, words) => {
	// Before the key and after it: neither a proxy in front nor the service itself may pass for proof.
	await expectError({}, [{ ...fault, beforeAuth: true }], words, [expect.anything()]);
	used.sandbox.ledger.clear();
	await expectError({}, [{ ...fault, evenInvalid: true }], words, [true]);
});

test('a server that rejects every key alike', async () => {
	const rules: FaultRule[] = [{ what: 'status', status: 400, beforeAuth: true }];
	await expectError({}, rules, /responded to a wrong key with 400/, [
		expect.anything(),
		expect.anything(),
	]);
});
