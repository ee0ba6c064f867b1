/* eslint-disable @n8n/community-nodes/no-restricted-globals -- a test may look at its own process */
/**
 * Inputs of up to a megabyte that make careless checks take minutes: patterns that try every way to match, loops in
 * loops. What four times the input costs is compared with what one time costs: about 4 times as much for a linear
 * check, 16 times for a quadratic one. No limit in seconds: a slow machine is slow on both sides.
 */
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

const LENGTHS = [15_625, 62_500, 250_000, 1_000_000];
/** Between linear (4) and quadratic (16). */
const MOST_GROWTH = 8;
/** Garbage is collected whenever it likes: a check that is linear shows it in one of these rounds. */
const ROUNDS = 10;
const QUOTED = 'live-0123456789abcdef';
const redact = redactor(QUOTED);

const repeat = (piece: string, length: number) => piece.repeat(length / piece.length);

/** What each pattern likes least. */
const HOSTILE: Record<string, (length: number) => string> = {
	blanks: (length) => `x${repeat(' ', length)}x`,
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
	'wordsOf a page': (text) => attempt(() => extractServiceError(text, redact)),
	'wordsOf an error': (text) =>
		attempt(() => extractServiceError(JSON.stringify({ error: text, code: text }), redact)),
	'judge a redirect': (text) =>
		attempt(() =>
			classifyResponse(
				{ kind: 'answered', status: 302, headers: { location: `https://${text}` }, text },
				redact,
			),
		),
};

/** Time of the processor in microseconds: unlike the clock's, it doesn't count while other processes have their turn. */
function cost(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return Math.max(1, user + system);
}

/** One plain look at every character: what no check can be blamed for, and what a clock can't tell from nothing. */
function lookAtAll(text: string): number {
	let sum = 0;
	for (let index = 0; index < text.length; index++) sum += text.charCodeAt(index);
	return sum;
}

/** How much more a check costs for the longer text, at its best. */
function growth(check: (text: string) => () => void, short: string, long: string): number {
	const [onShort, onLong] = [check(short), check(long)];
	const least = { look: Infinity, short: Infinity, long: Infinity };
	let ratio = Infinity;
	for (let round = 0; round < ROUNDS && ratio > MOST_GROWTH; round++) {
		least.look = Math.min(
			least.look,
			cost(() => lookAtAll(short)),
		);
		least.short = Math.min(least.short, cost(onShort));
		least.long = Math.min(least.long, cost(onLong));
		ratio = least.long / (least.short + least.look);
	}
	return ratio;
}

describe.each(Object.keys(READERS))('%s is linear', (reader) => {
	test.each(Object.keys(HOSTILE))('%s', (name) => {
		for (const [index, length] of LENGTHS.slice(1).entries()) {
			const [short, long] = [HOSTILE[name](LENGTHS[index]), HOSTILE[name](length)];
			expect(growth(READERS[reader], short, long)).toBeLessThanOrEqual(MOST_GROWTH);
		}
	});
});

test('a check that is quadratic is found', () => {
	const quadratic = (text: string) => () => void /\s+$/.test(text);
	const blanks = (length: number) => `${' '.repeat(length)}x`;
	expect(growth(quadratic, blanks(4_000), blanks(16_000))).toBeGreaterThan(MOST_GROWTH);
});
