/** "Test" in the credential dialog of a real n8n. All fields, statuses and words are in test/unit/service. */
import type { FaultRule } from '../../sandbox/index.cts';
import { useN8n } from './help.cts';

const KEY = 'key-that-no-one-may-see-0123456789';
const used = useN8n({ sandbox: { apiKey: KEY, basePath: '/gateway/eu' } });

/** Whether each request had the key. */
const keys = () => used.requests().map(({ keyOk }) => keyOk);

afterEach(() => {
	// Whatever the answer was: no test of a credential may reach a customer.
	expect(used.requests().filter(({ body }) => body !== null)).toEqual([]);
});

test('OK: one request with the good key, and one with a wrong key that is told from it', async () => {
	const values = {
		baseUrl: `  ${used.sandbox.url}/stable/open/ \n`,
		apiKeyHeader: '\t x-service-api-key ',
		apiKey: ` ${KEY}\r\n`,
	};
	expect(await used.testCredential(values)).toMatchObject({ status: 'OK' });
	expect(keys()).toEqual([true, false]);
});

const SIGN_IN = '<!doctype html><title>Please sign in</title><h1>Hello</h1>';
const REJECTS_ALL: FaultRule = { what: 'status', status: 400, beforeAuth: true };

test.each<[string, object, FaultRule[], RegExp, boolean[]]>([
	['another key', { apiKey: 'wrong' }, [], /didn't accept the API key \(401\)/, [false]],
	['the key as header', { apiKeyHeader: `X-Key: ${KEY}` }, [], /isn't a header name/, []],
	['the key as URL', { baseUrl: KEY }, [], /'Base URL' isn't a URL/, []],
	[
		'no such host',
		{ baseUrl: 'https://nothing.invalid' },
		[],
		/its host name doesn't exist\. Check 'Base URL'/,
		[],
	],
	['a redirect', {}, [{ what: 'redirect', evenInvalid: true }], /redirects \(30\d\)/, [true]],
	['a page', {}, [{ what: 'html', body: SIGN_IN, evenInvalid: true }], /Please sign in/, [true]],
	['a cut connection', {}, [{ what: 'cutBefore', evenInvalid: true }], /couldn't connect/, [true]],
	['every key is rejected alike', {}, [REJECTS_ALL], /to a wrong key with 400/, [true, false]],
])('%s: says what to fix, and shows no key', async (_, values, rules, words, askedWith) => {
	used.sandbox.faults.set(rules);
	const { status, message } = await used.testCredential(values);
	expect([status, message]).toEqual(['Error', expect.stringMatching(words)]);
	expect(message).not.toContain(KEY);
	expect(keys()).toEqual(askedWith);
});
