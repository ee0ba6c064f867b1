import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { parse } from 'yaml';
import { rejectionOf, type RequestError } from '../../sandbox/rejections.cts';
import { bodies, useSandbox, type Kind } from './sandbox.cts';

const used = useSandbox();
const kinds = Object.keys(bodies) as Kind[];
const MEDIA = 'https://files.example.com/a.png';

test("the sandbox's types are those of openapi.yaml: npm run docs writes them", () => {
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
			['wrong_type', kind, { [field]: true }],
		]),
	]),
	['wrong_type', 'template', { attributes: ['Ada'] }],
	['wrong_type', 'template', { attachment: MEDIA }],
	['empty_field', 'template', { template_id: '  ' }],
	['phone_without_plus', 'template', { customer_phone: '4915112345678' }],
	['phone_not_valid', 'template', { customer_phone: '+49 151 12345678' }],
	['phone_not_valid', 'template', { customer_phone: '+1234567890123456' }],
	['attribute_positions', 'template', { attributes: { 1: 'a', 3: 'c' } }],
	['attribute_positions', 'template', { attributes: { '01': 'Ada' } }],
	['attribute_not_text', 'template', { attributes: { 1: 5 } }],
	['header_media_not_exactly_one', 'template', { attachment: {} }],
	['header_media_not_exactly_one', 'template', { attachment: { image: MEDIA, video: MEDIA } }],
	['header_media_type_unknown', 'template', { attachment: { sticker: MEDIA } }],
	['url_not_http', 'template', { attachment: { image: 'ftp://files.example.com/a' } }],
	['url_not_http', 'attachment', { attachment_url: 'files.example.com/a.png' }],
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

type Schema = { $ref?: string; properties?: Record<string, Schema> };
const { schemas } = parse(readFileSync('sandbox/openapi.yaml', 'utf8')).components as {
	schemas: Record<string, Schema>;
};
const NO_RULES = ['description', 'properties'];
const rules = Object.keys(schemas)
	.filter((name) => name.endsWith('Message'))
	.flatMap((name) => Object.entries(schemas[name].properties!))
	.flatMap(([field, { $ref = '', ...own }]) =>
		Object.keys({ ...schemas[$ref.split('/').at(-1)!], ...own }).map((rule) => [field, rule]),
	)
	.filter(([, rule]) => !NO_RULES.includes(rule));

test.each(rules)('a rejection says that %s breaks its rule %s', (field, keyword) => {
	const validation = [{ keyword, instancePath: `/${field}`, params: {} }];
	const { body } = rejectionOf({ validation } as unknown as RequestError, {});
	expect(body.code).not.toBe('not_valid');
});

test('a body that does not say it is JSON', async () => {
	const headers = { 'content-type': 'text/plain' };
	const json = { code: 'content_type_not_json' };
	expect(await used.post('text', bodies.text, headers)).toMatchObject({ status: 400, json });
});

test.each([
	['evil.example', 421],
	['127.0.0.1.evil.example', 421],
	['127.0.0.1', 200],
	['sandbox.localhost', 200],
	// Another name than one of this machine may be of a web page that rebinds its DNS name.
])('a request to the host %s: %i', async (name, status) => {
	const { port } = used.sandbox;
	const headers = { host: `${name}:${port}` };
	const request = http.get({ port, host: '127.0.0.1', path: '/_sandbox/ledger', headers });
	const [response] = (await once(request, 'response')) as [http.IncomingMessage];
	response.destroy();
	expect(response.statusCode).toBe(status);
});
