/** The pages that list what the node says have all of it, and nothing that it doesn't say. */
import { listed, pages, patternOf } from './errorsPage.cts';
import { source } from './markdown.cts';
import { isInEditor, texts } from './texts.cts';

const THREE_WORDS = /\p{L}+ \p{L}+ \p{L}+/u;
/** Marks that no person reads. */
const INTERNAL = /^(?:counted calls|looked at|taken over|incompatible setting)$/;

test('every text of the node is listed, at least with its first words', () => {
	const known = pages.replaceAll('\\', '');
	const missing = texts
		.filter((text) => !INTERNAL.test(text) && !text.split('…').every(isInEditor))
		.map((text) => text.split(/[.!?]+ |, e\.g\. |\.$/)[0].split('…'))
		.flatMap((parts) => parts.find((part) => /(?:\p{L} .*){3}/u.test(part))?.trim() ?? [])
		.filter((words) => !known.includes(words));
	expect(missing).toEqual([]);
});

test('what is listed is a text of the node', () => {
	const said = texts.filter((text) => THREE_WORDS.test(text)).map(patternOf);
	const all = texts.join('\n');
	const isSaid = (text: string) =>
		said.some((pattern) => pattern.test(text)) ||
		text.split('…').every((part) => all.includes(part.trim()));
	expect(listed.filter((text) => !isSaid(text))).toEqual([]);
});

test('no text tells people to run one item again: n8n has no such button', () => {
	const impossible = /(?:run|with) (?:this item|it) again|again with this item|run this item/i;
	expect(texts.filter((text) => impossible.test(text))).toEqual([
		expect.stringContaining('Save the workflow, then run it again'),
	]);
});

test('docs/errors.md has at most 3,500 words', () => {
	expect(source('docs/errors.md').split(/\s+/).length).toBeLessThanOrEqual(3500);
});
