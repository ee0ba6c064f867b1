/** CONTRIBUTING draws which folder of the node imports which; `npm run docs` draws it again. */
import path from 'node:path';
import { found } from '../found.ts';
import { filesBelow, sectionOf, source } from './markdown.cts';

/** A folder of the node, or a file at its top. */
const roomOf = (file: string) => /^nodes\/\w+\/(\w+)/.exec(file)![1];

const arrows = new Set<string>();
for (const file of filesBelow('nodes').filter((each) => each.endsWith('.ts'))) {
	for (const [, target] of source(file).matchAll(/ from '(\.[^']+)'/g)) {
		const [from, to] = [file, path.posix.join(file, '..', target)].map(roomOf);
		if (from !== to && !['common', 'n8n'].includes(to)) arrows.add(`    ${from} --> ${to}`);
	}
}

it('CONTRIBUTING draws the imports between the folders', () => {
	const { section, write } = sectionOf('CONTRIBUTING.md', 'Which folder uses which');
	const [before] = section.split('```mermaid\n');
	const drawing = `${before}\`\`\`mermaid\nflowchart TD\n${[...arrows].sort().join('\n')}\n\`\`\``;
	if (process.env.WRITE_DOCS) write(drawing);
	else expect(section).toBe(drawing);
});

test('SECURITY.md says of each promise which test holds it', () => {
	const [, promises] = /## What the node ensures\n([^]+?)\n## /.exec(source('SECURITY.md'))!;
	const withoutTest = found([...promises.matchAll(/^- .*$/gm)]).filter(([promise]) => {
		const files = [...promise.matchAll(/`(test\/[\w/]+\.test\.c?ts)`/g)].map(([, file]) => file);
		return files.length === 0 || !files.every((file) => source(file) !== '');
	});
	expect(withoutTest).toEqual([]);
});
