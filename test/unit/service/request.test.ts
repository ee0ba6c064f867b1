import { sleep } from 'n8n-workflow';
import nock from 'nock';

import type { HttpResult } from '../../../nodes/OutboundMessaging/service/httpResult';
import { connectionFrom } from '../../../nodes/OutboundMessaging/service/connection';
import { readCredential, sender, urlOf } from '../../../nodes/OutboundMessaging/service/request';
import { operationNamed } from '../../../nodes/OutboundMessaging/operations';
import { KEY } from '../help';
import { credentialFor, executeFunctions } from './n8n';
import { closedPort, loopbackOnly, rawServer, recordingServer } from './server';

const HOST = 'https://api.example.com';
const PATH = '/stable/open/customers/send-text-message';
const body = { customer_id: '42', text: 'Hello' };

const send = async (baseUrl: string, timeout = 5000, more = {}): Promise<HttpResult> =>
	await sender(
		executeFunctions(),
		credentialFor(baseUrl, more),
		timeout,
	)({
		url: baseUrl + PATH,
		body,
	});

loopbackOnly();

describe('on the wire', () => {
	const template = {
		templateId: 'order',
		channelId: '1024',
		customerPhone: '+15550100200',
		specifyAttributes: 'json',
		attributesJson: '["Zoë 👋", "a\\nb"]',
		headerMedia: { media: { type: 'image', url: 'https://example.com/a.png?b=c&d=%2F' } },
	};

	it.each([
		[
			'sendTemplate',
			template,
			'/stable/open/whatsapp/send-template-message',
			'{"template_id":"order","channel_id":"1024","customer_phone":"+15550100200",' +
				'"attributes":{"1":"Zoë 👋","2":"a\\nb"},"attachment":{"image":"https://example.com/a.png?b=c&d=%2F"}}',
		],
		[
			'sendText',
			{ customerId: '42', text: ' Grüße "an alle" 👩‍👩‍👧\n{{1}}\u2028' },
			'/stable/open/customers/send-text-message',
			'{"customer_id":"42","text":" Grüße \\"an alle\\" 👩‍👩‍👧\\n{{1}}\u2028"}',
		],
		[
			'sendAttachment',
			{ customerId: 42, attachmentType: 'document', attachmentUrl: 'https://example.com/a b.pdf' },
			'/stable/open/customers/send-attachment-message',
			'{"customer_id":"42","attachment_type":"document","attachment_url":"https://example.com/a%20b.pdf"}',
		],
	])('%s: method, path, headers and every byte of the body', async (...row) => {
		const [name, parameters, path, bytes] = row;
		const { url, arrived } = await recordingServer();
		const operation = operationNamed(name);
		if (operation === undefined) throw new Error(`No operation ${name}`);
		const raw = (parameter: string) => (parameters as Record<string, unknown>)[parameter];
		const message = operation.toMessage({ raw, checked: (of, _, check) => check(raw(of)) });
		const credential = credentialFor(`${url}/gateway/`);
		await sender(
			executeFunctions(),
			credential,
			5000,
		)({
			url: urlOf(connectionFrom(credential), operation.path),
			body: message.body,
		});

		expect(arrived).toHaveLength(1);
		const [{ method, url: target, headers, body: received }] = arrived;
		expect([method, target, received]).toEqual(['POST', `/gateway${path}`, bytes]);
		const named = (wanted: string) =>
			headers.filter((_, at) => at % 2 === 1 && headers[at - 1].toLowerCase() === wanted);
		expect(named('x-service-api-key')).toEqual([KEY]);
		expect(named('content-type')).toEqual([expect.stringMatching(/^application\/json\b/)]);
		expect(named('accept')).toEqual([expect.stringContaining('application/json')]);
		expect(named('authorization')).toEqual([]);
		expect(headers.filter((value) => value.includes(KEY))).toHaveLength(1);
	});

	it('the key goes out under the name that the credential gives', async () => {
		const scope = nock(HOST, { reqheaders: { 'x-acme-api-key': KEY } })
			.post(PATH)
			.reply(200, { id: '1' });
		await send(HOST, 5000, { apiKeyHeader: 'X-Acme-Api-Key' });
		scope.done();
	});

	it('two requests do not share what they carry', async () => {
		const seen: unknown[] = [];
		nock(HOST)
			.post(PATH, (received) => seen.push(received) > 0)
			.twice()
			.reply(400);
		const go = sender(executeFunctions(), credentialFor(HOST), 5000);
		await Promise.all(
			['1', '2'].map(async (id) => await go({ url: HOST + PATH, body: { customer_id: id } })),
		);
		expect(seen).toEqual([{ customer_id: '1' }, { customer_id: '2' }]);
	});
});

describe('an answer is handed on as it is, after one single request', () => {
	const record = { id: 'm', function_name: 'f', status: 'sent', extra: { success: true } };
	it.each([200, 201, 400, 401, 403, 404, 422, 429, 500, 503])('%i', async (status) => {
		let requests = 0;
		nock(HOST)
			.post(PATH)
			.times(5)
			.reply(() => {
				requests++;
				return [status, record, { 'Retry-After': '7', 'X-A': 'b' }];
			});
		await expect(send(HOST)).resolves.toMatchObject({
			kind: 'answered',
			status,
			headers: { 'retry-after': '7', 'x-a': 'b' },
			body: record,
		});
		expect(requests).toBe(1);
	});

	it.each([301, 302, 303, 307, 308])('%i: nothing follows it', async (status) => {
		const elsewhere = nock('https://evil.example').post('/x').reply(200, record);
		const elsewhereGet = nock('https://evil.example').get('/x').reply(200, record);
		const again = nock(HOST).get(PATH).reply(200, record);
		nock(HOST).post(PATH).reply(status, '', { Location: 'https://evil.example/x' });
		await expect(send(HOST)).resolves.toMatchObject({
			kind: 'answered',
			status,
			headers: { location: 'https://evil.example/x' },
		});
		for (const scope of [elsewhere, elsewhereGet, again]) expect(scope.isDone()).toBe(false);
	});

	it.each<[string, string, string, unknown]>([
		['text', 'text/plain', 'upstream error', 'upstream error'],
		['a page', 'text/html', '<title>502</title>', '<title>502</title>'],
		['broken JSON', 'application/json', '{"error":', '{"error":'],
		['JSON of another name', 'text/plain', '{"error":"x"}', { error: 'x' }],
		['nothing', 'application/json', '', ''],
	])('%s', async (_, type, sent, received) => {
		nock(HOST).post(PATH).reply(502, sent, { 'Content-Type': type });
		await expect(send(HOST)).resolves.toMatchObject({ status: 502, body: received });
	});
});

describe('no answer', () => {
	it('refused: nothing left', async () => {
		await expect(send(await closedPort())).resolves.toEqual({
			kind: 'failed',
			code: 'ECONNREFUSED',
			notSent: true,
		});
	});

	it('a host that is not known: nothing left', async () => {
		await expect(send('http://nowhere.invalid')).resolves.toEqual({
			kind: 'failed',
			code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
			notSent: true,
		});
	});

	it('a service that says nothing: it may have arrived', async () => {
		const { url, connections } = await rawServer('nothing');
		await expect(send(url, 100)).resolves.toEqual({
			kind: 'failed',
			code: 'ECONNABORTED',
			notSent: false,
		});
		expect(connections()).toBe(1);
	});

	it.each([
		['a connection that is reset', 'reset'],
		['a connection that ends', ''],
		['an answer that breaks off', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":'],
		['something that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
	])('%s: it may have arrived', async (_, answer) => {
		const { url, connections } = await rawServer(answer);
		await expect(send(url)).resolves.toMatchObject({ kind: 'failed', notSent: false });
		expect(connections()).toBe(1);
	});

	it.each([
		['ECONNRESET', 'read', false],
		['EPIPE', 'write', false],
		['ETIMEDOUT', 'read', false],
		['ETIMEDOUT', 'connect', true],
		['ECONNRESET', 'connect', true],
		['EHOSTUNREACH', 'connect', true],
		['ENETUNREACH', 'connect', true],
		['ECONNREFUSED', '', true],
		['ENOTFOUND', 'getaddrinfo', true],
		['EAI_AGAIN', 'getaddrinfo', true],
		['CERT_HAS_EXPIRED', '', true],
		['DEPTH_ZERO_SELF_SIGNED_CERT', '', true],
		['ERR_TLS_CERT_ALTNAME_INVALID', '', true],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', '', true],
	])('%s during %j: nothing left: %s', async (code, syscall, notSent) => {
		nock(HOST)
			.post(PATH)
			.replyWithError(Object.assign(new Error(`${syscall} ${code}`), { code, syscall }));
		await expect(send(HOST)).resolves.toEqual({ kind: 'failed', code, notSent });
	});

	it('a cancelled execution: it may have arrived', async () => {
		const { url, connections } = await rawServer('nothing');
		const cancel = new AbortController();
		const go = sender(executeFunctions(cancel.signal), credentialFor(url), 5000);
		const answer = go({ url: url + PATH, body });
		while (connections() === 0) await sleep(1);
		cancel.abort();
		await expect(answer).resolves.toMatchObject({ kind: 'failed', notSent: false });
	});
});

describe('the allowed domains of the credential hold', () => {
	const domains = (allowedDomains: string) => ({
		allowedHttpRequestDomains: 'domains',
		allowedDomains,
	});

	it('a host that is not on the list: n8n keeps the request back', async () => {
		const scope = nock(HOST).post(PATH).reply(200);
		const answer = await send(HOST, 5000, domains('other.example'));
		expect(answer).toMatchObject({ kind: 'blocked', reason: expect.stringMatching(/not allowed/) });
		expect(scope.isDone()).toBe(false);
	});

	it.each([
		['on the list', domains('other.example, api.example.com')],
		['on the list by its end', domains('*.example.com')],
		['not restricted', { allowedHttpRequestDomains: 'all', allowedDomains: 'other.example' }],
		['kept from the HTTP Request node alone', { allowedHttpRequestDomains: 'none' }],
	])('a host that is %s', async (_, more) => {
		nock(HOST).post(PATH).reply(400);
		await expect(send(HOST, 5000, more)).resolves.toMatchObject({ kind: 'answered', status: 400 });
	});
});

it('the credential is read by its name', async () => {
	const getCredentials = jest.fn(async () => credentialFor(HOST));
	const context = { getCredentials } as unknown as Parameters<typeof readCredential>[0];
	await expect(readCredential(context)).resolves.toEqual(credentialFor(HOST));
	expect(getCredentials.mock.calls).toEqual([['outboundMessagingApi']]);
});

it('what n8n is asked for does not lean on the credential: no redirects, statuses as they are', async () => {
	const httpRequestWithAuthentication = jest.fn(async () => ({ statusCode: 400, headers: {} }));
	const context = { helpers: { httpRequestWithAuthentication } } as unknown as Parameters<
		typeof sender
	>[0];
	await sender(context, credentialFor(HOST), 1234)({ url: HOST + PATH, body });
	expect(httpRequestWithAuthentication.mock.calls).toEqual([
		[
			'outboundMessagingApi',
			expect.objectContaining({
				disableFollowRedirect: true,
				ignoreHttpStatusErrors: true,
				returnFullResponse: true,
				timeout: 1234,
			}),
			{ credentialsDecrypted: expect.objectContaining({ data: credentialFor(HOST) }) },
		],
	]);
});
