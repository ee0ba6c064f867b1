import type { HttpResult } from '../../../nodes/OutboundMessaging/service/exchange';
import * as responses from '../../../nodes/OutboundMessaging/service/classifyResponse';
import { blockedByProxy } from '../../../nodes/OutboundMessaging/service/networkError';
import { redactor } from '../../../nodes/OutboundMessaging/service/redact';
import { expectListed } from '../../docs/errorsPage.cts';
import { KEY, words } from '../help';

const record = {
	...{ id: 'msg-1', project_id: 7, timestamp: '2024-01-01T00:00:00Z', message: 'Message sent' },
	...{ function_name: 'send_text_message', status: 'sent' },
	extra: { customer_id: 42, success: true },
};
const answered = (status: number, body?: unknown, headers = {}): HttpResult => {
	const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
	return { kind: 'answered', status, headers, text };
};
const failed = (code: string, notSent: boolean): HttpResult => ({ kind: 'failed', code, notSent });
const redact = redactor(KEY);
const verdict = (answer: HttpResult) => responses.classifyResponse(answer, redact);

it.each([200, 201, 202, 299])('%i with a record: accepted, the record untouched', (status) => {
	expect(verdict(answered(status, record))).toStrictEqual({ delivery: 'accepted', record });
});

/** A list in a list, and so on. */
const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);

const sent = (...extras: unknown[]) => extras.map((extra) => ({ ...record, extra }));
const without = (field: string, ...values: unknown[]) =>
	[undefined, '', ...values].map((value) => ({ ...record, [field]: value }));
it.each`
	delivery                                                  | bodies
	${'accepted'}                                             | ${[{ id: 'a', function_name: 'b', status: 'queued', cost: 1 }]}
	${'accepted'}                                             | ${sent(undefined, 'false', {}, { success: null }, { success: 0 }, { success: 'no' }, nested(98))}
	${'rejected'}                                             | ${[false, 'false', 'False'].flatMap((success) => [...sent({ success }), { ...record, success }, { error: 'No', success }])}
	${'uncertain'}                                            | ${[undefined, null, '<title>Welcome</title>', 200, [record], {}, { data: record }, [{ success: false }]]}
	${'uncertain'}                                            | ${[...without('id', true), ...without('function_name', 5), ...without('status', 200)]}
	${'uncertain: a list in a list, far deeper than a stack'} | ${[...sent(nested(99)), '{"error":['.repeat(5e4) + ']}'.repeat(5e4)]}
`('200: $delivery', ({ delivery, bodies }: { delivery: string; bodies: unknown[] }) => {
	for (const body of bodies) {
		const expected = { body, delivery: delivery.replace(/:.*/, '') };
		expect({ body, ...verdict(answered(200, body)) }).toMatchObject(expected);
	}
});

it.each<[string, number[]]>([
	['rejected', [300, 301, 302, 304, 307, 308, 400, 401, 402, 403, 404, 405, 407]],
	['rejected', [409, 410, 413, 415, 422, 451]],
	['askedToWait', [429]],
	['notSent', [425]],
	// 303 says that the POST was done. After 408 and 499 a gateway has given up: the service may have taken the message before.
	['uncertain', [0, 100, 101, 303, 408, 499, 500, 501, 502, 503, 504, 520, 599]],
])('%s: %j, whatever the body says', (delivery, statuses) => {
	const headers = { location: 'https://example.com/' };
	for (const status of statuses) {
		for (const answer of [answered(status, record, headers), answered(status)]) {
			expect([status, verdict(answer).delivery]).toEqual([status, delivery]);
		}
	}
});

const MAYBE = 'the message may or may not have been sent';
const NONE = 'Nothing was sent to this customer.';
const CHECK_FIRST =
	"Check the service's dashboard first. A retry doesn't resend this message unless 'If Delivery Is Uncertain' is set to Resend";

/** The service repeats the key. */
const NO = { error: `No ${KEY}` };
const wait = { 'retry-after': '5' };
const location = `https://a.example/${KEY}`;

const LATER = "increase 'Rate Limit Wait (Seconds)'";
interface Row {
	answer: HttpResult;
	/** Its delivery, n8n's cause, and whether it's fatal, or for how long to wait. */
	result: string;
	title: string;
	description: string;
}

it.each`
	answer                                                           | result                                      | title                                                                              | description
	${answered(400)}                                                 | ${'rejected'}                               | ${'The service rejected the message (400)'}                                        | ${`${NONE} Correct what the service rejected in this row, then execute the workflow with only this row`}
	${answered(422, NO)}                                             | ${'rejected'}                               | ${'The service rejected the message (422): No ***'}                                | ${`${NONE} Correct what the service rejected in this row, then execute the workflow with only this row`}
	${answered(401, NO)}                                             | ${'rejected, credential-invalid, fatal'}    | ${"The service didn't accept the API key (401): No ***"}                           | ${`${NONE} Check 'API Key' in the credential, and that 'API Key Header' is the exact header name from the service's API documentation`}
	${answered(403, NO)}                                             | ${'rejected, configuration-invalid'}        | ${'The service denied access (403): No ***'}                                       | ${`${NONE} Check that the API key may send this message to this customer. If every row is rejected this way, check 'API Key' and 'API Key Header' in the credential`}
	${answered(404, NO)}                                             | ${'rejected'}                               | ${"The service couldn't find this customer, template or channel (404): No ***"}    | ${`${NONE} Check the IDs of this row. If every row is rejected this way, check 'Base URL' in the credential: it ends where /stable/open begins`}
	${answered(405)}                                                 | ${'rejected, configuration-invalid'}        | ${"The service doesn't take messages at this URL (405)"}                           | ${`${NONE} Check 'Base URL' in the credential: the messaging service doesn't respond this way`}
	${answered(407)}                                                 | ${'rejected'}                               | ${'A proxy between n8n and the service asks for a sign-in (407)'}                  | ${`${NONE} Ask your n8n admin to check the proxy settings of n8n`}
	${answered(409, NO)}                                             | ${'rejected'}                               | ${'The service reported a conflict (409): No ***'}                                 | ${`${NONE} Check the service's dashboard for an earlier message: this one may repeat it`}
	${answered(413)}                                                 | ${'rejected'}                               | ${'The message is too large for the service (413)'}                                | ${`${NONE} Shorten the text or the attributes of this row`}
	${answered(429, NO)}                                             | ${'askedToWait, rate-limited'}              | ${"The service's rate limit was reached (429): No ***"}                            | ${`${NONE} Set 'Messages per Second' to what the service allows, or ${LATER}`}
	${answered(503, NO, wait)}                                       | ${'askedToWait, rate-limited, 5000'}        | ${'The service is unavailable and asked to wait (503): No ***'}                    | ${`${NONE} Execute the workflow with only this row later, or ${LATER}`}
	${answered(302, '', { location })}                               | ${'rejected, configuration-invalid'}        | ${'The service redirected the request (302) to a.example'}                         | ${`${NONE} Redirects aren't followed. Enter the final URL of the service as 'Base URL' in the credential, starting with https://`}
	${answered(500, NO, wait)}                                       | ${'uncertain, temporarily-unavailable'}     | ${`The service responded with status 500: No ***; ${MAYBE}`}                       | ${CHECK_FIRST}
	${answered(0)}                                                   | ${'uncertain, temporarily-unavailable'}     | ${`The service responded without a valid HTTP status; ${MAYBE}`}                   | ${CHECK_FIRST}
	${answered(200, '<title>Welcome</title>')}                       | ${'uncertain'}                              | ${`The service responded (200), but not with a message result: Welcome; ${MAYBE}`} | ${`Check that 'Base URL' in the credential is the URL of the messaging service itself. ${CHECK_FIRST}`}
	${answered(200, { ...NO, success: false })}                      | ${'rejected'}                               | ${"The service responded that the message wasn't sent: No ***"}                    | ${'Check the customer and the content of this row, then execute the workflow with only this row'}
	${failed('ECONNABORTED', false)}                                 | ${'uncertain, temporarily-unavailable'}     | ${`The service didn't respond in time; ${MAYBE}`}                                  | ${`${CHECK_FIRST}. If this happens often, increase 'Timeout (Milliseconds)'`}
	${failed('ETIMEDOUT', false)}                                    | ${'uncertain, temporarily-unavailable'}     | ${`The service didn't respond in time; ${MAYBE}`}                                  | ${`${CHECK_FIRST}. If this happens often, increase 'Timeout (Milliseconds)'`}
	${failed('ERR_CANCELED', false)}                                 | ${'uncertain'}                              | ${`The execution was canceled before the service responded; ${MAYBE}`}             | ${CHECK_FIRST}
	${failed('RESPONSE_TOO_LARGE', false)}                           | ${'uncertain, temporarily-unavailable'}     | ${`The service's response was larger than 1 MB; ${MAYBE}`}                         | ${CHECK_FIRST}
	${failed('ECONNRESET', false)}                                   | ${'uncertain, temporarily-unavailable'}     | ${`The connection broke before the service responded; ${MAYBE}`}                   | ${CHECK_FIRST}
	${blockedByProxy(403)}                                           | ${'notSent, configuration-invalid'}         | ${'A proxy between n8n and the service rejected the connection (403)'}             | ${`${NONE} Ask your n8n admin to allow the host of 'Base URL' in the proxy`}
	${blockedByProxy(407)}                                           | ${'notSent, configuration-invalid'}         | ${'A proxy between n8n and the service asks for a sign-in (407)'}                  | ${`${NONE} Ask your n8n admin to check the proxy settings of n8n`}
	${blockedByProxy(502)}                                           | ${'notSent, temporarily-unavailable'}       | ${"A proxy between n8n and the service couldn't connect to it (502)"}              | ${`${NONE} Check 'Base URL' in the credential. If it's right, try again later`}
	${{ kind: 'blocked', title: 'n8n said no', description: 'Ask' }} | ${'rejected, configuration-invalid, fatal'} | ${'n8n said no'}                                                                   | ${`${NONE} Ask`}
`('$title', ({ answer, result, title, description }: Row) =>
	judges(answer, result, title, description),
);

// No code in the words: n8n puts a stock text in place of any message that holds one.
it.each([
	['ECONNREFUSED', ': the connection was refused'],
	['ECONNRESET', ': the connection was closed'],
	['ECONNABORTED', ': the connection timed out'],
	['ETIMEDOUT', ': the connection timed out'],
	['ENOTFOUND', ": its host name doesn't exist"],
	['EAI_AGAIN', ": its host name couldn't be looked up"],
	['EHOSTUNREACH', ': its host is unreachable'],
	['ENETUNREACH', ': its network is unreachable'],
	['EPROTO', ": it doesn't use HTTPS at this port"],
	['CERT_HAS_EXPIRED', ': its certificate has expired'],
	['DEPTH_ZERO_SELF_SIGNED_CERT', ': its certificate is self-signed'],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', ": its certificate couldn't be verified"],
	['ERR_TLS_CERT_ALTNAME_INVALID', ': its certificate is for another host'],
	['constructor', ''],
])('nothing was sent: %s', (code, why) => {
	const description = `${NONE} Check 'Base URL' in the credential, and that n8n can reach it`;
	judges(
		failed(code, true),
		'notSent, temporarily-unavailable',
		`n8n couldn't connect to the service${why}`,
		description,
	);
});

function judges(answer: HttpResult, result: string, title: string, description: string): void {
	const [delivery, cause, more] = result.split(', ');
	const retryAfterMs = Number(more) || undefined;
	const isUnsent = description.startsWith(NONE) || undefined;
	const failure = {
		title,
		description: isUnsent ? description.slice(NONE.length + 1) : description,
		isUnsent,
		mayRepeatEarlier: title.includes('(409)') || undefined,
		statusCode: 'status' in answer && answer.status ? answer.status : undefined,
		code: answer.kind === 'failed' ? answer.code : undefined,
		n8nCause: cause && { cause, retryAfterMs },
	};
	const isFatal = more === 'fatal' || undefined;
	expect(verdict(answer)).toEqual({ delivery, isFatal, retryAfterMs, failure });
	if (answer.kind !== 'blocked' || answer.status)
		expectListed(title.replace('No ***', '…'), description);
}

it("the service's own code is told, and a list of waits is none", () => {
	const answer = answered(429, { ...NO, code: 'T429' }, { 'retry-after': ['5', '6'] });
	const title = "The service's rate limit was reached (429): No ***, code T429";
	expect(verdict(answer)).toMatchObject({ failure: { title, code: 'T429' } });
	expect(verdict(answer)).toHaveProperty('retryAfterMs', undefined);
});

it.each<[string | undefined, string]>([
	['https://example.com', ' to example.com'],
	['http://example.com:8080/a?b=secret', ' to example.com:8080'],
	['https://[::1]:3000/a', ' to [::1]:3000'],
	...[
		...words('https://ada:secret@example.com/ //example.com/ javascript:https://example.com/'),
		...[`https://${'a'.repeat(101)}/`, `https://${KEY}/`, `https://a.${KEY}.example.com/`],
		...['https://exa\nmple.com/', undefined],
	].map((hidden): [string | undefined, string] => [hidden, '']),
])('of a redirect to %j only the host is shown: %j', (location, shown) => {
	expect(responses.redirectTarget(location, redact)).toBe(shown);
});
