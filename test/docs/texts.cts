/** The texts that the node and the credential can show, read from their sources. */
import ts from 'typescript';
import { filesBelow, source } from './markdown.cts';

export interface SourceText {
	/** `file:line` from the project's root. */
	place: string;
	/** With … for what is filled in. */
	text: string;
}

/** Every text in a file of TypeScript: literals, and templates with … in place of their expressions. */
export function textsOf(
	file: string,
	isSkipped: (node: ts.Node) => boolean = () => false,
): SourceText[] {
	const parsed = ts.createSourceFile(file, source(file), ts.ScriptTarget.Latest, true);
	const found: SourceText[] = [];
	const visit = (node: ts.Node): void => {
		if (isSkipped(node)) return;
		// What's wrong and how to fix it are two lines of one template: see validation/invalidValue.ts.
		const between = ts.isTaggedTemplateExpression(node.parent ?? node) ? /\n\t+/ : /$/;
		for (const text of textOf(node)?.split(between) ?? []) {
			const { line } = parsed.getLineAndCharacterOfPosition(node.getStart());
			found.push({ place: `${file}:${line + 1}`, text });
		}
		ts.forEachChild(node, visit);
	};
	visit(parsed);
	return found;
}

function textOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (!ts.isTemplateExpression(node)) return undefined;
	return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
}

/** The sources of the node and the credential, from the project's root. */
export const sources = () =>
	[...filesBelow('nodes'), ...filesBelow('credentials')].filter((file) => file.endsWith('.ts'));

/** What people see of the node while it runs: errors, fixes, hints, log lines; no labels and descriptions of fields. */
export function runtimeTexts(): SourceText[] {
	const isMarkup = ({ text }: SourceText) => /^…*</.test(text);
	return sources()
		.flatMap((file) => textsOf(file, isNoRuntimeText))
		.filter((text) => !isMarkup(text));
}

/** Literal types, imports, patterns, and what the editor shows of a field. */
function isNoRuntimeText(node: ts.Node): boolean {
	if (ts.isLiteralTypeNode(node) || ts.isImportDeclaration(node)) return true;
	if (ts.isTaggedTemplateExpression(node)) return node.tag.getText() === 'String.raw';
	// Fields that operations/field.ts makes.
	if (
		ts.isCallExpression(node) &&
		['collection', 'field', 'group', 'list', 'number', 'requiredText'].includes(
			node.expression.getText(),
		)
	)
		return true;
	if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') return true;
	if (ts.isPropertyAssignment(node) && ts.isObjectLiteralExpression(node.parent)) {
		return isOfField(node.parent) && textOf(node.initializer) !== undefined;
	}
	return false;
}

/** A field of the editor, or a choice of one. */
function isOfField(object: ts.ObjectLiteralExpression): boolean {
	const names = object.properties.map((property) => property.name?.getText());
	return (
		['displayName', 'placeholder', 'label', 'subtitle'].some((name) => names.includes(name)) ||
		(names.includes('name') && names.includes('value')) ||
		(names.includes('description') && !names.includes('title'))
	);
}
