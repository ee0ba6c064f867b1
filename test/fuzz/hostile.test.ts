/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests run on a
	developer's machine */
/**
 * A megabyte of input that makes careless checks take minutes: patterns that try every way to
 * match, loops in loops.
 */
import { Script } from 'node:vm';

import { attributesFromJson } from '../../nodes/OutboundMessaging/validation/attributes';
import { HINTS } from '../../nodes/OutboundMessaging/validation/brokenText';
import { identifier, messageText } from '../../nodes/OutboundMessaging/validation/text';
import { InvalidValue, quoteForError } from '../../nodes/OutboundMessaging/validation/invalidValue';
import { mediaUrl } from '../../nodes/OutboundMessaging/validation/media';
import { phoneNumber } from '../../nodes/OutboundMessaging/recipients/phone';
import * as template from '../../nodes/OutboundMessaging/validation/templateText';
import * as responses from '../../nodes/OutboundMessaging/service/classifyResponse';
import { connectionFrom } from '../../nodes/OutboundMessaging/service/connection';
import { redactor } from '../../nodes/OutboundMessaging/service/redact';
import { extractServiceError } from '../../nodes/OutboundMessaging/service/serviceError';

/** A key that a service may quote. */
const QUOTED = 'live-0123456789abcdef';
const MEGABYTE = 1_000_000;
const redact = redactor(QUOTED);

const ATTRIBUTES = Array.from({ length: MEGABYTE / 10 }, (_, index) => `"${index + 1}":"x"`);
const repeat = (piece: string) => piece.repeat(MEGABYTE / piece.length);

/** What each pattern likes least. */
const HOSTILE: Record<string, string> = {
	spaces: `x${repeat(' ')}x`,
	'spaces and nothing else': repeat(' \u200b'),
	digits: repeat('0'),
	'plus signs': repeat('+'),
	slashes: `https://a.example/${repeat('/')}x`,
	'a host of dots': `https://${repeat('a.')}`,
	'a host of labels': `https://${repeat('a.')}local`,
	'a host of combining marks': `https://a${repeat('\u0301\u0316')}.example`,
	'combining marks': repeat('\u0301\u0316'),
	'escaped quotes': `["${repeat('\\"')}`,
	'keys of attributes': `{${ATTRIBUTES.join(',')}}`,
	'open brackets': repeat('['),
	'open tags': repeat('<'),
	titles: repeat('<title'),
	styles: repeat('<style'),
	escapes: repeat('\u001b['),
	'escapes without an end': repeat('\u001b[0;'),
	'the key, over and over': repeat(QUOTED.slice(0, 20)),
	emoji: repeat('🎉'),
	'points and digits': repeat('1.'),
	backslashes: repeat('\\'),
	'percent signs': repeat('%25'),
	placeholders: `=${repeat('a {{ b')}`,
	objects: repeat('[object '),
	dates: repeat('Invalid Date x'),
	"a spreadsheet's errors": repeat('#N/'),
	'hash signs': repeat('#¡'),
	'closing tags': repeat('</s> '),
	'closing tags with a long end': `${repeat('</s>')}${repeat(' ')}`,
	'placeholders of other programs': repeat('<% ${a *|A %%A {% '),
	'code in backticks': `\`${repeat('${')}${repeat('${a}`')}`,
	'placeholders that may be words': repeat('[your a {a_ %abc '),
	'one placeholder that has no end': `{${repeat('a_')}`,
	"a spreadsheet's number": `0.${repeat('3')}x`,
	'a notice and spaces': `Agent stopped due to max iterations${repeat(' ')}x`,
	'calculations that went wrong': repeat('NaN1'),
};

const answer = (status: number, text: string, headers = {}) => ({ status, headers, text });
const CONNECTION = { baseUrl: 'https://a.example', apiKeyHeader: 'X', apiKey: QUOTED };
const connect = (given: object) => connectionFrom({ ...CONNECTION, ...given });

const recordWith = (message: string) =>
	answer(200, JSON.stringify({ id: 'm', function_name: 'f', status: 'sent', message }));

/** Everything that looks at what a user, a list or a service gives. */
const READERS: Record<string, (text: string) => unknown> = {
	phoneNumber,
	identifier,
	messageText,
	hints: (text) => HINTS.map(({ pattern }) => pattern.exec(text)),
	attributesFromJson,
	mediaUrl: (text) => mediaUrl(text, 'image', true),
	templateText: (text) =>
		template.filledTemplate(template.templateText(text) ?? text, { '1': text }),
	quoteForError,
	retryAfterMs: (text) => responses.retryAfterMs(text, 0),
	baseUrl: (baseUrl) => connect({ baseUrl }),
	apiKeyHeader: (apiKeyHeader) => connect({ apiKeyHeader }),
	apiKey: (apiKey) => connect({ apiKey }),
	'extractServiceError of a page': (text) => extractServiceError(text, redact),
	'extractServiceError of an error': (text) =>
		extractServiceError(JSON.stringify({ error: text, code: text }), redact),
	'a record and a long key': (text) =>
		responses.classifyResponse(recordWith(text), redactor('\\'.repeat(4096))),
	'classifyResponse of a redirect': (text) =>
		responses.classifyResponse(answer(302, text, { location: `https://${text}` }), redact),
};

/**
 * A linear check of a megabyte takes milliseconds, a quadratic one many minutes: no machine takes
 * one for the other.
 */
const DEADLINE_MS = 20_000;

describe.each(Object.keys(READERS))('%s is linear', (reader) => {
	test.each(Object.keys(HOSTILE))('%s', (name) => {
		let ended = 'interrupted';
		const check = () => {
			try {
				READERS[reader](HOSTILE[name]);
				ended = 'read';
			} catch (error) {
				ended = error instanceof InvalidValue ? 'rejected' : String(error);
			}
		};
		// Interrupts it at the deadline.
		new Script('check()').runInNewContext({ check }, { timeout: DEADLINE_MS });
		expect(['read', 'rejected']).toContain(ended);
	});
});
