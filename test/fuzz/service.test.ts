/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests run on a developer's machine */
/** Whatever a service answers. What single answers mean is in test/unit/service. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';

import { isMarkedFailed, isMessageRecord } from '../../nodes/OutboundMessaging/service/record';
import type { HttpResult } from '../../nodes/OutboundMessaging/service/exchange';
import { classifyResponse } from '../../nodes/OutboundMessaging/service/classifyResponse';
import { redactor } from '../../nodes/OutboundMessaging/service/redact';
import { parseJson } from '../../nodes/OutboundMessaging/service/serviceError';
import { answer, anything, claim, isCleanLine, json, nasty, QUOTED, recordLike } from './help';

/** Keys as services give them, and some with characters that mean something in patterns. */
const key = fc.oneof(
	fc.stringMatching(/^[A-Za-z0-9_-]{16,40}$/),
	fc.constantFrom('sk_live_$&$1.*+?^${}()|[]', 'a/b+c==0123456789', '"quoted\\key"12345'),
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

const headers = fc.record(
	{ 'retry-after': nasty, location: fc.oneof(nasty, fc.webUrl()) },
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
const failed: fc.Arbitrary<HttpResult> = fc.record({
	kind: fc.constant('failed' as const),
	code: fc.constantFrom('ECONNREFUSED', 'ECONNRESET', 'unknown', '__proto__', 'constructor'),
	notSent: fc.boolean(),
});

/** Whether a request may have arrived, and nothing says what became of it. */
function isOpen(answer: HttpResult): boolean {
	if (answer.kind === 'failed') return !answer.notSent;
	if (answer.kind !== 'answered') return false;
	if (answer.status >= 500) return answer.status !== 503;
	const body = parseJson(answer.text);
	return answer.status === 200 && !isMessageRecord(body) && !isMarkedFailed(body);
}

const isRecordOf2xx = (answer: HttpResult, record: Record<string, unknown>) =>
	answer.kind === 'answered' &&
	Math.floor(answer.status / 100) === 2 &&
	isMessageRecord(record) &&
	isDeepStrictEqual(record, parseJson(answer.text)) &&
	(record.extra as { success?: unknown } | undefined)?.success !== false;

const quotes = (answered: HttpResult): [string, HttpResult] => [QUOTED, answered];
const saying = (body: unknown) => quotes(answer(400, textOf(body)));

claim(
	'only the record of a 2xx is accepted, what may have arrived is uncertain, and what is said is clean and without the key',
	key.chain((secret) =>
		fc.tuple(
			fc.constant(secret),
			fc.oneof({ weight: 5, arbitrary: answered(secret) }, { weight: 1, arbitrary: failed }),
		),
	),
	([secret, answer]) => {
		const verdict = classifyResponse(answer, redactor(secret));
		const fresh = {} as Record<string, unknown>;
		expect([Object.keys(fresh), fresh.success, fresh.id]).toEqual([[], undefined, undefined]);
		if (verdict.delivery === 'accepted') return isRecordOf2xx(answer, verdict.record);
		if (isOpen(answer) && verdict.delivery !== 'uncertain') return false;
		const { title, description, code = '-' } = verdict.failure;
		const shown = `${title} ${description} ${code}`;
		const isClean = isCleanLine(shown, 1300) && !/<[a-z!/?]/i.test(shown);
		return isClean && hides(secret, shown);
	},
	saying(`<html><title>${'x'.repeat(280)}${QUOTED}</title></html>`),
	saying({ error: ' '.repeat(19_985) + QUOTED }),
	saying({ error: `${'x'.repeat(299)}🎉🎉` }),
	quotes(answer(302, '', { location: `https://${QUOTED}/` })),
);
