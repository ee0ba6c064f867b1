import type { HttpResult } from '../../../nodes/OutboundMessaging/service/httpResult';
import type { Failure } from '../../../nodes/OutboundMessaging/delivery/failure';
import {
	classifyResponse,
	shownTarget,
} from '../../../nodes/OutboundMessaging/service/classifyResponse';
import { KEY } from '../help';

const record = {
	id: 'msg-1',
	project_id: 7,
	timestamp: '2024-01-01T00:00:00Z',
	function_name: 'send_text_message',
	message: 'Message sent',
	status: 'sent',
	extra: { customer_id: 42, success: true },
};

const answered = (
	status: number,
	body?: unknown,
	headers: Record<string, unknown> = {},
): HttpResult => ({
	kind: 'answered',
	status,
	headers,
	body,
});
const verdict = (answer: HttpResult) => classifyResponse(answer, KEY);
function failure(answer: HttpResult): Failure {
	const judged = verdict(answer);
	if (judged.delivery === 'accepted') throw new Error('It was accepted');
	return judged.failure;
}

describe('the delivery of each answer', () => {
	it.each([200, 201, 202, 299])('%i with a record: accepted, the record untouched', (status) => {
		expect(verdict(answered(status, record))).toStrictEqual({ delivery: 'accepted', record });
	});

	it.each<[string, unknown]>([
		['no extra', { ...record, extra: undefined }],
		['an extra without success', { ...record, extra: {} }],
		['a success of null', { ...record, extra: { success: null } }],
	])('200 with %s: accepted', (_, body) => {
		expect(verdict(answered(200, body)).delivery).toBe('accepted');
	});

	it.each<[string, HttpResult, string]>([
		[
			'200 that says it failed',
			answered(200, { ...record, extra: { success: false } }),
			'rejected',
		],
		['200 with a page', answered(200, '<title>Welcome</title>'), 'uncertain'],
		['200 with nothing', answered(200, undefined), 'uncertain'],
		['200 with an empty object', answered(200, {}), 'uncertain'],
		['200 with a list', answered(200, [record]), 'uncertain'],
		['204', answered(204), 'uncertain'],
		['100', answered(100), 'uncertain'],
		...[300, 301, 302, 303, 304, 307, 308].map((status): [string, HttpResult, string] => [
			`${status}`,
			answered(status, record, { location: 'https://example.com/' }),
			'rejected',
		]),
		...[400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 413, 415, 422, 451, 499].map(
			(status): [string, HttpResult, string] => [`${status}`, answered(status, record), 'rejected'],
		),
		['429', answered(429), 'rateLimited'],
		['429 with Retry-After', answered(429, '', { 'retry-after': '5' }), 'rateLimited'],
		['503 with Retry-After', answered(503, '', { 'retry-after': '5' }), 'rateLimited'],
		['503 without', answered(503), 'uncertain'],
		['500 with Retry-After', answered(500, '', { 'retry-after': '5' }), 'uncertain'],
		...[500, 501, 502, 504, 520, 599].map((status): [string, HttpResult, string] => [
			`${status}`,
			answered(status, record),
			'uncertain',
		]),
		['a connection never made', { kind: 'failed', code: 'ECONNREFUSED', notSent: true }, 'notSent'],
		['a broken connection', { kind: 'failed', code: 'ECONNRESET', notSent: false }, 'uncertain'],
		['a timeout', { kind: 'failed', code: 'ECONNABORTED', notSent: false }, 'uncertain'],
		['something unknown', { kind: 'failed', code: 'unknown', notSent: false }, 'uncertain'],
		['a request n8n kept back', { kind: 'blocked', reason: 'Domain not allowed' }, 'rejected'],
	])('%s: %s', (...row) => {
		const [, answer, delivery] = row;
		expect(verdict(answer).delivery).toBe(delivery);
	});

	it.each<[HttpResult, boolean]>([
		[answered(401), true],
		[answered(403), true],
		[{ kind: 'blocked', reason: 'Domain not allowed' }, true],
		[answered(400), false],
		[answered(404), false],
		[answered(302), false],
		[answered(500), false],
		[answered(200, {}), false],
	])('%j ends the run: %s', (answer, ends) => {
		expect('isFatal' in verdict(answer)).toBe(ends);
	});

	it.each<[unknown, number | undefined]>([
		['5', 5000],
		[undefined, undefined],
		[['5', '6'], undefined],
		[5, undefined],
	])('Retry-After %j asks for a wait of %j ms', (header, retryAfterMs) => {
		expect(verdict(answered(429, '', { 'retry-after': header }))).toMatchObject({
			delivery: 'rateLimited',
			retryAfterMs,
		});
	});
});

const UNCERTAIN =
	'Look the message up in the dashboard of the service before you send it again. A retry leaves it alone unless On Uncertain Delivery is set to Resend';
const FIELDS =
	'Nothing was sent to this customer. Check the fields of this item against the words of the service, then run it again';

describe('the words', () => {
	it.each<[string, HttpResult, Failure]>([
		[
			'400 in the words of the service',
			answered(400, { error: 'No such template', code: 'T404', success: false }),
			{
				title: 'The service refused the message (400): No such template, code T404',
				description: FIELDS,
				statusCode: 400,
				code: 'T404',
			},
		],
		[
			'400 without words',
			answered(400),
			{ title: 'The service refused the message (400)', description: FIELDS, statusCode: 400 },
		],
		[
			'422 of a schema check',
			answered(422, { detail: [{ msg: 'field required' }] }),
			{
				title: 'The service refused the message (422): field required',
				description: FIELDS,
				statusCode: 422,
			},
		],
		[
			'401',
			answered(401, { detail: 'Invalid API key provided' }),
			{
				title: 'The service did not accept the API key (401): Invalid API key provided',
				description:
					'Check API Key and API Key Header in the credential: the name of the header carries the name of the maker of the service. Then test the credential and run again',
				statusCode: 401,
				n8nCause: { cause: 'credential-invalid' },
			},
		],
		[
			'404',
			answered(404, { error: 'Unknown customer' }),
			{
				title: 'The service does not know this address or one of the IDs (404): Unknown customer',
				description:
					'Check the IDs of this item. If every item fails this way, check Base URL in the credential: it stands before /stable/open',
				statusCode: 404,
			},
		],
		[
			'405',
			answered(405),
			{
				title: 'The service refused the message (405)',
				description:
					'Check Base URL in the credential: this is not how the messaging service answers',
				statusCode: 405,
			},
		],
		[
			'413',
			answered(413, '<title>413 Request Entity Too Large</title>'),
			{
				title: 'The message is too large for the service (413): 413 Request Entity Too Large',
				description: 'Shorten the text or the attributes of this item',
				statusCode: 413,
			},
		],
		[
			'429',
			answered(429, { error: 'Too many requests' }),
			{
				title: 'The service asked to slow down (429): Too many requests',
				description:
					'Nothing was sent to this customer. Set Messages per Second under Options to what the service allows, or raise Rate Limit Wait (Seconds)',
				statusCode: 429,
				n8nCause: { cause: 'rate-limited' },
			},
		],
		[
			'302',
			answered(302, '', { location: 'https://login.example.com/?next=secret' }),
			{
				title:
					'The service answered with a redirect (302) to login.example.com; it was not followed',
				description:
					'Enter the final address of the service as Base URL in the credential, with https:// and without a path that redirects',
				statusCode: 302,
				n8nCause: { cause: 'configuration-invalid' },
			},
		],
		[
			'500',
			answered(500, 'Internal error'),
			{
				title:
					'The service failed with status 500: Internal error; the message may or may not have been sent',
				description: UNCERTAIN,
				statusCode: 500,
				n8nCause: { cause: 'temporarily-unavailable' },
			},
		],
		[
			'200 that is no record',
			answered(200, '<title>Welcome</title>'),
			{
				title:
					'The service answered 200 without a message result record: Welcome; the message may or may not have been sent',
				description: `Check that Base URL in the credential leads to the messaging service itself. ${UNCERTAIN}`,
				statusCode: 200,
			},
		],
		[
			'200 that says it failed',
			answered(200, { ...record, message: 'Outside of window', extra: { success: false } }),
			{
				title: 'The service says that the message failed: Outside of window',
				description: 'Check the customer and the content of this item, then run it again',
				statusCode: 200,
			},
		],
		[
			'a timeout',
			{ kind: 'failed', code: 'ECONNABORTED', notSent: false },
			{
				title: 'The service did not answer in time; the message may or may not have been sent',
				description: `${UNCERTAIN}. If this happens often, raise Timeout (Milliseconds) under Options`,
				code: 'ECONNABORTED',
				n8nCause: { cause: 'temporarily-unavailable' },
			},
		],
		[
			'a broken connection',
			{ kind: 'failed', code: 'ECONNRESET', notSent: false },
			{
				title:
					'The connection broke before the service answered; the message may or may not have been sent',
				description: UNCERTAIN,
				code: 'ECONNRESET',
				n8nCause: { cause: 'temporarily-unavailable' },
			},
		],
		[
			'a request n8n kept back',
			{ kind: 'blocked', reason: 'Domain not allowed: x' },
			{
				title: 'n8n did not let the request out: Domain not allowed: x',
				description:
					'Nothing was sent to this customer. Add the host of Base URL to the allowed domains of the credential, or ask who runs this n8n to allow it',
				n8nCause: { cause: 'configuration-invalid' },
			},
		],
	])('%s', (_, answer, words) => {
		expect(failure(answer)).toEqual(words);
	});

	it.each([
		['ECONNREFUSED', 'the connection was refused'],
		['ENOTFOUND', 'its host name is not known'],
		['EAI_AGAIN', 'its host name could not be looked up'],
		['EHOSTUNREACH', 'there is no way to its host'],
		['ENETUNREACH', 'there is no way to its network'],
		['CERT_HAS_EXPIRED', 'its certificate has expired'],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is self-signed'],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host'],
		['ETIMEDOUT', 'no connection came about'],
	])('%s: %s', (code, words) => {
		const { title: error, description: message } = failure({ kind: 'failed', code, notSent: true });
		expect(error).toBe(`The service could not be reached: ${words}`);
		expect(message).toBe(
			'Nothing was sent to this customer. Check Base URL in the credential, and that n8n can reach it',
		);
	});

	// n8n puts a stock text in place of any message that holds such a code.
	it.each(['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ENOTFOUND', 'ETIMEDOUT', 'EAI_AGAIN'])(
		'%s stands in no message',
		(code) => {
			for (const notSent of [true, false]) {
				const { title: error, description: message } = failure({
					kind: 'failed',
					code,
					notSent: notSent,
				});
				expect(error + message).not.toContain(code);
			}
		},
	);

	it.each([200, 302, 400, 401, 403, 404, 413, 422, 429, 500, 503])(
		'%i that repeats the key does not show it',
		(status) => {
			const bodies = [
				{ error: `Bad ${KEY}`, code: KEY },
				`<p>${KEY}</p>`,
				{ detail: [{ msg: KEY }] },
			];
			for (const body of bodies) {
				const answer = answered(status, body, { location: `https://example.com/${KEY}` });
				expect(JSON.stringify(verdict(answer))).not.toContain(KEY);
			}
		},
	);
});

describe('of a redirect only the host is shown', () => {
	it.each<[string | undefined, string]>([
		['https://example.com/', ' to example.com'],
		['https://example.com', ' to example.com'],
		['http://example.com:8080/a?b=secret', ' to example.com:8080'],
		['https://[::1]:3000/a', ' to [::1]:3000'],
		['https://ada:secret@example.com/', ''],
		['https://exa\nmple.com/', ''],
		['/login', ''],
		['//example.com/', ''],
		['javascript:alert(1)', ''],
		[`https://${'a'.repeat(101)}/`, ''],
		[`https://${KEY}/`, ''],
		[`https://a.${KEY}.example.com/`, ''],
		['', ''],
		[undefined, ''],
	])('%j: %j', (location, shown) => {
		expect(shownTarget(location, KEY)).toBe(shown);
	});
});
