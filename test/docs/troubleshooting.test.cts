/** docs/errors.md has every text that the node can show, and Troubleshooting explains none that it can't. */
import { readMarkdown } from './markdown.cts';
import { runtimeTexts, sources, textsOf } from './texts.cts';

const errors = readMarkdown('docs/errors.md');
const page = readMarkdown('docs/troubleshooting.md');

/** Marks that no person reads. */
const INTERNAL = /^(?:counted calls|looked at|taken over|incompatible setting)$/;

/** A text as its sentences, without what is filled in: the node joins them in several ways. */
const fragments = (text: string): string[] =>
	text
		.split(/…|(?<=[.!?])\s+(?=[A-Z'])/)
		.map((part) =>
			part
				.replaceAll(/\s+/g, ' ')
				.replace(/^[^\p{L}\p{N}{<$]+|[^\p{L}\p{N}}>$]+$/gu, '')
				.trim(),
		)
		.filter((part) => part !== '');

const isSentence = (fragment: string) => /\p{L}+ \p{L}+/u.test(fragment);

const tokensOf = (text: string): string[] => text.match(/[\p{L}\p{N}$]+/gu) ?? [];

const allTexts = sources().flatMap((file) => textsOf(file));
const labels = new Set(
	allTexts.map(({ text }) => text).filter((text) => /^(?:\p{Lu}[\p{L}]+ ?)+$/u.test(text)),
);

test('every text of the node is listed: after a change, run npm run docs', () => {
	const onPage = errors.text.replaceAll(/[ \t]+/g, ' ');
	const missing = runtimeTexts()
		.filter(({ text }) => !labels.has(text) && !INTERNAL.test(text))
		.flatMap(({ place, text }) =>
			fragments(text)
				.filter((part) => isSentence(part) && !onPage.includes(part))
				.map((part) => `${place}: ${part}`),
		);
	expect(missing).toEqual([]);
});

test('every text that is explained is one of the node', () => {
	const known = allTexts.flatMap(({ text }) => fragments(text));
	const longestFirst = known.filter(isSentence).sort((one, other) => other.length - one.length);
	const words = new Set(
		[...known, ...labels].filter((part) => !isSentence(part)).flatMap(tokensOf),
	);
	const unknown = page.tables
		.flatMap(({ header, rows }) => (header[0] === 'You read' ? rows.map(([cell]) => cell) : []))
		.map((cell) => {
			const rest = longestFirst.reduce((left, part) => left.replaceAll(part, '…'), cell);
			const strange = tokensOf(rest).filter((word) => !words.has(word));
			return strange.length === 0 ? '' : `${cell} → ${strange.join(' ')}`;
		})
		.filter((cell) => cell !== '');
	expect(unknown).toEqual([]);
});
