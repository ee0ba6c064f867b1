/** The pages list nothing that the node doesn't say. */
import { listed, patternOf } from './errorsPage.cts';
import { texts } from './texts.cts';

const THREE_WORDS = /\p{L}+ \p{L}+ \p{L}+/u;
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
