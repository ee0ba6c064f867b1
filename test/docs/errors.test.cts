/** The pages that list what the node says: `npm run docs` writes them. */
import { isWriting, sectionOf, source } from './markdown.cts';
import { sections } from './kinds.cts';
import { runtimeTexts } from './texts.cts';
import { WHYS } from './whys.cts';

const pages = [...new Set(sections.map(({ page }) => page))];

test.each(sections)('$page, $heading', ({ page, heading, list }) => {
	const { section, write } = sectionOf(page, heading);
	// What is above the first entry was written by hand.
	const [introduction] = section.split(/\n\n(?=`|Parts of these texts)/);
	const expected = `${introduction}\n\n${list}`;
	if (isWriting) write(expected);
	else expect(section).toBe(expected);
});

/** Marks that no person reads. */
const INTERNAL = /^(?:counted calls|looked at|taken over|incompatible setting)$/;

test('every text of the node is listed, at least with its first words', () => {
	const listed = pages.map((page) => source(page).replaceAll('\\', '')).join('\n');
	const missing = runtimeTexts().filter(({ text }) => {
		const parts = text.split(/[.!?]+ |, e\.g\. |\.$/)[0].split('…');
		const [first] = parts
			.map((part) => part.trim())
			.filter((part) => /(?:\p{L} .*){3}/u.test(part));
		return first !== undefined && !INTERNAL.test(text) && !listed.includes(first);
	});
	expect(missing).toEqual([]);
});

test('no text tells people to run one item again: n8n has no such button', () => {
	const impossible = /(?:run|with) (?:this item|it) again|again with this item|run this item/i;
	expect(runtimeTexts().filter(({ text }) => impossible.test(text))).toEqual([
		expect.objectContaining({
			text: expect.stringContaining('Save the workflow, then run it again'),
		}),
	]);
});

test.each(WHYS)('%s: is the reason of one text', (part) => {
	const lists = sections.map(({ list }) => list).join('\n');
	expect(
		lists.split(/\\?\n/).filter((line) => line.startsWith('`') && line.includes(part)),
	).toHaveLength(1);
});

test('docs/errors.md has at most 3,500 words', () => {
	expect(source('docs/errors.md').split(/\s+/).length).toBeLessThanOrEqual(3500);
});
