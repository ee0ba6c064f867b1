/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests run on a developer's machine */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';

import { isMarkedFailed, isMessageRecord } from '../../nodes/OutboundMessaging/service/record';
import type { HttpResult } from '../../nodes/OutboundMessaging/service/httpResult';
import { connectionFrom, isForService } from '../../nodes/OutboundMessaging/service/connection';
import { classifyResponse } from '../../nodes/OutboundMessaging/service/classifyResponse';
import { redactor } from '../../nodes/OutboundMessaging/service/redact';
import { retryAfterMs } from '../../nodes/OutboundMessaging/service/retryAfter';
import { extractServiceError, parseJson } from '../../nodes/OutboundMessaging/service/serviceError';
import {
	anything,
	checked,
	claim,
	gives,
	isCleanLine,
	json,
	mostly,
	nasty,
	recordLike,
} from './help';

/** Keys as services give them, and some with characters that mean something in patterns. */
const key = fc.oneof(
	fc.stringMatching(/^[A-Za-z0-9_-]{16,40}$/),
	fc.constantFrom('sk_live_$&$1.*+?^${}()|[]', 'a/b+c==0123456789', '"quoted\\key"12345'),
);

const or = (right: fc.Arbitrary<unknown>, ...odd: unknown[]) =>
	mostly(right, fc.oneof(fc.constantFrom(...odd), anything));
const USERS = ['', 'ada@', ':pw@'];
const credentials = fc.record({
	baseUrl: or(
		fc.oneof(
			fc.webUrl({ withQueryParameters: true, withFragments: true }),
			fc
				.tuple(fc.constantFrom(...USERS), fc.domain(), fc.constantFrom('', '/', '/x//'))
				.map(([user, host, path]) => ` https://${user}${host}${path} `),
		),
		...['https://a.example/?', 'https://a.example/x#', 'http:a.example', 'file:///etc/passwd'],
	),
	apiKeyHeader: or(
		fc.constant('X-Service-Api-Key'),
		...['X-Key: a\r\nX-Other', 'Ключ', ' X-Key ', 'X Key', ''],
	),
	apiKey: or(key, ...['two words here 123', 'ключ-0123456789', 'a\u0000b', 'a\r\nX-Other: b']),
});

claim(
	'a credential that is taken gives a plain URL, a header name and a key',
	credentials,
	gives(
		(given) => connectionFrom(given as never),
		({ baseUrl, headerName, apiKey }) => {
			const url = new URL(`${baseUrl}/stable/open`);
			return (
				/^https?:$/.test(url.protocol) &&
				url.username + url.password + url.search + url.hash === '' &&
				url.pathname.endsWith('/stable/open') &&
				!/[?#\s]|\/$/.test(baseUrl) &&
				/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(headerName) &&
				/^[\x21-\x7e]+$/.test(apiKey)
			);
		},
	),
);

claim(
	'a credential that is rejected never shows its key',
	fc
		.tuple(credentials, key, fc.constantFrom('', ' ', '\n', 'é'))
		.map(([given, secret, bad]) => ({ ...given, apiKey: secret + bad + secret })),
	(given) => {
		const outcome = checked(() => connectionFrom(given as never));
		if ('value' in outcome) return true;
		const text = `${outcome.refusal.message} ${outcome.refusal.fix}`;
		return !text.includes(given.apiKey.slice(0, 16));
	},
);

claim(
	'the key goes to the host and port of the Base URL only',
	fc
		.tuple(fc.domain(), fc.constantFrom(...['', ':8443', '@evil.example', '.evil.example']), nasty)
		.map(([host, more, path]) => [`https://${host}`, `https://${host}${more}/${path}`]),
	([baseUrl, url]) => {
		const { origin } = new URL(baseUrl);
		return !isForService({ origin }, url) || new URL(url).origin === origin;
	},
);

/** A body as it comes over the wire. */
function textOf(body: unknown): string {
	try {
		return typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
	} catch {
		return '';
	}
}

/** A body that quotes the key at us, in plain sight or between other things. */
const quoting = (secret: string): fc.Arbitrary<unknown> =>
	fc.oneof(
		{ weight: 2, arbitrary: recordLike },
		json,
		anything,
		fc
			.tuple(nasty, nasty, fc.constantFrom('error', 'detail', 'message', 'code'), fc.nat(3))
			.map(([before, after, name, shape]) => {
				const text = before + secret + after;
				const page = `<html><body><p class="a">${text}</p></body></html>`;
				return [text, page, { [name]: text }, { [name]: [{ msg: text }, text] }][shape];
			}),
		fc
			.nat(secret.length)
			.map((at) => ({ error: `${secret.slice(0, at)}\u001b[1m${secret.slice(at)}` })),
	);

/** Neither the key nor a telling part of it. */
const hides = (secret: string, text: string) =>
	!text.includes(secret.slice(0, 12)) && !text.includes(secret.slice(-12));

const QUOTED = 'live-0123456789abcdef';

const headers = fc.record(
	{
		'retry-after': fc.oneof(nasty, fc.integer().map(String), fc.date().map(String)),
		location: fc.oneof(nasty, fc.webUrl()),
	},
	{ requiredKeys: [] },
);
const status = fc.oneof(
	fc.constantFrom(200, 201, 204, 301, 307, 400, 401, 403, 404, 413, 429, 500, 502, 503),
	fc.constantFrom(200, 201, 400, 500),
	fc.nat(999),
);
const answered = (secret: string): fc.Arbitrary<HttpResult> =>
	fc.record({
		kind: fc.constant('answered' as const),
		status,
		headers: fc.oneof(headers, fc.constant({ location: `https://${secret}/` })),
		text: quoting(secret).map(textOf),
	});
const CODES = ['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'unknown', '__proto__', 'constructor'];
const failed: fc.Arbitrary<HttpResult> = fc.record({
	kind: fc.constant('failed' as const),
	code: fc.constantFrom(...CODES),
	notSent: fc.boolean(),
});
const judged = key.chain((secret) =>
	fc.tuple(
		fc.constant(secret),
		fc.oneof({ weight: 5, arbitrary: answered(secret) }, { weight: 1, arbitrary: failed }),
	),
);

/** Whether a request may have arrived, and nothing says what became of it. */
function isOpen(answer: HttpResult): boolean {
	if (answer.kind === 'failed') return !answer.notSent;
	if (answer.kind !== 'answered') return false;
	if (answer.status >= 500) return answer.status !== 503;
	const body = parseJson(answer.text);
	return answer.status === 200 && !isMessageRecord(body) && !isMarkedFailed(body);
}

const NOW = Date.UTC(2031, 1, 3);
const header = fc.oneof(
	nasty,
	fc.constant(undefined),
	fc.stringMatching(/^[0-9]{1,400}$|^-?[0-9]{1,6}\.[0-9]{1,6}$/),
	fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
);

claim(
	"the service's words are one short, clean line without the key, and without anything that a browser takes for a tag",
	key.chain((secret) => fc.tuple(fc.constant(secret), quoting(secret))),
	([secret, body]) => {
		const { text, code } = extractServiceError(textOf(body), redactor(secret));
		return [text ?? ' ', code ?? ' '].every(
			(line) => isCleanLine(line, 301) && hides(secret, line) && !/<[a-z!/?]/i.test(line),
		);
	},
	[QUOTED, `<html><title>${'x'.repeat(280)}${QUOTED}</title></html>`],
	[QUOTED, { error: ' '.repeat(19_985) + QUOTED }],
	[QUOTED, { error: `${'x'.repeat(299)}🎉🎉` }],
);

claim(
	'what is accepted is the record of a 2xx that does not say it failed; what may have arrived is never called rejected',
	judged,
	([secret, answer]) => {
		const verdict = classifyResponse(answer, redactor(secret));
		if (verdict.delivery !== 'accepted') {
			return !isOpen(answer) || verdict.delivery === 'uncertain';
		}
		return (
			answer.kind === 'answered' &&
			answer.status >= 200 &&
			answer.status < 300 &&
			isMessageRecord(verdict.record) &&
			isDeepStrictEqual(verdict.record, parseJson(answer.text)) &&
			(verdict.record.extra as { success?: unknown } | undefined)?.success !== false
		);
	},
);

claim(
	'what is not accepted says why and what to do, in clean lines without the key, and nothing else has changed',
	judged,
	([secret, answer]) => {
		const verdict = classifyResponse(answer, redactor(secret));
		const fresh = {} as Record<string, unknown>;
		expect([Object.keys(fresh), fresh.success, fresh.id]).toEqual([[], undefined, undefined]);
		if (verdict.delivery === 'accepted') return true;
		const { title, description } = verdict.failure;
		const isClean = isCleanLine(title, 900) && isCleanLine(description, 400);
		return isClean && hides(secret, `${title} ${description}`);
	},
	[
		QUOTED,
		{ kind: 'answered', status: 302, headers: { location: `https://${QUOTED}/` }, text: '' },
	],
);

claim(
	'only an object with id, function name and status is a record',
	fc.oneof(recordLike, json, anything),
	(body) => {
		if (!isMessageRecord(body)) return true;
		const fields = [body.id, body.function_name, body.status];
		return !Array.isArray(body) && fields.every((each) => typeof each === 'string' && each !== '');
	},
);

claim(
	'a record is as deep as programs can walk through, or it is none',
	fc.integer({ min: 1, max: 300 }),
	(depth) => {
		let extra: unknown = { success: true };
		for (let level = 2; level < depth; level++) extra = level % 2 ? [extra] : { extra };
		const body = { id: '1', function_name: 'send_text_message', status: 'sent', extra };
		return isMessageRecord(body) === depth < 100;
	},
);

claim(
	'a wait that a service asks for is a number one can wait for, or none',
	header,
	(value) => {
		const wait = retryAfterMs(value, NOW);
		return wait === undefined || (Number.isFinite(wait) && wait > 0);
	},
	'9'.repeat(400),
);
