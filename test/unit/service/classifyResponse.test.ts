import type { HttpResult } from '../../../nodes/OutboundMessaging/service/httpResult';
import type { Failure } from '../../../nodes/OutboundMessaging/delivery/failure';
import {
	classifyResponse,
	redirectTarget,
} from '../../../nodes/OutboundMessaging/service/classifyResponse';
import { redactor } from '../../../nodes/OutboundMessaging/service/redact';
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
	text: typeof body === 'string' ? body : (JSON.stringify(body) ?? ''),
});
const redact = redactor(KEY);
const verdict = (answer: HttpResult) => classifyResponse(answer, redact);
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
		...[false, 'false', 'False'].flatMap(
			(success): Array<[string, HttpResult, string]> => [
				[
					`200, extra.success ${success}`,
					answered(200, { ...record, extra: { success } }),
					'rejected',
				],
				[`200, record, success ${success}`, answered(200, { ...record, success }), 'rejected'],
				[`201, no record, success ${success}`, answered(201, { error: 'No', success }), 'rejected'],
			],
		),
		['200, extra.success 0', answered(200, { ...record, extra: { success: 0 } }), 'accepted'],
		['no valid status', answered(0, record), 'uncertain'],
		['101', answered(101), 'uncertain'],
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
		[
			'a timeout while connecting',
			{ kind: 'failed', code: 'ECONNABORTED', notSent: true },
			'notSent',
		],
		[
			'too long a response',
			{ kind: 'failed', code: 'RESPONSE_TOO_LARGE', notSent: false },
			'uncertain',
		],
		['a proxy in between', { kind: 'proxyRefused', status: 403 }, 'notSent'],
		['a request n8n kept back', { kind: 'blocked', reason: 'No', fix: 'Ask' }, 'rejected'],
	])('%s: %s', (...row) => {
		const [, answer, delivery] = row;
		expect(verdict(answer).delivery).toBe(delivery);
	});

	it.each<[HttpResult, boolean]>([
		[answered(401), true],
		[answered(403), false],
		[{ kind: 'blocked', reason: 'No', fix: 'Ask' }, true],
		[{ kind: 'proxyRefused', status: 403 }, false],
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
	"Check the service's dashboard first. A retry doesn't resend this message unless 'On Uncertain Delivery' is set to Resend";
const NOT_SENT = 'Nothing was sent to this customer';
const FIELDS = `${NOT_SENT}. Correct the field that the service complained about, then run this item again`;

describe('the words', () => {
	it.each<[string, HttpResult, Failure]>([
		[
			"400 in the service's words",
			answered(400, { error: 'No such template', code: 'T404', success: false }),
			{
				title: 'The service rejected the message (400): No such template, code T404',
				description: FIELDS,
				statusCode: 400,
				code: 'T404',
			},
		],
		[
			'400 without words',
			answered(400),
			{
				title: 'The service rejected the message (400)',
				description: `${NOT_SENT}. Check the fields of this item, then run it again`,
				statusCode: 400,
			},
		],
		[
			'422 of a schema check',
			answered(422, { detail: [{ msg: 'field required' }] }),
			{
				title: 'The service rejected the message (422): field required',
				description: FIELDS,
				statusCode: 422,
			},
		],
		[
			'401',
			answered(401, { detail: 'Invalid API key provided' }),
			{
				title: "The service didn't accept the API key (401): Invalid API key provided",
				description:
					"Check 'API Key' in the credential, and that 'API Key Header' is the exact header name from the service's API documentation. Then test the credential and run again",
				statusCode: 401,
				n8nCause: { cause: 'credential-invalid' },
			},
		],
		[
			'403',
			answered(403, { detail: 'Not this channel' }),
			{
				title: 'The service denied access (403): Not this channel',
				description: `${NOT_SENT}. Check that the API key may send this message to this customer. If every item is rejected this way, check 'API Key' and 'API Key Header' in the credential`,
				statusCode: 403,
			},
		],
		[
			'404',
			answered(404, { error: 'Unknown customer' }),
			{
				title:
					"The service couldn't find this customer, template or channel (404): Unknown customer",
				description: `${NOT_SENT}. Check the IDs of this item. If every item is rejected this way, check 'Base URL' in the credential: it ends where /stable/open begins`,
				statusCode: 404,
			},
		],
		[
			'405',
			answered(405),
			{
				title: "The service doesn't take messages at this URL (405)",
				description: `${NOT_SENT}. Check 'Base URL' in the credential: the messaging service doesn't respond this way`,
				statusCode: 405,
			},
		],
		[
			'407',
			answered(407),
			{
				title: 'A proxy between n8n and the service asks for a sign-in (407)',
				description: `${NOT_SENT}. Ask your n8n admin to check the proxy settings of n8n`,
				statusCode: 407,
			},
		],
		[
			'413',
			answered(413, '<title>413 Request Entity Too Large</title>'),
			{
				title: 'The message is too large for the service (413): 413 Request Entity Too Large',
				description: `${NOT_SENT}. Shorten the text or the attributes of this item`,
				statusCode: 413,
			},
		],
		[
			'429',
			answered(429, { error: 'Too many requests' }),
			{
				title: "The service's rate limit was reached (429): Too many requests",
				description: `${NOT_SENT}. Set 'Messages per Second' to what the service allows, or increase 'Rate Limit Wait (Seconds)'`,
				statusCode: 429,
				n8nCause: { cause: 'rate-limited' },
			},
		],
		[
			'503 with Retry-After',
			answered(503, 'Maintenance', { 'retry-after': '5' }),
			{
				title: 'The service is unavailable and asked to wait (503): Maintenance',
				description: `${NOT_SENT}. Run this item again later, or increase 'Rate Limit Wait (Seconds)'`,
				statusCode: 503,
				n8nCause: { cause: 'temporarily-unavailable' },
			},
		],
		[
			'409',
			answered(409, { error: 'This message was already sent' }),
			{
				title: 'The service reported a conflict (409): This message was already sent',
				description:
					"This request sent nothing. Check the service's dashboard: the customer may have the message from an earlier one",
				statusCode: 409,
			},
		],
		[
			'302',
			answered(302, '', { location: 'https://login.example.com/?next=secret' }),
			{
				title:
					"The service redirected the request (302) to login.example.com, and the redirect wasn't followed",
				description: `${NOT_SENT}. Enter the final URL of the service as 'Base URL' in the credential, starting with https://`,
				statusCode: 302,
				n8nCause: { cause: 'configuration-invalid' },
			},
		],
		[
			'500',
			answered(500, 'Internal error'),
			{
				title:
					'The service responded with status 500: Internal error; the message may or may not have been sent',
				description: UNCERTAIN,
				statusCode: 500,
				n8nCause: { cause: 'temporarily-unavailable' },
			},
		],
		[
			'no valid status',
			answered(0),
			{
				title:
					'The service responded without a valid HTTP status; the message may or may not have been sent',
				description: UNCERTAIN,
				n8nCause: { cause: 'temporarily-unavailable' },
			},
		],
		[
			'200 that is no record',
			answered(200, '<title>Welcome</title>'),
			{
				title:
					'The service responded (200), but not with a message result: Welcome; the message may or may not have been sent',
				description: `Check that 'Base URL' in the credential is the URL of the messaging service itself. ${UNCERTAIN}`,
				statusCode: 200,
			},
		],
		[
			'200 that says it failed',
			answered(200, { ...record, message: 'Outside of window', extra: { success: false } }),
			{
				title: "The service responded that the message wasn't sent: Outside of window",
				description: 'Check the customer and the content of this item, then run it again',
				statusCode: 200,
			},
		],
		[
			'a timeout',
			{ kind: 'failed', code: 'ECONNABORTED', notSent: false },
			{
				title: "The service didn't respond in time; the message may or may not have been sent",
				description: `${UNCERTAIN}. If this happens often, increase 'Timeout (Milliseconds)'`,
				code: 'ECONNABORTED',
				n8nCause: { cause: 'temporarily-unavailable' },
			},
		],
		[
			'a canceled execution',
			{ kind: 'failed', code: 'ERR_CANCELED', notSent: false },
			{
				title:
					'The execution was canceled before the service responded; the message may or may not have been sent',
				description: UNCERTAIN,
				code: 'ERR_CANCELED',
			},
		],
		[
			'a response without end',
			{ kind: 'failed', code: 'RESPONSE_TOO_LARGE', notSent: false },
			{
				title:
					"The service's response was larger than 1 MB; the message may or may not have been sent",
				description: UNCERTAIN,
				code: 'RESPONSE_TOO_LARGE',
				n8nCause: { cause: 'temporarily-unavailable' },
			},
		],
		[
			'a broken connection',
			{ kind: 'failed', code: 'ECONNRESET', notSent: false },
			{
				title:
					'The connection broke before the service responded; the message may or may not have been sent',
				description: UNCERTAIN,
				code: 'ECONNRESET',
				n8nCause: { cause: 'temporarily-unavailable' },
			},
		],
		[
			'a proxy in between',
			{ kind: 'proxyRefused', status: 403 },
			{
				title: 'A proxy between n8n and the service rejected the connection (403)',
				description: `${NOT_SENT}. Ask your n8n admin to allow the host of 'Base URL' in the proxy`,
				statusCode: 403,
				n8nCause: { cause: 'configuration-invalid' },
			},
		],
		[
			'a request n8n kept back',
			{ kind: 'blocked', reason: 'n8n blocked the request', fix: 'Ask your n8n admin' },
			{
				title: 'n8n blocked the request',
				description: `${NOT_SENT}. Ask your n8n admin`,
				n8nCause: { cause: 'configuration-invalid' },
			},
		],
	])('%s', (_, answer, words) => {
		expect(failure(answer)).toEqual(words);
	});

	it.each([
		['ECONNREFUSED', ': the connection was refused'],
		['ECONNABORTED', ': the connection timed out'],
		['ENOTFOUND', ": its host name doesn't exist"],
		['EAI_AGAIN', ": its host name couldn't be looked up"],
		['EHOSTUNREACH', ': its host is unreachable'],
		['ENETUNREACH', ': its network is unreachable'],
		['EPROTO', ": it doesn't use HTTPS at this port"],
		['CERT_HAS_EXPIRED', ': its certificate has expired'],
		['DEPTH_ZERO_SELF_SIGNED_CERT', ': its certificate is self-signed'],
		['ERR_TLS_CERT_ALTNAME_INVALID', ': its certificate is for another host'],
		['unknown', ''],
		['constructor', ''],
	])('%s%s', (code, words) => {
		const { title, description } = failure({ kind: 'failed', code, notSent: true });
		expect(title).toBe(`n8n couldn't connect to the service${words}`);
		expect(description).toBe(
			`${NOT_SENT}. Check 'Base URL' in the credential, and that n8n can reach it`,
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
		expect(redirectTarget(location, redact)).toBe(shown);
	});
});
