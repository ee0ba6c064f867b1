import { CHECK_FIRST, type Failed } from '../../../nodes/OutboundMessaging/delivery/message';
import { fixOf } from '../../../nodes/OutboundMessaging/output/words';
import * as responses from '../../../nodes/OutboundMessaging/service/classifyResponse';
import * as missing from '../../../nodes/OutboundMessaging/service/httpResult';
import { meaningOf } from '../../../nodes/OutboundMessaging/service/statuses';
import { redactor } from '../../../nodes/OutboundMessaging/service/redact';
import { KEY } from '../help';

const record = {
	...{ id: 'msg-1', project_id: 7, timestamp: '2024-01-01T00:00:00Z', message: '&amp; %41' },
	...{ function_name: 'send_text_message', status: 'sent' },
	extra: { customer_id: 42, success: true },
};
const answered = (status: number, body?: unknown, headers = {}): missing.HttpResult => {
	const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
	return { status, headers, text };
};
const redact = redactor(KEY);
const verdict = (answer: missing.HttpResult) => responses.classifyResponse(answer, redact);

it.each([200, 201, 202, 299])('%i with a record: accepted, the record untouched', (status) => {
	expect(verdict(answered(status, record))).toStrictEqual({ delivery: 'accepted', record });
});

/** A list in a list, and so on. */
const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);

const sent = (...extras: unknown[]) => extras.map((extra) => ({ ...record, extra }));
const without = (field: string, ...values: unknown[]) =>
	[undefined, '', ...values].map((value) => ({ ...record, [field]: value }));
it.each<{ delivery: string; bodies: unknown[] }>([
	{ delivery: 'accepted', bodies: [{ id: 'a', function_name: 'b', status: 'queued', cost: 1 }] },
	{
		delivery: 'accepted',
		bodies: sent(
			undefined,
			'false',
			{},
			{ success: null },
			{ success: 0 },
			{ success: 'no' },
			nested(98),
		),
	},
	{
		delivery: 'rejected',
		bodies: [false, 'false', 'False'].flatMap((success) => [
			...sent({ success }),
			{ ...record, success },
			{ error: 'No', success },
		]),
	},
	{
		delivery: 'uncertain',
		bodies: [
			undefined,
			null,
			'<title>Welcome</title>',
			200,
			[record],
			{},
			{ data: record },
			[{ success: false }],
		],
	},
	{
		delivery: 'uncertain',
		bodies: [...without('id', true), ...without('function_name', 5), ...without('status', 200)],
	},
	{
		delivery: 'uncertain: a list in a list, far deeper than a stack',
		bodies: [...sent(nested(99)), '{"error":['.repeat(5e4) + ']}'.repeat(5e4)],
	},
])('200: $delivery', ({ delivery, bodies }: { delivery: string; bodies: unknown[] }) => {
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
	// 303 says that the POST was done. After 408 and 499 a gateway has given up: the service may have
	// taken the message before.
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

/** The service repeats the key. */
const NO = { error: `No ${KEY}` };
const wait = { 'retry-after': '5' };
/** Two of them are none. */
const waits = { 'retry-after': ['5', '6'] };
const location = `https://a.example/${KEY}`;
type Row = { answer: missing.HttpResult; result: string; title: string };

/** The result is its delivery, n8n's cause, and whether it's fatal, or for how long to wait. */
const ANSWERS: Row[] = [
	{ answer: answered(400), result: 'rejected', title: 'The service rejected the message (400)' },
	{
		answer: answered(402, NO),
		result: 'rejected, quota-exhausted',
		title: 'The service rejected the message (402): No ***',
	},
	{
		answer: answered(422, NO),
		result: 'rejected',
		title: 'The service rejected the message (422): No ***',
	},
	{
		answer: answered(401, NO),
		result: 'rejected, credential-invalid, fatal',
		title: "The service didn't accept the API key (401): No ***",
	},
	{
		answer: answered(403, NO),
		result: 'rejected, configuration-invalid',
		title: 'The service denied access (403): No ***',
	},
	{
		answer: answered(404, NO),
		result: 'rejected',
		title: "The service couldn't find this customer, template or channel (404): No ***",
	},
	{
		answer: answered(405),
		result: 'rejected, configuration-invalid',
		title: "The service doesn't take messages at this URL (405)",
	},
	{
		answer: answered(407),
		result: 'rejected',
		title: 'A proxy between n8n and the service asks for a sign-in (407)',
	},
	{
		answer: answered(409, NO),
		result: 'rejected',
		title: 'The service reported a conflict (409): No ***',
	},
	{
		answer: answered(413),
		result: 'rejected',
		title: 'The message is too large for the service (413)',
	},
	{
		answer: answered(429, { ...NO, code: 'T429' }, waits),
		result: 'askedToWait, rate-limited',
		title: "The service's rate limit was reached (429): No ***, code T429",
	},
	{
		answer: answered(503, NO, wait),
		result: 'askedToWait, rate-limited, 5000',
		title: 'The service is unavailable and asked to wait (503): No ***',
	},
	{
		answer: answered(303, '', { location }),
		result: 'uncertain, temporarily-unavailable',
		title: `The service redirected to a result (303) to a.example; ${MAYBE}`,
	},
	{
		answer: answered(425),
		result: 'notSent, temporarily-unavailable',
		title: "The service wasn't ready for the message yet (425)",
	},
	{
		answer: answered(302, '', { location }),
		result: 'rejected, configuration-invalid',
		title: 'The service redirected the request (302) to a.example',
	},
	{
		answer: answered(500, NO, wait),
		result: 'uncertain, temporarily-unavailable',
		title: `The service responded with status 500: No ***; ${MAYBE}`,
	},
	{
		answer: answered(0),
		result: 'uncertain, temporarily-unavailable',
		title: `The service responded without a valid HTTP status; ${MAYBE}`,
	},
	{
		answer: answered(200, '<title>Welcome</title>'),
		result: 'uncertain',
		title: `The service responded (200), but not with a message result: Welcome; ${MAYBE}`,
	},
	{
		answer: answered(200, { ...NO, success: false }),
		result: 'rejected',
		title: "The service responded that the message wasn't sent: No ***",
	},
	{
		answer: missing.withoutResponse('ECONNABORTED'),
		result: 'uncertain, temporarily-unavailable',
		title: `The service didn't respond in time; ${MAYBE}`,
	},
	{
		answer: missing.withoutResponse('ETIMEDOUT'),
		result: 'uncertain, temporarily-unavailable',
		title: `The service didn't respond in time; ${MAYBE}`,
	},
	{
		answer: missing.withoutResponse('ERR_CANCELED'),
		result: 'uncertain',
		title: `The execution was canceled before the service responded; ${MAYBE}`,
	},
	{
		answer: missing.withoutResponse('RESPONSE_TOO_LARGE'),
		result: 'uncertain, temporarily-unavailable',
		title: `The service's response was larger than 1 MB; ${MAYBE}`,
	},
	{
		answer: missing.withoutResponse('ECONNRESET'),
		result: 'uncertain, temporarily-unavailable',
		title: `The connection broke before the service responded; ${MAYBE}`,
	},
	{
		answer: missing.blockedByProxy(403),
		result: 'notSent, configuration-invalid',
		title: 'A proxy between n8n and the service rejected the connection (403)',
	},
	{
		answer: missing.blockedByProxy(407),
		result: 'notSent, configuration-invalid',
		title: 'A proxy between n8n and the service asks for a sign-in (407)',
	},
	{
		answer: missing.blockedByProxy(502),
		result: 'notSent, temporarily-unavailable',
		title: "A proxy between n8n and the service couldn't connect to it (502)",
	},
	{
		answer: missing.classifyNetworkError([
			{ name: 'InvalidValue', message: 'No', description: 'Ask' },
		]),
		result: 'rejected, configuration-invalid, fatal',
		title: 'No',
	},
];
it.each(ANSWERS)('$title', ({ answer, result, title }) => judges(answer, result, title));

it('each meaning that a status has is among them', () => {
	const statuses = Array.from({ length: 600 }, (_, status) => status);
	const meanings = [meaningOf(503, true), ...statuses.map((status) => meaningOf(status))];
	const untested = meanings.filter(({ title }) => {
		const [start] = title.split('…');
		return !ANSWERS.some((answer) => answer.title.startsWith(start));
	});
	expect(new Set(untested.map(({ title }) => title))).toEqual(new Set());
});

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
	['constructor', ''],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', ": its certificate couldn't be verified"],
	['ERR_TLS_CERT_ALTNAME_INVALID', ': its certificate is for another host'],
])('nothing was sent: %s', (code, why) => {
	const title = `n8n couldn't connect to the service${why}`;
	const answer = missing.withoutResponse(code, true);
	judges(answer, 'notSent, temporarily-unavailable', title);
	const fix = title.includes('certificate') ? 'trust' : 'Try again later';
	expect(answer.noResponse?.meaning.description).toContain(fix);
});

function judges(answer: missing.HttpResult, result: string, title: string): void {
	const [delivery, cause, more] = result.split(', ');
	const retryAfterMs = Number(more) || undefined;
	const own = verdict(answer);
	const { description = '' } = 'failure' in own ? own.failure : {};
	const isRepeated = title.includes('(409)');
	expect(own).toEqual({
		delivery,
		isFatal: more === 'fatal' || undefined,
		retryAfterMs,
		failure: {
			title,
			description,
			isUnsent: delivery === 'uncertain' ? undefined : !isRepeated,
			mayRepeatEarlier: isRepeated || undefined,
			statusCode: answer.status || undefined,
			code: answer.noResponse ? answer.noResponse.code : /code (\w+)/.exec(title)?.[1],
			n8nCause: cause && { cause, retryAfterMs },
		},
	});
	const isLate = title.includes('respond in time');
	const advice = ". If this happens often, increase 'Timeout (Milliseconds)'";
	if (delivery === 'uncertain') expect(description).toContain(CHECK_FIRST + (isLate ? advice : ''));
}

const REPEATS = "Check the service's dashboard for an earlier message: this one may repeat it";
const ACCOUNT = "Top up the account in the service's dashboard, or wait until its limit resets";
const UNSENT = "This message wasn't sent. ";

/** What the response has besides: it isn't what the service says. */
const BESIDES = { duplicate: false, input: { text: 'Your order was already sent' } };
/**
 * By words and codes, whatever the status is: the specification (7) lists none. What has no
 * space is a code.
 */
it.each(
	Object.entries({
		[REPEATS]: [
			'Duplicate request: already sent to the customer',
			'Message already exists',
			'Conflict',
			'This message was already successfully processed',
			'Das ist ein Duplikat',
			'Mensaje duplicado',
			'Idempotency key was used',
			'This was previously sent',
			'It was sent earlier',
			'Repeated request',
			'Same request in progress',
			'DUPLICATE_MESSAGE',
			'message_already_exists',
			'alreadySent',
			'replay',
		],
		[UNSENT + ACCOUNT]: [
			'No credit',
			'Not enough credits left',
			'Insufficient balance',
			'Out of funds',
			'Daily limit reached',
			'Your balance is too low',
			'Message quota was exceeded',
			'Payment required',
			'INSUFFICIENT_FUNDS',
			'quotaExceeded',
			'daily_limit',
		],
		[UNSENT]: [
			'The customer has already opted out',
			'No such template: payment_reminder',
			'Conflicting IDs',
			'Text length limit exceeded',
			'No template credit_note',
			'Rate limit exceeded',
			'Unknown customer',
		],
	}),
)('rejected: %j', (fix, said) => {
	for (const each of said) {
		const codes = [{ error: { msg: 'No', type: each } }, { error: 'No', [each]: true }];
		for (const body of each.includes(' ') ? [{ error: each }] : codes) {
			expect(verdict(answered(500, body))).toMatchObject({ failure: { description: CHECK_FIRST } });
			for (const status of [400, 403, 404, 422, 429, 200]) {
				const told = { ...body, ...BESIDES, success: false };
				const { failure } = verdict(answered(status, told)) as Failed;
				const shown = fixOf(failure);
				expect([told, status, shown.slice(0, fix.length)]).toEqual([told, status, fix]);
				if (status === 400) expect(shown.includes('Correct')).toBe(fix === UNSENT);
			}
		}
	}
});

const HIDDEN = [
	'https://ada:secret@example.com/',
	'//example.com/',
	'javascript:https://example.com/',
	`https://a.${KEY}.example.com/`,
	`https://${'a'.repeat(101)}/`,
];
it.each([
	['https://example.com', ' to example.com'],
	['http://example.com:8080/a?b=secret', ' to example.com:8080'],
	...[...HIDDEN, 'https://exa\nmple.com/', undefined].map((location) => [location, '']),
])('of a redirect to %j only the host is shown: %j', (...[location, shown]) => {
	expect(responses.redirectTarget(location, redact)).toBe(shown);
});

it('a record that repeats the key, in clear or encoded, comes without it', () => {
	const json = (key: string, other: string) =>
		'{"id":"m ' +
		`${key}","list":["${other}",null,5,true],"${key}":1,"function_name":"f","status":"sent"}`;
	const escaped = [...KEY].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('');
	const shown = JSON.parse(json('***', '***')) as unknown;
	const result = verdict(answered(200, json(KEY, escaped)));
	expect(result).toStrictEqual({ delivery: 'accepted', record: shown });
});

const NOW = Date.UTC(2024, 0, 31, 12, 0, 0);
const YEAR = 365 * 24 * 3_600_000;
it.each<[string | undefined, number?]>([
	['120', 120_000],
	['0.0005', 1],
	[' 007.25 ', 7250],
	['Wed, 31 Jan 2024 12:00:30 GMT', 30_000],
	['Wednesday, 31-Jan-24 12:00:30 GMT', 30_000],
	// Absurd, but a wait: no longer than what can be measured.
	['9'.repeat(400), YEAR],
	...[
		'0.0',
		'-5',
		'+5',
		'5,',
		'1,5',
		'.5',
		'5.',
		'1e3',
		'0x10',
		'Infinity',
		'soon',
		'5s',
		'٥',
		'2099-01-01',
		'12/31/2099',
		'',
		'60 seconds',
		'Wed, 31 Jan 2024 12:00:00 GMT',
	].map((none): [string] => [none]),
	[undefined],
])('Retry-After: %s: a wait of %j ms', (...[value, milliseconds]) => {
	expect(responses.retryAfterMs(value, NOW)).toBe(milliseconds);
});
