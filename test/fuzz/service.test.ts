/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests run on a developer's machine */
/** Whatever a service answers. What single answers mean is in test/unit/service. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';

import { isMarkedFailed, isMessageRecord } from '../../nodes/OutboundMessaging/service/record';
import { classifyResponse } from '../../nodes/OutboundMessaging/service/classifyResponse';
import { redactor } from '../../nodes/OutboundMessaging/service/redact';
import { parseJson } from '../../nodes/OutboundMessaging/service/serviceError';
import { words } from '../unit/help';
import { answer, claim, isCleanLine, nasty } from './help';

type Answered = ReturnType<typeof answer>;

/** Keys as services give them, and some with characters that mean something in patterns. */
const key = fc.oneof(
	fc.stringMatching(/^[A-Za-z0-9_-]{16,40}$/),
	fc.constantFrom('sk_live_$&$1.*+?^${}()|[]', 'a/b+c==0123456789', '"quoted\\key"12345'),
);

const NAMES = words(
	'id function_name status extra success code error detail __proto__ constructor',
);
/** Whatever a service can put into a JSON body: dangerous keys, and the API key in plain sight or between other things. */
const json = (secret: string) => {
	const cut = fc
		.nat(secret.length)
		.map((at) => `${secret.slice(0, at)}\u001b[1m${secret.slice(at)}`);
	const quoted = fc.tuple(nasty, nasty).map(([before, after]) => before + secret + after);
	const others = fc.constantFrom(null, true, false, 0, -0, 1e308, 2 ** 53, '');
	const names = fc.oneof(nasty, fc.constantFrom(...NAMES));
	return fc
		.anything({ key: names, values: [nasty, others, cut, quoted] })
		.map((value) => JSON.parse(JSON.stringify(value)) as unknown);
};

/** A message result record, or nearly one. */
const recordLike = (secret: string) =>
	fc.record(
		{
			id: fc.oneof(fc.uuid(), json(secret)),
			function_name: fc.constant('send_text_message'),
			status: fc.constantFrom('sent', 'ongoing', ''),
			extra: fc.oneof(json(secret), fc.record({ success: fc.oneof(fc.boolean(), json(secret)) })),
		},
		{ requiredKeys: ['id', 'function_name'] },
	);

/** JSON, or a page. */
const textOf = (body: unknown) =>
	typeof body === 'string' ? `<html><p class="a">${body}</p></html>` : JSON.stringify(body);

/** Neither the key nor a telling part of it. */
const hides = (secret: string, text: string) =>
	!text.includes(secret.slice(0, 12)) && !text.includes(secret.slice(-12));

const answered = (secret: string): fc.Arbitrary<Answered> =>
	fc.record({
		kind: fc.constant('answered' as const),
		status: fc.oneof(
			fc.constantFrom(200, 200, 201, 204, 301, 307, 400, 401, 403, 404, 413, 429, 500, 502, 503),
			fc.nat(999),
		),
		headers: fc.record(
			{ 'retry-after': nasty, location: fc.oneof(nasty, fc.constant(`https://${secret}/`)) },
			{ requiredKeys: [] },
		),
		text: fc.oneof(json(secret), recordLike(secret)).map(textOf),
	});

/** Whether nothing says what became of a message that may have arrived. */
function isOpen({ status, text }: Answered): boolean {
	if (status >= 500) return status !== 503;
	const body = parseJson(text);
	return status === 200 && !isMessageRecord(body) && !isMarkedFailed(body);
}

const isRecordOf2xx = ({ status, text }: Answered, record: Record<string, unknown>) =>
	Math.floor(status / 100) === 2 &&
	isMessageRecord(record) &&
	isDeepStrictEqual(record, parseJson(text)) &&
	(record.extra as { success?: unknown } | undefined)?.success !== false;

claim(
	'only the record of a 2xx is accepted, what may have arrived is uncertain, and what is said is clean and without the key',
	key.chain((secret) => fc.tuple(fc.constant(secret), answered(secret))),
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
);
