/** Whether the pages list what the node says. */
import { source } from './markdown.cts';

export const pages = ['errors', 'ai-agents', 'phone-numbers', 'wait-for-response']
	.map((page) => source(`docs/${page}.md`))
	.join('\n');

/** Texts are code, several in a line where they're parts of others, and fixes are lines of their own. */
const lines = pages.split(/\\?\n/).filter((line) => line !== '');
const isList = (line: string) => /^(?:`[^`]+`$|Parts of these texts: )/.test(line);
export const listed = lines
	.filter(isList)
	.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, text]) => text));

/** In a text on a page, … is what a run fills in. */
export const patternOf = (text: string) => {
	const parts = text
		.replaceAll(/\\([<*_&])/g, '$1')
		.replace(/:? ?…$/, '')
		.split('…');
	const escaped = parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
	return new RegExp(escaped.join('[^]*?'));
};
const patterns = [...listed, ...lines.filter((line) => !isList(line))].map(patternOf);

/** Expects a text that the node has shown, and the fix below it, to be listed. */
export function expectListed(...texts: Array<string | undefined>): void {
	const isListed = (text: string) => {
		const line = text.replaceAll(/\s+/g, ' ').trim();
		// A short text may only be there as a part of another one.
		return line !== '' && (pages.includes(line) || patterns.some((each) => each.test(line)));
	};
	expect(texts.filter((text) => text !== undefined && !isListed(text))).toEqual([]);
}
