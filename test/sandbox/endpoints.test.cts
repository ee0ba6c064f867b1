import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { bodies, useSandbox, type Kind } from './sandbox.cts';

const used = useSandbox();
const kinds = Object.keys(bodies) as Kind[];
const MEDIA = 'https://files.example.com/a.png';

test.each([
	['template', { customer_phone: '+4915112345678', template_id: 'welcome', success: true }],
	['text', { customer_id: 42, success: true }],
	['attachment', { customer_id: 42, success: true }],
] as const)('a valid %s message gets its record, with what was sent in it', async (kind, extra) => {
	const json = { function_name: `send_${kind}_message`, extra };
	expect(await used.post(kind)).toMatchObject({ status: 200, json });
});

test('ids are fresh, and a phone is always the same customer', async () => {
	const optional = { attributes: { 1: 'Ada', 2: '' }, attachment: { image: MEDIA } };
	const template = { ...bodies.template, ...optional };
	const [first, second, other] = [
		await used.post('template'),
		await used.post('template', template),
		await used.post('template', { ...bodies.template, customer_phone: '+4915112345679' }),
	].map(({ json }) => json);
	expect(first.id).not.toBe(second.id);
	expect(first.extra.customer_id).toBe(second.extra.customer_id);
	expect(first.extra.customer_id).not.toBe(other.extra.customer_id);
	expect(used.sandbox.ledger.accepted()[1].body).toEqual(template);
});

test("the sandbox's types are those of openapi.yaml: npm run wire-format writes them", () => {
	const run = (bin: string, args: string[], input?: string) =>
		execFileSync(process.execPath, [`node_modules/${bin}`, ...args], { input, encoding: 'utf8' });
	const file = 'sandbox/wireFormat.cts';
	const flags = ['--root-types', '--root-types-no-schema-prefix'];
	const types = run('openapi-typescript/bin/cli.js', ['sandbox/openapi.yaml', ...flags]);
	const formatted = run('prettier/bin/prettier.cjs', ['--stdin-filepath', file], types);
	expect(readFileSync(file, 'utf8')).toBe(formatted);
});

/** What a valid body is changed to; or, as a text or a list, the whole body. */
type Rejected = [code: string, kind: Kind, changes: unknown];

test.each<Rejected>([
	...kinds.flatMap((kind): Rejected[] => [
		['unknown_field', kind, { caption: 'x' }],
		...Object.keys(bodies[kind]).flatMap((field): Rejected[] => [
			['missing_field', kind, { [field]: undefined }],
			['wrong_type', kind, { [field]: 7 }],
		]),
	]),
	['wrong_type', 'template', { attributes: ['Ada'] }],
	['wrong_type', 'template', { attachment: MEDIA }],
	['wrong_type', 'template', { attachment: { image: 7 } }],
	['empty_field', 'template', { template_id: '  ' }],
	['phone_without_plus', 'template', { customer_phone: '4915112345678' }],
	['phone_not_valid', 'template', { customer_phone: '+49 151 12345678' }],
	['phone_not_valid', 'template', { customer_phone: '+0151123456' }],
	['phone_not_valid', 'template', { customer_phone: '+1234567890123456' }],
	['attribute_positions', 'template', { attributes: { 1: 'a', 3: 'c' } }],
	['attribute_positions', 'template', { attributes: { '01': 'Ada' } }],
	['attribute_not_text', 'template', { attributes: { 1: 5 } }],
	['header_media_not_exactly_one', 'template', { attachment: {} }],
	['header_media_not_exactly_one', 'template', { attachment: { image: MEDIA, video: MEDIA } }],
	['header_media_type_unknown', 'template', { attachment: { sticker: MEDIA } }],
	['url_not_http', 'template', { attachment: { image: 'ftp://files.example.com/a' } }],
	['url_not_http', 'attachment', { attachment_url: 'files.example.com/a.png' }],
	['url_not_http', 'attachment', { attachment_url: 'https://' }],
	['attachment_type_not_allowed', 'attachment', { attachment_type: 'audio' }],
	['text_empty', 'text', { text: ' \n ' }],
	['customer_id_not_digits', 'text', { customer_id: 'abc' }],
	['customer_id_out_of_range', 'text', { customer_id: '90071992547409930' }],
	['body_not_object', 'text', []],
	['body_not_json', 'text', '{"customer_id":'],
	['body_missing', 'text', ''],
])('a rejected body, %s: %s %j', async (code, kind, changes) => {
	const isWhole = typeof changes === 'string' || Array.isArray(changes);
	const body = isWhole ? changes : { ...bodies[kind], ...(changes as object) };
	expect(await used.post(kind, body)).toEqual({
		status: 400,
		json: { error: expect.stringMatching(/./), code, success: false },
	});
	expect(used.sandbox.ledger.accepted()).toEqual([]);
});

test('a body that does not say it is JSON, and one beyond all measure', async () => {
	const plain = await used.post('text', bodies.text, { 'content-type': 'text/plain' });
	expect([plain.status, plain.json.code]).toEqual([400, 'content_type_not_json']);
	const long = await used.post('text', { customer_id: '42', text: 'x'.repeat(2 * 1024 * 1024) });
	expect([long.status, long.json.code]).toEqual([413, 'body_too_large']);
});

test.each(['nope', ''])('a wrong key (%j): 401, before the body is looked at', async (key) => {
	const { status, json } = await used.post('text', '', { [used.sandbox.headerName]: key });
	expect(status).toBe(401);
	expect(json).toStrictEqual({ detail: expect.stringMatching(/invalid api key/i) });
	expect(used.sandbox.ledger.entries()).toMatchObject([{ keyOk: false, status: 401 }]);
});

test.each([
	['/stable/open/nothing', 'POST'],
	['/stable/open/customers/send-text-message', 'GET'],
])('an unknown path or method: %s %s', async (path, method) => {
	const response = await fetch(used.sandbox.url + path, { method });
	expect(response.status).toBe(404);
	expect(await response.json()).toMatchObject({ code: 'not_found', success: false });
});

test.each(['/', '/_sandbox/ledger', '/_sandbox/feed'])(
	'another name than one of this machine gets nothing from %s: it may be a web page that rebinds its DNS name',
	async (path) => {
		const { port } = used.sandbox;
		for (const [host, status] of [
			...['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example'].map((to) => [to, 421]),
			...['127.0.0.1', `localhost:${port}`, `sandbox.localhost:${port}`].map((to) => [to, 200]),
		] as Array<[string, number]>) {
			const request = http.get({ port, host: '127.0.0.1', path, headers: { host } });
			const [response] = (await once(request, 'response')) as [http.IncomingMessage];
			response.destroy();
			expect([host, response.statusCode]).toEqual([host, status]);
		}
	},
);
