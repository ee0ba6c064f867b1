/** What the pages list of the node's texts. */
import { source } from './markdown.cts';

const pages = ['errors', 'ai-agents', 'phone-numbers', 'wait-for-response']
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
