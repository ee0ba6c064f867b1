/** The pages list nothing that the node doesn't say. */
import ts from 'typescript';
import { filesBelow, source } from './markdown.cts';

/** The texts of a source file, with … in place of what's filled in. */
function textsOf(file: string): string[] {
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isStringLiteralLike(node)) found.push(node.text);
		if (ts.isTemplateExpression(node)) {
			const rest = node.templateSpans.map(({ literal }) => literal.text);
			found.push([node.head.text, ...rest].join('…'));
		}
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, source(file), ts.ScriptTarget.Latest));
	return found;
}

/** Tags, styles and the script of the page that asks. */
const MARKUP = /^…*<|^\n/;

const texts = [...filesBelow('nodes'), ...filesBelow('credentials')]
	.filter((file) => file.endsWith('.ts'))
	.flatMap(textsOf)
	.filter((text) => !MARKUP.test(text))
	// What's wrong and how to fix it are two lines of one template: see twoLines.ts.
	.flatMap((text) => text.split(/\n\t+/));

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
