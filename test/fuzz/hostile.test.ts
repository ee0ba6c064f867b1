/** A megabyte of input that makes careless checks take minutes: patterns that try every way to match, loops in loops. */
import { attributesFromJson } from '../../nodes/OutboundMessaging/validation/attributes';
import { identifier } from '../../nodes/OutboundMessaging/validation/identifier';
import { quoteForError } from '../../nodes/OutboundMessaging/validation/invalidValue';
import { mediaUrl } from '../../nodes/OutboundMessaging/validation/media';
import { phoneNumber } from '../../nodes/OutboundMessaging/validation/phone';
import { messageText } from '../../nodes/OutboundMessaging/validation/text';
import { retryAfterMs } from '../../nodes/OutboundMessaging/service/retryAfter';
import { connectionFrom } from '../../nodes/OutboundMessaging/service/connection';
import { classifyResponse } from '../../nodes/OutboundMessaging/service/classifyResponse';
import { redactor } from '../../nodes/OutboundMessaging/service/redact';
import { extractServiceError } from '../../nodes/OutboundMessaging/service/serviceError';
import { checked } from './help';
import { interrupted } from './interrupted.cts';

const LENGTH = 1_000_000;
const QUOTED = 'live-0123456789abcdef';
const redact = redactor(QUOTED);

const repeat = (piece: string, length: number) => piece.repeat(length / piece.length);

/** What each pattern likes least. */
const HOSTILE: Record<string, (length: number) => string> = {
	spaces: (length) => `x${repeat(' ', length)}x`,
	'spaces and nothing else': (length) => repeat(' \u200b', length),
	digits: (length) => repeat('0', length),
	'plus signs': (length) => repeat('+', length),
	slashes: (length) => `https://a.example/${repeat('/', length)}x`,
	'a host of dots': (length) => `https://${repeat('a.', length)}`,
	'a host of labels': (length) => `https://${repeat('a.', length)}local`,
	'a host of combining marks': (length) => `https://a${repeat('\u0301\u0316', length)}.example`,
	'combining marks': (length) => repeat('\u0301\u0316', length),
	'escaped quotes': (length) => `["${repeat('\\"', length)}`,
	'keys of attributes': (length) =>
		`{${Array.from({ length: length / 10 }, (_, index) => `"${index + 1}":"x"`).join(',')}}`,
	'open brackets': (length) => repeat('[', length),
	'open tags': (length) => repeat('<', length),
	titles: (length) => repeat('<title', length),
	styles: (length) => repeat('<style', length),
	escapes: (length) => repeat('\u001b[', length),
	'escapes without an end': (length) => repeat('\u001b[0;', length),
	'the key, over and over': (length) => repeat(QUOTED.slice(0, 20), length),
	emoji: (length) => repeat('🎉', length),
	'points and digits': (length) => repeat('1.', length),
};

const attempt = (check: () => unknown) => () => void checked(check);

/** Everything that looks at what a user, a list or a service gives. */
const READERS: Record<string, (text: string) => () => void> = {
	phoneNumber: (text) => attempt(() => phoneNumber(text)),
	identifier: (text) => attempt(() => identifier(text)),
	messageText: (text) => attempt(() => messageText(text)),
	attributesFromJson: (text) => attempt(() => attributesFromJson(text)),
	mediaUrl: (text) => attempt(() => mediaUrl(text)),
	shown: (text) => attempt(() => quoteForError(text)),
	retryAfterMs: (text) => attempt(() => retryAfterMs(text, 0)),
	baseUrl: (text) =>
		attempt(() => connectionFrom({ baseUrl: text, apiKeyHeader: 'X', apiKey: QUOTED })),
	apiKeyHeader: (text) =>
		attempt(() =>
			connectionFrom({ baseUrl: 'https://a.example', apiKeyHeader: text, apiKey: QUOTED }),
		),
	apiKey: (text) =>
		attempt(() =>
			connectionFrom({ baseUrl: 'https://a.example', apiKeyHeader: 'X', apiKey: text }),
		),
	'extractServiceError of a page': (text) => attempt(() => extractServiceError(text, redact)),
	'extractServiceError of an error': (text) =>
		attempt(() => extractServiceError(JSON.stringify({ error: text, code: text }), redact)),
	'classifyResponse of a redirect': (text) =>
		attempt(() =>
			classifyResponse(
				{ kind: 'answered', status: 302, headers: { location: `https://${text}` }, text },
				redact,
			),
		),
};

/** A linear check of a megabyte takes milliseconds, a quadratic one many minutes: no machine takes one for the other. */
const DEADLINE_MS = 20_000;

describe.each(Object.keys(READERS))('%s is linear', (reader) => {
	test.each(Object.keys(HOSTILE))('%s', (name) => {
		expect(interrupted(READERS[reader](HOSTILE[name](LENGTH)), DEADLINE_MS)).toBe(false);
	});
});
