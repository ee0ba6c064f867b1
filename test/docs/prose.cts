/** The words that people read in this project: documentation, texts, comments, names of tests. */
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from '../../scripts/lib/paths.cts';
import { filesBelow } from './markdown.cts';

interface Passage {
	file: string;
	line: number;
	text: string;
}

/** Written by a tool, about the past, or about the words themselves. */
const EXCEPTED =
	/^CHANGELOG\.md$|^LICENSE$|^THIRD_PARTY|package-lock\.json$|wireFormat\.ts$|^test\/docs\/prose|^test\/fuzz\/service/;

/** All passages of the project. */
export const passages = (): Passage[] =>
	filesBelow()
		.filter((file) => !EXCEPTED.test(file))
		.flatMap(passagesOf);

/** What people read of a file. */
function passagesOf(file: string): Passage[] {
	const read = () => fs.readFileSync(path.join(root, file), 'utf8');
	if (/\.[cm]?[jt]s$/.test(file)) return ofCode(file, read());
	if (/\.(md|ya?ml|html)$/.test(file)) return ofLines(file, withoutCode(read()));
	if (/^examples\/.*\.json$/.test(file)) return ofLines(file, read());
	return [];
}

/** Code in Markdown says what it has to say to a machine. */
const withoutCode = (text: string) =>
	text
		.replace(/^([ \t]*)(```+)[^]*?^\1\2/gm, (block) => block.replaceAll(/[^\n]+/g, ''))
		.replaceAll(/`[^`\n]+`|\]\([^)\n]*\)|https?:\/\/\S+/g, '');

const ofLines = (file: string, text: string): Passage[] =>
	text.split('\n').map((line, index) => ({ file, line: index + 1, text: line }));

/** Comments and literals; a name isn't prose. */
function ofCode(file: string, text: string): Passage[] {
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const found = new Map<number, string>();
	const visit = (node: ts.Node): void => {
		for (const { pos, end } of ts.getLeadingCommentRanges(text, node.pos) ?? []) {
			found.set(pos, text.slice(pos, end));
		}
		for (const { pos, end } of ts.getTrailingCommentRanges(text, node.end) ?? []) {
			found.set(pos, text.slice(pos, end));
		}
		if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) {
			if (/\p{L} \p{L}/u.test(node.text)) found.set(node.getStart(), node.text);
		}
		for (const child of node.getChildren()) visit(child);
	};
	visit(source);
	return [...found].map(([pos, words]) => ({
		file,
		line: source.getLineAndCharacterOfPosition(pos).line + 1,
		text: words.replaceAll(/\s*\n[\s*/]*/g, ' '),
	}));
}
