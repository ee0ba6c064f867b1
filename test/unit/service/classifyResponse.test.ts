import type { HttpResult } from '../../../nodes/OutboundMessaging/service/httpResult';
import type { Failure } from '../../../nodes/OutboundMessaging/delivery/failure';
import {
	classifyResponse,
	redirectTarget,
} from '../../../nodes/OutboundMessaging/service/classifyResponse';
import { redactor } from '../../../nodes/OutboundMessaging/service/redact';
import { KEY, words } from '../help';

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
const wait = { 'retry-after': '5' };
const failed = (code: string, notSent: boolean): HttpResult => ({ kind: 'failed', code, notSent });
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

	it.each<[unknown, string]>([
		...[false, 'false', 'False'].flatMap(
			(success): Array<[unknown, string]> => [
				[{ ...record, extra: { success } }, 'rejected'],
				[{ ...record, success }, 'rejected'],
				[{ error: 'No', success }, 'rejected'],
			],
		),
		[{ ...record, extra: undefined }, 'accepted'],
		[{ ...record, extra: {} }, 'accepted'],
		[{ ...record, extra: { success: null } }, 'accepted'],
		[{ ...record, extra: { success: 0 } }, 'accepted'],
		['<title>Welcome</title>', 'uncertain'],
		[undefined, 'uncertain'],
		[{}, 'uncertain'],
		[[record], 'uncertain'],
	])('200 with %j: %s', (body, delivery) => {
		expect(verdict(answered(200, body)).delivery).toBe(delivery);
	});

	it.each<[string, number[]]>([
		['rejected', [300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 407, 408]],
		['rejected', [409, 410, 413, 415, 422, 451, 499]],
		['rateLimited', [429]],
		['uncertain', [0, 100, 101, 500, 501, 502, 503, 504, 520, 599]],
	])('%s: %j', (delivery, statuses) => {
		const headers = { location: 'https://example.com/' };
		for (const status of statuses) {
			for (const answer of [answered(status, record, headers), answered(status)]) {
				expect([status, verdict(answer).delivery]).toEqual([status, delivery]);
			}
		}
	});

	it.each<[HttpResult, string]>([
		[answered(204), 'uncertain'],
		[answered(429, '', wait), 'rateLimited'],
		[answered(503, '', wait), 'rateLimited'],
		[answered(500, '', wait), 'uncertain'],
		[failed('ECONNREFUSED', true), 'notSent'],
		[failed('ECONNABORTED', true), 'notSent'],
		[failed('ECONNABORTED', false), 'uncertain'],
		[failed('ECONNRESET', false), 'uncertain'],
		[failed('RESPONSE_TOO_LARGE', false), 'uncertain'],
		[failed('unknown', false), 'uncertain'],
		[{ kind: 'proxyRefused', status: 403 }, 'notSent'],
		[{ kind: 'blocked', reason: 'No', fix: 'Ask' }, 'rejected'],
	])('%j: %s', (answer, delivery) => {
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
	it("400, in the service's words", () => {
		const body = { error: 'No such template', code: 'T404', success: false };
		expect(failure(answered(400, body))).toEqual({
			title: 'The service rejected the message (400): No such template, code T404',
			description: FIELDS,
			statusCode: 400,
			code: 'T404',
		});
	});

	it.each<[HttpResult, string, string, string?]>([
		[
			answered(400),
			'The service rejected the message (400)',
			`${NOT_SENT}. Check the fields of this item, then run it again`,
		],
		[
			answered(422, { detail: [{ msg: 'field required' }] }),
			'The service rejected the message (422): field required',
			FIELDS,
		],
		[
			answered(401, { detail: 'Invalid API key provided' }),
			"The service didn't accept the API key (401): Invalid API key provided",
			"Check 'API Key' in the credential, and that 'API Key Header' is the exact header name from the service's API documentation. Then test the credential and run again",
			'credential-invalid',
		],
		[
			answered(403, { detail: 'Not this channel' }),
			'The service denied access (403): Not this channel',
			`${NOT_SENT}. Check that the API key may send this message to this customer. If every item is rejected this way, check 'API Key' and 'API Key Header' in the credential`,
		],
		[
			answered(404, { error: 'Unknown customer' }),
			"The service couldn't find this customer, template or channel (404): Unknown customer",
			`${NOT_SENT}. Check the IDs of this item. If every item is rejected this way, check 'Base URL' in the credential: it ends where /stable/open begins`,
		],
		[
			answered(405),
			"The service doesn't take messages at this URL (405)",
			`${NOT_SENT}. Check 'Base URL' in the credential: the messaging service doesn't respond this way`,
		],
		[
			answered(407),
			'A proxy between n8n and the service asks for a sign-in (407)',
			`${NOT_SENT}. Ask your n8n admin to check the proxy settings of n8n`,
		],
		[
			answered(413, '<title>413 Request Entity Too Large</title>'),
			'The message is too large for the service (413): 413 Request Entity Too Large',
			`${NOT_SENT}. Shorten the text or the attributes of this item`,
		],
		[
			answered(429, { error: 'Too many requests' }),
			"The service's rate limit was reached (429): Too many requests",
			`${NOT_SENT}. Set 'Messages per Second' to what the service allows, or increase 'Rate Limit Wait (Seconds)'`,
			'rate-limited',
		],
		[
			answered(503, 'Maintenance', { 'retry-after': '5' }),
			'The service is unavailable and asked to wait (503): Maintenance',
			`${NOT_SENT}. Run this item again later, or increase 'Rate Limit Wait (Seconds)'`,
			'temporarily-unavailable',
		],
		[
			answered(409, { error: 'This message was already sent' }),
			'The service reported a conflict (409): This message was already sent',
			"This request sent nothing. Check the service's dashboard: the customer may have the message from an earlier one",
		],
		[
			answered(302, '', { location: 'https://login.example.com/?next=secret' }),
			"The service redirected the request (302) to login.example.com, and the redirect wasn't followed",
			`${NOT_SENT}. Enter the final URL of the service as 'Base URL' in the credential, starting with https://`,
			'configuration-invalid',
		],
		[
			answered(500, 'Internal error'),
			'The service responded with status 500: Internal error; the message may or may not have been sent',
			UNCERTAIN,
			'temporarily-unavailable',
		],
		[
			answered(0),
			'The service responded without a valid HTTP status; the message may or may not have been sent',
			UNCERTAIN,
			'temporarily-unavailable',
		],
		[
			answered(200, '<title>Welcome</title>'),
			'The service responded (200), but not with a message result: Welcome; the message may or may not have been sent',
			`Check that 'Base URL' in the credential is the URL of the messaging service itself. ${UNCERTAIN}`,
		],
		[
			answered(200, { ...record, message: 'Outside of window', extra: { success: false } }),
			"The service responded that the message wasn't sent: Outside of window",
			'Check the customer and the content of this item, then run it again',
		],
		[
			failed('ECONNABORTED', false),
			"The service didn't respond in time; the message may or may not have been sent",
			`${UNCERTAIN}. If this happens often, increase 'Timeout (Milliseconds)'`,
			'temporarily-unavailable',
		],
		[
			failed('ERR_CANCELED', false),
			'The execution was canceled before the service responded; the message may or may not have been sent',
			UNCERTAIN,
		],
		[
			failed('RESPONSE_TOO_LARGE', false),
			"The service's response was larger than 1 MB; the message may or may not have been sent",
			UNCERTAIN,
			'temporarily-unavailable',
		],
		[
			failed('ECONNRESET', false),
			'The connection broke before the service responded; the message may or may not have been sent',
			UNCERTAIN,
			'temporarily-unavailable',
		],
		[
			{ kind: 'proxyRefused', status: 403 },
			'A proxy between n8n and the service rejected the connection (403)',
			`${NOT_SENT}. Ask your n8n admin to allow the host of 'Base URL' in the proxy`,
			'configuration-invalid',
		],
		[
			{ kind: 'blocked', reason: 'n8n blocked the request', fix: 'Ask your n8n admin' },
			'n8n blocked the request',
			`${NOT_SENT}. Ask your n8n admin`,
			'configuration-invalid',
		],
	])('%j: %s', (...row) => {
		const [answer, title, description, cause] = row;
		const status = 'status' in answer && answer.status > 0 ? { statusCode: answer.status } : {};
		const code = answer.kind === 'failed' ? { code: answer.code } : {};
		const n8nCause = cause === undefined ? {} : { n8nCause: { cause } };
		expect(failure(answer)).toEqual({ title, description, ...status, ...code, ...n8nCause });
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
	])('%s%s', (code, why) => {
		const { title, description } = failure(failed(code, true));
		expect(title).toBe(`n8n couldn't connect to the service${why}`);
		expect(description).toBe(
			`${NOT_SENT}. Check 'Base URL' in the credential, and that n8n can reach it`,
		);
	});

	// n8n puts a stock text in place of any message that holds such a code.
	it.each(
		words('ECONNREFUSED ECONNRESET ECONNABORTED ENOTFOUND ETIMEDOUT EAI_AGAIN').flatMap((code) => [
			failed(code, true),
			failed(code, false),
		]),
	)('no code in the words of %j', (answer) => {
		const { title, description } = failure(answer);
		expect(title + description).not.toMatch(/\bE[A-Z_]{4}/);
	});

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
