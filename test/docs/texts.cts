/** The texts that the node and the credential can show, read from their sources. */
import ts from 'typescript';
import { OutboundMessagingApi } from '../../credentials/OutboundMessagingApi.credentials.ts';
import { OutboundMessaging } from '../../nodes/OutboundMessaging/OutboundMessaging.node.ts';
import { filesBelow, source } from './markdown.cts';

export interface SourceText {
	/** `file:line` from the project's root. */
	place: string;
	/** With … for what is filled in. */
	text: string;
}

export const parse = (file: string) =>
	ts.createSourceFile(file, source(file), ts.ScriptTarget.Latest, true);

/** Every text in a file of TypeScript: literals, and templates with … in place of their expressions. */
export function textsOf(file: string): SourceText[] {
	const parsed = parse(file);
	const found: SourceText[] = [];
	const visit = (node: ts.Node): void => {
		// What's wrong and how to fix it are two lines of one template: see twoLines.ts.
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

/** What the editor shows of the node and the credential, without its hints. */
const { hints: _, ...description } = new OutboundMessaging().description;
const inEditor = JSON.stringify([description, new OutboundMessagingApi()]);

/** Tags, styles and the script of the page that asks. */
const MARKUP = /^…*<|^\n/;

/** What people see of the node while it runs: errors, fixes, hints, log lines; no labels and descriptions of fields. */
export function runtimeTexts(): SourceText[] {
	const isShown = (part: string) => inEditor.includes(JSON.stringify(part).slice(1, -1));
	return sources()
		.flatMap((file) => textsOf(file))
		.filter(({ text }) => !MARKUP.test(text) && !text.split('…').every(isShown));
}

export const isInEditor = (node: ts.Node): boolean => {
	const text = textOf(node);
	if (text === undefined || MARKUP.test(text)) return true;
	// Its parts, not far from each other: the editor has each of them somewhere.
	const parts = text.split('…').map((part) => JSON.stringify(part).slice(1, -1));
	const escaped = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
	return new RegExp(escaped.join('[^]{0,99}?')).test(inEditor);
};
