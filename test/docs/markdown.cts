/** Reads the Markdown files of this project: as much of the language as they use. */
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/lib/paths.cts';
import { found } from '../found.ts';

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.tmp']);

/** All files of the project below a folder. Here, paths begin at the project's root. */
export const filesBelow = (folder = ''): string[] => found(anyFilesBelow(folder));

function anyFilesBelow(folder: string): string[] {
	const entries = fs.readdirSync(path.join(root, folder), { withFileTypes: true });
	return entries.flatMap((entry) => {
		if (SKIPPED.has(entry.name)) return [];
		const name = path.posix.join(folder, entry.name);
		return entry.isDirectory() ? anyFilesBelow(name) : [name];
	});
}

export const source = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');

const BLOCK = /^([ \t]*)```(\w*)[^\n]*\n([^]*?)^\1```[ \t]*$/gm;

export function readMarkdown(file: string) {
	const text = source(file);
	const blocks = Array.from(text.matchAll(BLOCK), ([, , language, code]) => {
		return { language, text: code };
	});
	const withoutBlocks = text.replace(BLOCK, '');
	const spans = [...withoutBlocks.matchAll(/(`+)([^`\n]+)\1/g)];
	const codeSpans = spans.map(([, , span]) => span.trim());
	const prose = withoutBlocks.replace(/(`+)[^`\n]+\1/g, (span) => span.replaceAll(/[[\]()]/g, ' '));
	const headings = withoutBlocks.matchAll(/^#{1,6}\s+(.*?)\s*#*$/gm);
	const anchors = [...headings].map(([, title]) => slugOf(title));
	const tables = [...withoutBlocks.matchAll(/^(?:\|.*\n?)+/gm)].map(([table]) => {
		const [header, , ...rows] = table.trim().split('\n').map(cellsOf);
		return { header, rows };
	});
	return { file, text, blocks, codeSpans, links: links(prose), anchors, tables };
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

/** @param rows cells of each row, the first one of the header */
export const tableOf = ([header, ...rows]: Array<Array<string | number>>): string =>
	[header, header.map(() => '---'), ...rows].map((cells) => `|${cells.join('|')}|`).join('\n');

/** The anchor that GitHub gives a heading. */
const slugOf = (title: string) =>
	title
		.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replace(/[*`]/g, '')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
		.replaceAll(' ', '-');

/**
 * A section of a page, up to the next heading of any level but the first, and what writes another
 * text in its place.
 */
export function sectionOf(file: string, heading: string) {
	const found = source(file)
		.split(/^(?=##+ )/m)
		.find((each) => each.startsWith(`## ${heading}\n`));
	if (found === undefined) throw new Error(`${file} has no heading "## ${heading}"`);
	const section = found.trimEnd();
	const table = /^\|[^]*\|$/m.exec(section)?.[0];
	const written = (text: string) => source(file).replace(section, () => text);
	return {
		section,
		table,
		write: (text: string) => fs.writeFileSync(path.join(root, file), written(text)),
		/** Writes another table in the place of the section's own, or at its end. */
		writeTable(other: string) {
			this.write(table ? section.replace(table, () => other) : `${section}\n\n${other}`);
		},
	};
}
