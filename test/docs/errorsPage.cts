/** docs/errors.md lists what tests have seen: each section belongs to one test file. `npm run docs` writes what has changed. */
import { isWriting, sectionOf } from './markdown.cts';

/** Only the tests that reach a mutant are run, so they don't show everything that's listed. */
const isMutant = process.env.__STRYKER_ACTIVE_MUTANT__ !== undefined;

/** @returns expects a text that the node has shown, and the fix below it, to be listed under the heading */
export function errorsSection(heading: string): (text: string, fix?: string) => void {
	const { section, write } = sectionOf('docs/errors.md', heading);
	const [introduction, ...listed] = section.split(/\n(?=- )/);
	const entries = new Map<string, Set<string>>();
	afterAll(() => {
		const shown = [...entries].sort(([one], [other]) => (one < other ? -1 : 1)).map(entry);
		if (isWriting) write(`${introduction.trimEnd()}\n\n${shown.join('\n')}`);
		else if (!isMutant) expect(listed).toEqual(shown);
	});
	return (text, fix) => {
		const fixes = entries.get(text) ?? new Set();
		entries.set(text, fix ? fixes.add(fix) : fixes);
		if (isWriting) return;
		const lines = entry([text, new Set(fix ? [fix] : [])]).split('\n');
		const isListed = (each: string) => lines.every((line) => each.split('\n').includes(line));
		if (listed.some(isListed)) return;
		throw new Error(`docs/errors.md doesn't list this (npm run docs):\n${lines.join('\n')}`);
	};
}

/** The text, and its fixes below it; as code, so that nothing in them is Markdown. */
const entry = ([text, fixes]: [string, Set<string>]): string =>
	[`- ${code(text)}`, ...[...fixes].map((fix) => `  - ${code(fix)}`)].join('\n');

const code = (text: string) => `\`${text.replaceAll('`', "'").replaceAll(/\s+/g, ' ')}\``;
