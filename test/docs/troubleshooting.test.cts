/** The page about errors quotes the node. */
import ts from 'typescript';
import { filesBelow, sectionOf, source } from './markdown.cts';

/** What a text says, also if it's written in parts, with … in place of what's filled in. */
function textOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (ts.isTemplateExpression(node)) {
		const rest = node.templateSpans.map(({ literal }) => literal.text);
		return [node.head.text, ...rest].join('…');
	}
	if (!ts.isBinaryExpression(node)) return undefined;
	const [first, second] = [textOf(node.left), textOf(node.right)];
	return first === undefined || second === undefined ? undefined : first + second;
}

/** The texts of a source file. */
function textsOf(file: string): string[] {
	const found: string[] = [];
	const visit = (node: ts.Node, isPart = false): void => {
		const text = textOf(node);
		if (text !== undefined && !isPart) found.push(text);
		const hasParts = text !== undefined && ts.isBinaryExpression(node);
		ts.forEachChild(node, (child) => visit(child, hasParts));
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
	// What's wrong and how to fix it are two lines of one template: see common/failure.ts.
	.flatMap((text) => text.split(/\n\t+/))
	.map((text) => text.replaceAll('\t', ''));

const { section } = sectionOf('docs/troubleshooting.md', "What an error doesn't say");
const quoted = [...section.matchAll(/^- `([^`]+)`: /gm)].map(([, error]) => error);

test('the page explains some errors', () => expect(quoted.length).toBeGreaterThan(5));

test.each(quoted)('the node says: %s', (error) => {
	const parts = error.split('…').map((part) => part.trim());
	const says = (text: string) => parts.every((part) => text.includes(part));
	expect(texts.filter(says).length).toBeGreaterThan(0);
});

test('no text tells people to run one item again: n8n has no such button', () => {
	const impossible = /(?:run|with) (?:this item|it) again|again with this item|run this item/i;
	expect(texts.filter((text) => impossible.test(text))).toEqual([
		expect.stringContaining('Save the workflow, then run it again'),
	]);
});
