/** CONTRIBUTING draws which folder of the node imports which; `npm run docs` draws it again. */
import path from 'node:path';
import { found } from '../found.ts';
import { filesBelow, sectionOf, source } from './markdown.cts';

/** A folder of the node, or a file at its top. */
const roomOf = (file: string) => /^nodes\/\w+\/(\w+)/.exec(file)![1];

const files = filesBelow();
/** What each of them imports. */
const imports: Record<string, Set<string>> = {};
for (const file of files.filter((each) => /^nodes\/.*\.ts$/.test(each))) {
	for (const [, target] of source(file).matchAll(/ from '(\.[^']+)'/g)) {
		const [from, to] = [file, path.posix.join(file, '..', target)].map(roomOf);
		if (from !== to && !['common', 'n8n'].includes(to)) (imports[from] ??= new Set()).add(to);
	}
}

it('CONTRIBUTING draws the imports between the folders', () => {
	const { section, write } = sectionOf('CONTRIBUTING.md', 'Which folder uses which');
	const [before] = section.split('```mermaid\n');
	const arrows = Object.entries(imports)
		.map(([from, to]) => `    ${from} --> ${[...to].sort().join(' & ')}`)
		.sort();
	const drawing = `${before}\`\`\`mermaid\nflowchart TD\n${arrows.join('\n')}\n\`\`\``;
	if (process.env.WRITE_DOCS) write(drawing);
	else expect(section).toBe(drawing);
});

test.each(['What goes where', 'What the node ensures'])(
	'SECURITY.md says of each promise which test holds it: %s',
	(heading) => {
		const [, section] = source('SECURITY.md').split(`\n## ${heading}\n`);
		const promises = [...section.split('\n## ')[0].matchAll(/^- .*$/gm)].map(([line]) => line);
		const withoutTest = found(promises).filter((promise) => {
			const tests = [...promise.matchAll(/`(test\/[\w/]+\.test\.c?ts)`/g)].map(([, file]) => file);
			return tests.length === 0 || !tests.every((file) => files.includes(file));
		});
		expect(withoutTest).toEqual([]);
	},
);
