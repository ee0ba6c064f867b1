/** What docs/troubleshooting.md says that the node shows, for the tests that make it show each text. */
import { readMarkdown } from './markdown.cts';

/** One line of a table: a text, and how to fix what it's about. */
export interface Listed {
	heading: string;
	/** Not a hint, a line of n8n's log, or a part of a longer text. */
	isError: boolean;
	text: string;
	/** The node's own words; undefined for advice of the page. */
	fix?: string;
}

/** … is what the node fills in. */
const pattern = (cell: string): string =>
	cell
		.split('…')
		.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
		.join('[^]*?')
		.replace(/\[\^\]\*\?$/, '[^]*');

/** Whether a text is the listed one, from its beginning to its end. */
export const isText = (cell: string, text: string): boolean =>
	new RegExp(`^${pattern(cell)}$`).test(text);

/** Where a text has the listed one in it; undefined when it hasn't. */
export const find = (cell: string, text: string): string | undefined =>
	new RegExp(pattern(cell).replace(/\[\^\]\*$/, '[^.]*')).exec(text)?.[0];

/** All texts of the node on the page. */
export function listedTexts(): Listed[] {
	return readMarkdown('docs/troubleshooting.md').tables.flatMap(({ heading, header, rows }) => {
		if (header[0] !== 'You read') return [];
		const hasFixes = /^(How to fix it|What to do)$/.test(header.at(-1) ?? '');
		let text = '';
		return rows.map((cells): Listed => {
			// In brackets: '(the same)', and any error of n8n's own.
			if (cells[0] !== '(the same)') text = cells[0].startsWith('(') ? '…' : cells[0];
			const fix = cells.at(-1) as string;
			return {
				heading,
				isError: hasFixes,
				text,
				fix: hasFixes && !fix.endsWith('.') ? fix : undefined,
			};
		});
	});
}

/**
 * What is in none of the shown texts.
 * @param part a heading of the page; false for what isn't an error
 */
export function neverShown(part: string | false, shown: string[]): string[] {
	return listedTexts()
		.filter(({ heading, isError }) => (part === false ? !isError : heading === part))
		.flatMap(({ text, fix }) => [text, ...(fix === undefined ? [] : [fix])])
		.filter((cell) => shown.every((text) => find(cell, text) === undefined));
}
