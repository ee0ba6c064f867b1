/** docs/errors.md has every text that the node can show, and Troubleshooting explains none that isn't there. */
import { readMarkdown } from './markdown.cts';
import { runtimeTexts } from './texts.cts';

const errors = readMarkdown('docs/errors.md').text.replaceAll(/[ \t]+/g, ' ');

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

test('every text of the node is listed: after a change, run npm run docs', () => {
	const missing = runtimeTexts()
		.filter(({ text }) => !INTERNAL.test(text))
		.flatMap(({ place, text }) =>
			fragments(text)
				.filter((part) => /\p{L}+ \p{L}+/u.test(part) && !errors.includes(part))
				.map((part) => `${place}: ${part}`),
		);
	expect(missing).toEqual([]);
});

test('every text that is explained is listed', () => {
	const { tables } = readMarkdown('docs/troubleshooting.md');
	const explained = tables
		.filter(({ header }) => header[0] === 'You read')
		.flatMap(({ rows }) => rows.flatMap(([cell]) => fragments(cell)));
	expect(explained.length).toBeGreaterThan(20);
	expect(explained.filter((part) => !errors.includes(part))).toEqual([]);
});
