/** Troubleshooting has every text that the node can show. That it has no other is proven where each is shown. */
import { readMarkdown } from './markdown.cts';
import { runtimeTexts } from './texts.cts';

const page = readMarkdown('docs/troubleshooting.md');

/** Marks and code that no person reads. */
const INTERNAL =
	/^counted calls$|looked at …|taken over …|^incompatible setting$|^=\{\{| \? " \(dry run/;

/** The sentences of a text, without what is filled in: the node joins them in several ways. */
const sentencesOf = (text: string): string[] =>
	text
		.split(/…|(?<=[.!?])\s+(?=[A-Z'])/)
		.map((part) =>
			part
				.replaceAll(/\s+/g, ' ')
				.replace(/^[^\p{L}\p{N}{<$]+|[^\p{L}\p{N}}>$]+$/gu, '')
				.trim(),
		)
		.filter((part) => /\p{L}+ \p{L}+/u.test(part));

test('every text of the node is on the page', () => {
	const onPage = page.source.replaceAll(/[ \t]+/g, ' ');
	const missing = runtimeTexts()
		.filter(({ text }) => !INTERNAL.test(text) && !/^(?:\p{Lu}\p{L}+ ?)+$/u.test(text))
		.flatMap(({ place, text }) => sentencesOf(text).map((sentence) => ({ place, sentence })))
		.filter(({ sentence }) => !onPage.includes(sentence));
	expect(missing).toEqual([]);
});
