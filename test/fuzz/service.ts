/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests run on a developer's machine */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';

import { isMarkedFailed, isMessageRecord } from '../../nodes/OutboundMessaging/service/record';
import type { HttpResult } from '../../nodes/OutboundMessaging/service/httpResult';
import { connectionFrom, isForService } from '../../nodes/OutboundMessaging/service/connection';
import { classifyResponse } from '../../nodes/OutboundMessaging/service/classifyResponse';
import { redactor } from '../../nodes/OutboundMessaging/service/redact';
import { extractServiceError, parseJson } from '../../nodes/OutboundMessaging/service/serviceError';
import { anything, checked, claim, isCleanLine, json, nasty, recordLike } from './help';

/** Keys as services give them, and some with characters that mean something in patterns. */
const key = fc.oneof(
	fc.stringMatching(/^[A-Za-z0-9_-]{16,40}$/),
	fc.constantFrom('sk_live_$&$1.*+?^${}()|[]', 'a/b+c==0123456789', '"quoted\\key"12345'),
);

/** Mostly as it should be, so that the other fields are looked at too. */
const mostly = (right: fc.Arbitrary<unknown>, ...odd: unknown[]) =>
	fc.oneof(
		{ weight: 4, arbitrary: right },
		{ weight: 1, arbitrary: fc.oneof(fc.constantFrom(...odd), anything) },
	);

const credentials = fc.record({
	baseUrl: mostly(
		fc.oneof(
			fc.webUrl(),
			fc.webUrl({ withQueryParameters: true, withFragments: true }),
			fc
				.tuple(fc.constantFrom('', 'ada@', ':pw@'), fc.domain(), fc.constantFrom('', '/', '/x//'))
				.map(([user, host, path]) => ` https://${user}${host}${path} `),
		),
		...['https://a.example/?', 'https://a.example/x#', 'http:a.example', 'file:///etc/passwd'],
	),
	apiKeyHeader: mostly(
		fc.constant('X-Service-Api-Key'),
		...['X-Key: a\r\nX-Other', 'Ключ', ' X-Key ', 'X Key', ''],
	),
	apiKey: mostly(key, ...['two words here 123', 'ключ-0123456789', 'a\u0000b', 'a\r\nX-Other: b']),
});

const connections = [
	claim('a credential is taken or refused in words', credentials, (given) => {
		const outcome = checked(() => connectionFrom(given as never));
		if ('value' in outcome) return true;
		return isCleanLine(outcome.refusal.message, 200) && isCleanLine(outcome.refusal.fix, 300);
	}),
	claim(
		'a refused credential never shows its key',
		fc.tuple(credentials, key, fc.constantFrom('', ' ', '\n', 'é')).map(([given, secret, bad]) => ({
			...given,
			apiKey: secret + bad + secret,
		})),
		(given) => {
			const outcome = checked(() => connectionFrom(given as never));
			if ('value' in outcome) return true;
			return !`${outcome.refusal.message} ${outcome.refusal.fix}`.includes(
				given.apiKey.slice(0, 16),
			);
		},
	),
	claim(
		'a credential that is taken gives a plain address, a header name and a key',
		credentials,
		(given) => {
			const outcome = checked(() => connectionFrom(given as never));
			if ('refusal' in outcome) return true;
			const { baseUrl, headerName, apiKey } = outcome.value;
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
	claim(
		'the key goes to the host and port of the Base URL only',
		fc
			.tuple(
				fc.domain(),
				fc.oneof(fc.domain(), fc.constantFrom('', ':8443', '@evil.example')),
				nasty,
			)
			.map(([host, other, path]) => [
				`https://${host}`,
				`https://${other.includes('.') && !other.startsWith('@') ? other : host + other}/${path}`,
			]),
		([baseUrl, url]) => {
			const goes = isForService({ origin: new URL(baseUrl).origin }, url);
			return !goes || new URL(url).origin === new URL(baseUrl).origin;
		},
	),
];

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
			.tuple(
				nasty,
				nasty,
				fc.constantFrom('error', 'detail', 'message', 'code', 'body'),
				fc.boolean(),
			)
			.map(([before, after, name, listed]) => {
				const text = before + secret + after;
				if (name === 'body') return text;
				return { [name]: listed ? [{ msg: text }, text] : text };
			}),
		fc
			.nat(secret.length)
			.map((at) => ({ error: `${secret.slice(0, at)}\u001b[1m${secret.slice(at)}` })),
	);
const quoted = key.chain((secret) => fc.tuple(fc.constant(secret), quoting(secret)));

/** Neither the key nor a telling part of it. */
const hides = (secret: string, text: string) =>
	!text.includes(secret.slice(0, 12)) && !text.includes(secret.slice(-12));

const QUOTED = 'live-0123456789abcdef';

const words = [
	claim(
		'words are one short, clean line without the key',
		quoted,
		([secret, body]) => {
			const { text, code } = extractServiceError(textOf(body), redactor(secret));
			return [text, code].every(
				(line) => line === undefined || (isCleanLine(line, 301) && hides(secret, line)),
			);
		},
		[QUOTED, `<html><title>${'x'.repeat(280)}${QUOTED}</title></html>`],
		[QUOTED, { error: ' '.repeat(19_985) + QUOTED }],
		[QUOTED, { error: `${'x'.repeat(299)}🎉🎉` }],
	),
	claim('words hold nothing that a browser takes for a tag', quoted, ([secret, body]) => {
		const { text, code } = extractServiceError(textOf(body), redactor(secret));
		return !/<[a-z!/?]/i.test(`${text} ${code}`);
	}),
	claim('words of a page have no tags', fc.tuple(key, nasty), ([secret, inside]) => {
		const { text = '' } = extractServiceError(
			`<html><body><p class="a">${inside}</p></body></html>`,
			redactor(secret),
		);
		return !/<\/?(html|body|p)\b[^<]*>/.test(text);
	}),
];

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
	fc.integer({ min: 0, max: 999 }),
);
const answered = (secret: string): fc.Arbitrary<HttpResult> =>
	fc.record({
		kind: fc.constant('answered' as const),
		status,
		headers: fc.oneof(headers, fc.constant({ location: `https://${secret}/` })),
		text: quoting(secret).map(textOf),
	});
const failed: fc.Arbitrary<HttpResult> = fc.record({
	kind: fc.constant('failed' as const),
	code: fc.constantFrom(
		'ECONNREFUSED',
		'ECONNRESET',
		'ECONNABORTED',
		'unknown',
		'__proto__',
		'constructor',
	),
	notSent: fc.boolean(),
});
const judged = key.chain((secret) =>
	fc.tuple(
		fc.constant(secret),
		fc.oneof({ weight: 5, arbitrary: answered(secret) }, { weight: 1, arbitrary: failed }),
	),
);

const verdicts = [
	claim(
		'nothing is accepted without a record in a 2xx that does not say it failed',
		judged,
		([secret, answer]) => {
			const verdict = classifyResponse(answer, redactor(secret));
			if (verdict.delivery !== 'accepted') return true;
			return (
				answer.kind === 'answered' &&
				answer.status >= 200 &&
				answer.status < 300 &&
				isMessageRecord(verdict.record) &&
				isDeepStrictEqual(verdict.record, parseJson(answer.text)) &&
				(verdict.record.extra as { success?: unknown } | undefined)?.success !== false
			);
		},
	),
	claim(
		'what was not accepted says why and what to do, in clean lines without the key',
		judged,
		([secret, answer]) => {
			const verdict = classifyResponse(answer, redactor(secret));
			if (verdict.delivery === 'accepted') return true;
			const { title: error, description: message } = verdict.failure;
			return (
				isCleanLine(error, 900) && isCleanLine(message, 400) && hides(secret, `${error} ${message}`)
			);
		},
		[
			QUOTED,
			{ kind: 'answered', status: 302, headers: { location: `https://${QUOTED}/` }, text: '' },
		],
	),
	claim('a request that may have arrived is never called rejected', judged, ([secret, answer]) => {
		const { delivery } = classifyResponse(answer, redactor(secret));
		const open =
			(answer.kind === 'failed' && !answer.notSent) ||
			(answer.kind === 'answered' && answer.status >= 500 && answer.status !== 503) ||
			(answer.kind === 'answered' &&
				answer.status === 200 &&
				!isMessageRecord(parseJson(answer.text)) &&
				!isMarkedFailed(parseJson(answer.text)));
		return !open || delivery === 'uncertain';
	}),
	claim(
		'judging an answer leaves no trace in it, nor in the prototypes of everything',
		judged,
		([secret, answer]) => {
			classifyResponse(answer, redactor(secret));
			const fresh = {} as Record<string, unknown>;
			return (
				Object.keys(fresh).length === 0 && fresh.success === undefined && fresh.id === undefined
			);
		},
	),
];

export const serviceClaims = [...connections, ...words, ...verdicts];
