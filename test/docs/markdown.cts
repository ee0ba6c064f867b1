/** Reads the Markdown files of this project: as much of the language as they use. */
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/lib/paths.cts';

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.tmp']);

/** All files below a folder that belong to the project, with their paths from its root. */
export function filesBelow(folder = ''): string[] {
	return fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
		if (SKIPPED.has(entry.name)) return [];
		const name = path.posix.join(folder, entry.name);
		return entry.isDirectory() ? filesBelow(name) : [name];
	});
}

/** @param file path from the project's root */
export function readMarkdown(file: string) {
	const source = fs.readFileSync(path.join(root, file), 'utf8');
	const blocks: Array<{ language: string; text: string }> = [];
	const withoutBlocks = source.replace(
		/^([ \t]*)```(\w*)[^\n]*\n([^]*?)^\1```[ \t]*$/gm,
		(_all, _indent, language: string, text: string) => {
			blocks.push({ language, text });
			return '';
		},
	);
	const codeSpans = [...withoutBlocks.matchAll(/(`+)([^`\n]+)\1/g)].map(([, , text]) =>
		text.trim(),
	);
	const prose = withoutBlocks.replace(/(`+)[^`\n]+\1/g, (span) => span.replaceAll(/[[\]()]/g, ' '));
	const headings = withoutBlocks.matchAll(/^#{1,6}\s+(.*?)\s*#*$/gm);
	const anchors = [...headings].map(([, title]) => slugOf(title));
	const tables = [...withoutBlocks.matchAll(/^(?:\|.*\n?)+/gm)].map(([table]) => {
		const [header, , ...rows] = table.trim().split('\n').map(cellsOf);
		return { header, rows };
	});
	return { file, source, blocks, codeSpans, links: links(prose), anchors, tables };
}

/** Targets of links and pictures, also of those written as HTML. */
const links = (prose: string): string[] =>
	[
		...prose.matchAll(/\]\(<?([^)\s>]+)>?\)/g),
		...prose.matchAll(/<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)="([^"\s]+)/g),
	].map(([, target]) => target);

const cellsOf = (line: string) =>
	line
		.trim()
		.replace(/^\||\|$/g, '')
		.split(/(?<!\\)\|/)
		.map((cell) => cell.trim().replaceAll('\\|', '|'));

/** The anchor that GitHub gives a heading. */
const slugOf = (title: string) =>
	title
		.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replace(/[*`]/g, '')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
		.replaceAll(' ', '-');

export const markdownFiles = () => filesBelow().filter((file) => file.endsWith('.md'));
