/** The texts in the sources of the node and the credential, with … in place of what's filled in. */
import ts from 'typescript';
import { filesBelow, source } from './markdown.cts';

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

export const texts = [...filesBelow('nodes'), ...filesBelow('credentials')]
	.filter((file) => file.endsWith('.ts'))
	.flatMap(textsOf)
	.filter((text) => !MARKUP.test(text))
	// What's wrong and how to fix it are two lines of one template: see twoLines.ts.
	.flatMap((text) => text.split(/\n\t+/));
