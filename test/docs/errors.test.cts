/** The pages list nothing that the node doesn't say. */
import { source } from './markdown.cts';
import { texts } from './texts.cts';

const pages = ['errors', 'ai-agents', 'phone-numbers', 'wait-for-response']
	.map((page) => source(`docs/${page}.md`))
	.join('\n');

/** Texts are code, several in a line where they're parts of others, and fixes are lines of their own. */
const lines = pages.split(/\\?\n/).filter((line) => line !== '');
const isList = (line: string) => /^(?:`[^`]+`$|Parts of these texts: )/.test(line);
const listed = lines
	.filter(isList)
	.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, text]) => text));

/** In a text on a page, … is what a run fills in. */
const patternOf = (text: string) => {
	const parts = text
		.replaceAll(/\\([<*_&])/g, '$1')
		.replace(/:? ?…$/, '')
		.split('…');
	const escaped = parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
	return new RegExp(escaped.join('[^]*?'));
};

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
