import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSandbox } from '../../sandbox/index.cts';
import { bodies, paths, useSandbox, type Kind } from './sandbox.cts';

const used = useSandbox();

describe('records', () => {
	const common = {
		id: expect.stringMatching(/^[0-9a-f-]{36}$/),
		project_id: expect.any(Number),
		timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
		message: expect.stringMatching(/./),
	};

	test('a template is queued, with the template variant of extra', async () => {
		const { status, json } = await used.post('template');
		expect(status).toBe(200);
		expect(json).toStrictEqual({
			...common,
			function_name: 'send_template_message',
			status: 'ongoing',
			extra: {
				platform_id: expect.any(Number),
				customer_id: expect.any(Number),
				customer_phone: '+4915112345678',
				template_id: 'welcome',
				success: true,
			},
		});
		expect(Number.isSafeInteger(json.extra.customer_id)).toBe(true);
	});

	test.each([
		['text', 'send_text_message'],
		['attachment', 'send_attachment_message'],
	] as const)('%s is sent, with the customer as an integer', async (operation, name) => {
		const { status, json, headers } = await used.post(operation);
		expect(status).toBe(200);
		expect(headers.get('content-type')).toMatch(/^application\/json/);
		expect(json).toStrictEqual({
			...common,
			function_name: name,
			status: 'sent',
			extra: { customer_id: 42, success: true },
		});
	});

	test('ids are fresh, and a phone is always the same customer', async () => {
		const [first, second, other] = [
			await used.post('template'),
			await used.post('template'),
			await used.post('template', { ...bodies.template, customer_phone: '+4915112345679' }),
		].map(({ json }) => json);
		expect(first.id).not.toBe(second.id);
		expect(first.extra.customer_id).toBe(second.extra.customer_id);
		expect(first.extra.customer_id).not.toBe(other.extra.customer_id);
		const text = { customer_id: String(first.extra.customer_id), text: 'And now?' };
		expect((await used.post('text', text)).json.extra.customer_id).toBe(first.extra.customer_id);
	});

	test('attributes and header media are taken', async () => {
		const body = {
			...bodies.template,
			attributes: { 1: 'Ada', 2: '' },
			attachment: { document: 'https://files.example.com/a.pdf' },
		};
		expect((await used.post('template', body)).status).toBe(200);
		expect(used.sandbox.ledger.accepted()[0].body).toEqual(body);
	});
});

test('the types that node and sandbox share are those of openapi.yaml: npm run wire-format writes them', () => {
	const run = (bin: string, args: string[], input?: string) =>
		execFileSync(process.execPath, [`node_modules/${bin}`, ...args], { input, encoding: 'utf8' });
	const file = 'nodes/OutboundMessaging/wireFormat.ts';
	const types = run('openapi-typescript/bin/cli.js', [
		'sandbox/openapi.yaml',
		'--root-types',
		'--root-types-no-schema-prefix',
	]);
	const formatted = run('prettier/bin/prettier.cjs', ['--stdin-filepath', file], types);
	expect(readFileSync(file, 'utf8')).toBe(formatted);
});

describe('rejected bodies', () => {
	type Rejected = [Kind, unknown];
	const template = (more: object): Rejected => ['template', { ...bodies.template, ...more }];
	const text = (more: object): Rejected => ['text', { ...bodies.text, ...more }];
	const attachment = (more: object): Rejected => ['attachment', { ...bodies.attachment, ...more }];
	const media = 'https://files.example.com/a.png';

	test.each<[code: string, ...Rejected]>([
		['missing_field', ...template({ template_id: undefined })],
		['missing_field', ...template({ channel_id: undefined })],
		['missing_field', ...template({ customer_phone: undefined })],
		['missing_field', ...text({ customer_id: undefined })],
		['missing_field', ...text({ text: undefined })],
		['missing_field', ...attachment({ customer_id: undefined })],
		['missing_field', ...attachment({ attachment_type: undefined })],
		['missing_field', ...attachment({ attachment_url: undefined })],
		['unknown_field', ...template({ text: 'x' })],
		['unknown_field', ...text({ extra: null })],
		['unknown_field', ...attachment({ caption: 'x' })],
		['wrong_type', ...template({ template_id: 7 })],
		['wrong_type', ...template({ channel_id: 7 })],
		['wrong_type', ...template({ customer_phone: 4915112345678 })],
		['wrong_type', ...template({ attributes: ['Ada'] })],
		['wrong_type', ...template({ attributes: null })],
		['wrong_type', ...template({ attachment: media })],
		['wrong_type', ...template({ attachment: { image: 7 } })],
		['wrong_type', ...text({ text: 7 })],
		['wrong_type', ...text({ customer_id: 42 })],
		['empty_field', ...template({ template_id: '' })],
		['empty_field', ...template({ channel_id: '  ' })],
		['phone_without_plus', ...template({ customer_phone: '4915112345678' })],
		['phone_without_plus', ...template({ customer_phone: '' })],
		['phone_not_valid', ...template({ customer_phone: '+49 151 12345678' })],
		['phone_not_valid', ...template({ customer_phone: '+0151123456' })],
		['phone_not_valid', ...template({ customer_phone: '+1234567890123456' })],
		['attribute_positions', ...template({ attributes: { 1: 'a', 3: 'c' } })],
		['attribute_positions', ...template({ attributes: { 0: 'a' } })],
		['attribute_positions', ...template({ attributes: { name: 'Ada' } })],
		['attribute_positions', ...template({ attributes: { '01': 'Ada' } })],
		['attribute_not_text', ...template({ attributes: { 1: 5 } })],
		['attribute_not_text', ...template({ attributes: { 1: null } })],
		['header_media_not_exactly_one', ...template({ attachment: {} })],
		['header_media_not_exactly_one', ...template({ attachment: { image: media, video: media } })],
		['header_media_type_unknown', ...template({ attachment: { sticker: media } })],
		['url_not_http', ...template({ attachment: { image: 'ftp://files.example.com/a' } })],
		['url_not_http', ...attachment({ attachment_url: 'files.example.com/a.png' })],
		['url_not_http', ...attachment({ attachment_url: '' })],
		['url_not_http', ...attachment({ attachment_url: 'https://' })],
		['attachment_type_not_allowed', ...attachment({ attachment_type: 'audio' })],
		['text_empty', ...text({ text: '' })],
		['text_empty', ...text({ text: ' \n ' })],
		['customer_id_not_digits', ...text({ customer_id: 'abc' })],
		['customer_id_not_digits', ...attachment({ customer_id: '' })],
		['customer_id_out_of_range', ...text({ customer_id: '90071992547409930' })],
		['body_not_object', 'text', []],
		['body_not_object', 'text', 'null'],
		['body_not_json', 'text', '{"customer_id":'],
		['body_missing', 'text', ''],
	])('%s: %s %j', async (code, operation, body) => {
		const { status, json } = await used.post(operation, body);
		expect({ status, json }).toEqual({
			status: 400,
			json: { error: expect.stringMatching(/./), code, success: false },
		});
		expect(used.sandbox.ledger.accepted()).toEqual([]);
	});

	test('a body that does not say it is JSON', async () => {
		const headers = { 'content-type': 'text/plain' };
		const { status, json } = await used.post('text', bodies.text, { headers });
		expect([status, json.code]).toEqual([400, 'content_type_not_json']);
	});

	test('a body beyond all measure', async () => {
		const body = { customer_id: '42', text: 'x'.repeat(2 * 1024 * 1024) };
		const { status, json } = await used.post('text', body);
		expect([status, json.code]).toEqual([413, 'body_too_large']);
	});
});

describe('the key', () => {
	test.each([
		['missing', null],
		['wrong', 'nope'],
		['empty', ''],
	])('%s: 401, before the body is looked at', async (_, key) => {
		const { status, json } = await used.postNothing(key);
		expect(status).toBe(401);
		expect(json).toStrictEqual({ detail: expect.stringMatching(/invalid api key/i) });
		expect(used.sandbox.ledger.entries()).toMatchObject([{ keyOk: false, status: 401 }]);
	});

	test('good: a POST without content gets its 400', async () => {
		const { status, json } = await used.postNothing();
		expect([status, json.code]).toEqual([400, 'body_missing']);
		expect(used.sandbox.ledger.entries()).toMatchObject([{ keyOk: true, status: 400 }]);
	});
});

test('unknown paths and methods: 404 in JSON', async () => {
	for (const [path, method] of [
		['/stable/open/nothing', 'POST'],
		[paths.text, 'GET'],
	]) {
		const response = await fetch(used.sandbox.url + path, { method });
		expect(response.status).toBe(404);
		expect(await response.json()).toMatchObject({ code: 'not_found', success: false });
	}
});

describe('the name it is called by', () => {
	const statusFor = (host: string, path: string) =>
		new Promise<number | undefined>((resolve, reject) => {
			const { port } = used.sandbox;
			http
				.get({ port, host: '127.0.0.1', path, headers: { host } }, (response) => {
					response.destroy();
					resolve(response.statusCode);
				})
				.once('error', reject);
		});

	test.each(['/', '/_sandbox/ledger', '/_sandbox/feed'])(
		'another name than one of this machine gets nothing from %s: it may be a web page that rebinds its DNS name',
		async (path) => {
			const { port } = used.sandbox;
			for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example']) {
				expect([host, await statusFor(host, path)]).toEqual([host, 421]);
			}
			for (const host of ['127.0.0.1', `localhost:${port}`, `sandbox.localhost:${port}`]) {
				expect([host, await statusFor(host, path)]).toEqual([host, 200]);
			}
		},
	);
});

test('another header name, key and base path', async () => {
	const sandbox = await startSandbox({ headerName: 'X-Maker-Key', apiKey: 'k', basePath: 'gate/' });
	try {
		expect(sandbox.url).toBe(`http://127.0.0.1:${sandbox.port}/gate`);
		const response = await fetch(sandbox.url + paths.text, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'X-Maker-Key': 'k' },
			body: JSON.stringify(bodies.text),
		});
		expect(response.status).toBe(200);
	} finally {
		await sandbox.stop();
	}
});

test('a taken port is said clearly, and stopping twice is fine', async () => {
	const server = http.createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
	await new Promise((resolve) => server.close(resolve));
	const sandbox = await startSandbox({ port });
	await Promise.all([sandbox.stop(), sandbox.stop()]);
});
