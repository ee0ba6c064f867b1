/** "Test" in the credential dialog: OK only for what would really work, otherwise words that say what to fix. */
import type { FaultRule } from '../../sandbox/index.cts';
import { freePort } from '../../scripts/lib/ports.cts';
import { useN8n } from './help.cts';

const KEY = 'key-that-no-one-may-see-0123456789';
const BASE_PATH = '/gateway/eu';
const used = useN8n({ apiKey: KEY, basePath: BASE_PATH });

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

const requests = () => used.sandbox.ledger.entries();

beforeEach(() => used.sandbox.ledger.clear());

afterEach(() => {
	// Whatever the answer was: no test of a credential may reach a customer.
	expect(used.sandbox.ledger.summary().accepted).toBe(0);
	expect(requests().filter(({ body }) => body !== null)).toEqual([]);
});

describe('OK', () => {
	test.each([
		['the values as they are', () => ({})],
		[
			'spaces and line ends around all values, and a slash at the end of the URL',
			() => ({
				baseUrl: `  ${used.sandbox.url}/ \n`,
				apiKeyHeader: '\t X-Service-Api-Key ',
				apiKey: ` ${KEY}\r\n`,
			}),
		],
		[
			'a URL that was pasted with /stable/open',
			() => ({ baseUrl: `${used.sandbox.url}/stable/open/` }),
		],
		['a header name in small letters', () => ({ apiKeyHeader: 'x-service-api-key' })],
	])('%s', async (_, values) => {
		expect(await outcomeOf(values())).toMatchObject({ status: 'OK' });
		// One request with the good key, one with a wrong one: the service tells them apart.
		expect(requests().map(({ keyOk }) => keyOk)).toEqual([true, false]);
	});
});

/** Checks that a test fails with these words, and that it never shows the key. */
async function expectError(outcome: { status: string; message: string }, words: RegExp[]) {
	expect(outcome.status).toBe('Error');
	for (const each of words) expect(outcome.message).toMatch(each);
	expect(JSON.stringify(outcome)).not.toContain(KEY);
}

describe('wrong values', () => {
	test.each([
		[
			'another key',
			{ apiKey: 'wrong-key' },
			[/didn't accept the API key \(401\)/, /Check 'API Key'/],
		],
		[
			'another header name',
			{ apiKeyHeader: 'X-Other-Api-Key' },
			[/401/, /'API Key Header' is the exact header name/],
		],
	])('%s: asked once, rejected', async (_, values, words) => {
		await expectError(await outcomeOf(values), words);
		expect(requests().map(({ keyOk }) => keyOk)).toEqual([false]);
	});

	test.each<[string, object | (() => object), RegExp[]]>([
		['no key', { apiKey: '' }, [/'API Key' is empty/, /Copy the key/]],
		['a key of spaces', { apiKey: ' \t' }, [/'API Key' is empty/]],
		[
			'a key with a line end inside',
			{ apiKey: `${KEY}\r\nX-More: 1` },
			[/'API Key' has.*line breaks/],
		],
		['no header name', { apiKeyHeader: '' }, [/'API Key Header' is empty/]],
		[
			'a header name with a colon',
			{ apiKeyHeader: 'X-Key:' },
			[/'API Key Header' isn't a header name/],
		],
		[
			'a header of HTTP itself',
			{ apiKeyHeader: 'Content-Length' },
			[/header that HTTP uses itself/],
		],
		[
			'a key as header',
			{ apiKeyHeader: `X-Key: ${KEY}` },
			[/'API Key Header' isn't a header name/],
		],
		['a key as URL', { baseUrl: KEY }, [/'Base URL' isn't a URL/]],
		['a public host without TLS', { baseUrl: 'http://api.example.com' }, [/travel unencrypted/]],
		['no base URL', { baseUrl: '' }, [/'Base URL' is empty/]],
		['file:', { baseUrl: 'file:///etc/passwd' }, [/Base URL.*https:\/\//]],
		['no scheme', { baseUrl: 'api.example.com' }, [/Base URL.*https:\/\//]],
		['a query', () => ({ baseUrl: `${used.sandbox.url}?a=1` }), [/'Base URL' has a \? or #/]],
		[
			'user and password in the URL',
			() => ({ baseUrl: used.sandbox.url.replace('://', '://ada:secret@') }),
			[/'Base URL' has a user name or password/, /^(?!.*secret@)/],
		],
	])('%s: nothing is asked', async (_, values, words) => {
		const changed = typeof values === 'function' ? values() : values;
		await expectError(await outcomeOf(changed), words);
		expect(requests()).toEqual([]);
	});

	test('a host that does not exist', async () => {
		const outcome = await outcomeOf({ baseUrl: 'https://nothing.invalid' });
		await expectError(outcome, [/host of 'Base URL' wasn't found/, /spelling/]);
	});

	test('a port where nothing listens', async () => {
		const outcome = await outcomeOf({ baseUrl: `http://127.0.0.1:${await freePort()}` });
		await expectError(outcome, [/connection was refused/, /host and port/]);
	});

	test('a path where the service is not', async () => {
		const outcome = await outcomeOf({ baseUrl: used.sandbox.url.replace('/eu', '/us') });
		await expectError(outcome, [/no messaging service.*\(404\)/, /path/]);
	});
});

const page = '<!doctype html><title>Please sign in</title><h1>Hello</h1>';

describe('answers that prove nothing', () => {
	test.each<[string, FaultRule, RegExp[]]>([
		[
			'a redirect',
			{ what: 'redirect', status: 301, location: 'https://other.example.com/' },
			[/redirects \(301\)/, /other\.example\.com/, /final URL/],
		],
		[
			'a relative redirect',
			{ what: 'redirect', status: 308, location: '/' },
			[/redirects \(308\)/],
		],
		['403', { what: 'status', status: 403 }, [/denied access \(403\)/]],
		['405', { what: 'status', status: 405 }, [/no messaging service.*\(405\)/]],
		['429', { what: 'rateLimit', retryAfter: 30 }, [/limiting requests \(429\)/, /test again/]],
		[
			'500',
			{ what: 'status', status: 500 },
			[/isn't working properly.*\(500\)/, /Try again later/],
		],
		['503', { what: 'unavailable', retryAfter: 1 }, [/isn't working properly.*\(503\)/]],
		[
			'a page, 200',
			{ what: 'html', body: page },
			[/but not the messaging service/, /Please sign in/],
		],
		['a page, 502', { what: 'html', status: 502, body: page }, [/isn't working properly.*\(502\)/]],
		['other JSON, 200', { what: 'notARecord' }, [/\(200\), but not the messaging service/]],
		['nothing, 204', { what: 'empty', status: 204 }, [/\(204\), but not the messaging service/]],
		[
			'a cut connection',
			{ what: 'cutBefore' },
			[/couldn't connect to the service/, /Check 'Base URL'/],
		],
	])('%s', async (_, fault, words) => {
		// Before the key and after it: neither a proxy in front nor the service itself may pass for proof.
		for (const stage of [{ beforeAuth: true }, { evenInvalid: true }]) {
			await expectError(await outcomeOf({}, [{ ...fault, ...stage }]), words);
		}
		// Asked once each, and no redirect was followed.
		expect(requests()).toHaveLength(2);
	});

	test('a server that rejects every key alike', async () => {
		const rules: FaultRule[] = [{ what: 'status', status: 400, beforeAuth: true }];
		await expectError(await outcomeOf({}, rules), [
			/responded to a wrong key with 400/,
			/Base URL/,
		]);
		expect(requests()).toHaveLength(2);
	});

	test('silence: the test gives up', async () => {
		const outcome = await outcomeOf({}, [{ what: 'hang', beforeAuth: true }]);
		await expectError(outcome, [/didn't respond within 10 seconds/]);
	});
});

describe('a service that repeats the key', () => {
	test.each<[string, FaultRule]>([
		['in its words', { what: 'status', status: 401, body: { detail: `The key ${KEY} is wrong` } }],
		['as a code', { what: 'status', status: 500, body: { error: 'No', code: KEY } }],
		['on a page', { what: 'html', body: `<title>Who is ${KEY}?</title>` }],
		['in a redirect', { what: 'redirect', location: `https://login.example.com/?for=${KEY}` }],
	])('%s: it is not shown', async (_, fault) => {
		await expectError(await outcomeOf({}, [{ ...fault, beforeAuth: true }]), [/Check|check|Enter/]);
	});
});
