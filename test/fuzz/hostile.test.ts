/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- settings of a test, and a table to read */
/**
 * Inputs of a megabyte that make careless checks take minutes: patterns that try every way to match, loops in loops.
 * Each is through within seconds; with FUZZ_RUNS the times are shown, and those of a tenth of the length beside them.
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
import { extractServiceError } from '../../nodes/OutboundMessaging/service/serviceError';
import { checked } from './help';

const LENGTH = 1_000_000;
const SECONDS = 3;
const QUOTED = 'live-0123456789abcdef';

const repeat = (piece: string, length: number) => piece.repeat(length / piece.length);

/** One megabyte of what each pattern likes least. */
const HOSTILE: Record<string, (length: number) => string> = {
	blanks: (length) => `x${repeat(' ', length)}x`,
	'blanks and nothing else': (length) => repeat(' \u200b', length),
	digits: (length) => repeat('0', length),
	'plus signs': (length) => repeat('+', length),
	slashes: (length) => `https://a.example/${repeat('/', length)}x`,
	'a host of dots': (length) => `https://${repeat('a.', length)}`,
	'a host of labels': (length) => `https://${repeat('a.', length)}local`,
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
	'wordsOf a page': (text) => attempt(() => extractServiceError(text, QUOTED)),
	'wordsOf an error': (text) =>
		attempt(() => extractServiceError({ error: text, code: text }, QUOTED)),
	'judge a redirect': (text) =>
		attempt(() =>
			classifyResponse(
				{ kind: 'answered', status: 302, headers: { location: `https://${text}` }, body: text },
				QUOTED,
			),
		),
};

/** The quickest of three: the first one pays for the compiler. */
function milliseconds(work: () => void): number {
	const once = () => {
		const start = performance.now();
		work();
		return performance.now() - start;
	};
	return Math.min(once(), once(), once());
}

const times: Record<string, { input: string; '100 kB': number; '1 MB': number; ratio: number }> =
	{};

describe.each(Object.keys(READERS))('%s', (reader) => {
	test.each(Object.keys(HOSTILE))('%s', (name) => {
		const took = (length: number) => milliseconds(READERS[reader](HOSTILE[name](length)));
		const [tenth, whole] = [took(LENGTH / 10), took(LENGTH)];
		if (whole > (times[reader]?.['1 MB'] ?? 0)) {
			times[reader] = { input: name, '100 kB': tenth, '1 MB': whole, ratio: whole / tenth };
		}
		expect(whole).toBeLessThan(SECONDS * 1000);
	});
});

afterAll(() => {
	if (process.env.FUZZ_RUNS === undefined) return;
	const rounded = Object.entries(times).map(([reader, { input, ...numbers }]) => ({
		reader,
		'slowest input': input,
		...Object.fromEntries(
			Object.entries(numbers).map(([name, value]) => [name, Number(value.toFixed(1))]),
		),
	}));
	console.table(rounded);
});
