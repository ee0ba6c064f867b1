/** Whether the pages list what the node says. kinds.cts makes them of the sources: `npm run docs`. */
import { source } from './markdown.cts';

/** In a text on a page, … is what a run fills in. */
const patternOf = (text: string) => {
	const parts = text
		.replaceAll(/\\([<*_&])/g, '$1')
		.replace(/:? ?…$/, '')
		.split('…');
	const escaped = parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
	return new RegExp(escaped.join('[^]*?'));
};

/** Texts are code, several in a line where they're parts of others, and fixes are lines of their own. */
const pages = ['errors', 'ai-agents', 'phone-numbers', 'wait-for-response']
	.map((page) => source(`docs/${page}.md`))
	.join('\n');
const listed = pages
	.split(/\\?\n/)
	.flatMap((line) =>
		/^(?:`|Parts of these texts: )/.test(line)
			? [...line.matchAll(/`([^`]+)`/g)].map(([, text]) => text)
			: [line],
	)
	.filter((text) => text !== '')
	.map(patternOf);

const isListed = (text: string) => {
	const line = text.replaceAll(/\s+/g, ' ').trim();
	// A short text may only be there as a part of another one.
	return line !== '' && (pages.includes(line) || listed.some((pattern) => pattern.test(line)));
};

/** Expects a text that the node has shown, and the fix below it, to be listed. */
export function expectListed(text: string, fix?: string): void {
	expect([text, fix].filter((each) => each !== undefined && !isListed(each))).toEqual([]);
}
