/**
 * What the documentation points at is there: files, pictures, headings, commands; and a
 * phone can show it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { repository, scripts } from '../../package.json';
import { root } from '../../scripts/lib/paths.cts';
import { found } from '../found.ts';
import { filesBelow, readMarkdown, source } from './markdown.cts';

const files = filesBelow();
const documents = files.filter((file) => file.endsWith('.md')).map(readMarkdown);

/** Where commands are promised: the documentation, and what runs them. */
const places = files
	.filter((file) => /\.md$|^\.github\/workflows\/|^package\.json$/.test(file))
	.map((file) => [file, source(file)]);

const isExternal = (target: string) => /^[a-z][a-z+.-]*:/i.test(target);

/** npm shows the README without the repository: its pictures have whole URLs. */
const PICTURES = repository.url.replace(
	/^git\+https:..github.com(.*)\.git$/,
	'https://raw.githubusercontent.com$1/HEAD/',
);

/** What a document must not have, by the rule that says so. */
const RULES: Record<string, (document: (typeof documents)[0]) => unknown[]> = {
	'links, pictures and anchors lead to what is there': ({ file, links }) =>
		links
			.map((target) => target.replace(PICTURES, '/'))
			.filter((target) => !isExternal(target))
			.filter((target) => {
				const [place, anchor] = decodeURIComponent(target).split('#');
				const folder = place.startsWith('/') ? '' : path.posix.dirname(file);
				const name = place === '' ? file : path.posix.join(folder, place);
				if (!fs.existsSync(path.join(root, name))) return true;
				if (anchor === undefined || !name.endsWith('.md')) return false;
				return !documents.find((each) => each.file === name)?.anchors.includes(anchor);
			}),

	'external links are https, and none leads to this machine': ({ links }) =>
		links.filter(isExternal).filter((target) => !/^https:|^mailto:/.test(target)),

	'blocks of JSON can be read': ({ blocks }) =>
		blocks
			.filter(({ language }) => language === 'json')
			.filter(({ text }) => JSON.parse(text) === undefined),

	'files that are named are there': ({ codeSpans }) =>
		codeSpans
			.filter((span) => /^[\w.-]+(\/[\w.-]+)*\.(c?ts|m?js|md|yml|svg)$/.test(span))
			.filter((span) => !/^your/i.test(path.basename(span)))
			.filter((span) => !files.some((each) => each === span || each.endsWith(`/${span}`))),

	'cells of tables are short enough for a phone': ({ file, tables }) =>
		tables
			// The panel's own words.
			.filter(() => file !== 'docs/reference.md')
			.flatMap(({ header, rows }) => [header, ...rows].flat())
			.map((cell) => cell.replaceAll(/`[^`\n]+`|\]\([^)\n]*\)|https?:\/\/\S+/g, ''))
			.filter((words) => words.length > 150),
};

describe.each(documents)('$file', (document) => {
	test.each(Object.entries(RULES))('%s', (_, offending) => expect(offending(document)).toEqual([]));
});

test('the README fits one sitting, and shows its pictures on npm', () => {
	const { text, links } = documents.find(({ file }) => file === 'README.md')!;
	expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(950);
	const pictures = links.filter((target) => /\.(png|svg|webp)$/.test(target));
	expect(pictures.filter((target) => target.startsWith(PICTURES)).length).toBeGreaterThan(8);
	expect(pictures.filter((target) => !isExternal(target))).toEqual([]);
});

const SCRIPT = /\bnode ((?:[\w.-]+\/)+[\w.-]+\.(?:m?js|cts))/g;

test.each<[what: string, pattern: RegExp, known: string[]]>([
	['npm run: the script is in package.json', /npm run ([\w:-]+)/g, Object.keys(scripts)],
	['node …: the script is there', SCRIPT, files],
])('%s', (_, pattern, known) => {
	const named = places.flatMap(([place, text]) =>
		[...text.matchAll(pattern)].flatMap(([, names]) =>
			names.split(',').map((name) => [place, name]),
		),
	);
	expect(found(named).filter(([, name]) => !known.includes(name))).toEqual([]);
});
