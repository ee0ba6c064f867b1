/** What the documentation points at is there: files, pictures, headings, commands. */
import fs from 'node:fs';
import path from 'node:path';
import { projects } from '../../jest.config.js';
import { scripts } from '../../package.json';
import { root } from '../../scripts/lib/paths.cts';
import { filesBelow, markdownFiles, readMarkdown } from './markdown.cts';

const files = filesBelow();
const documents = markdownFiles().map(readMarkdown);

/** The suites that `npm test -- --only` knows. */
const suites = [
	...['build', ...projects.map(({ displayName }) => displayName)],
	...[
		...fs.readFileSync(path.join(root, 'scripts/test.cts'), 'utf8').matchAll(/command\('([^']+)'/g),
	].map(([, name]) => name),
];

/** Where commands are promised: the documentation, and what runs them. */
const places = files
	.filter((file) => /\.md$|^\.github\/workflows\/|^package\.json$/.test(file))
	.map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')]);

const isExternal = (target: string) => /^[a-z][a-z+.-]*:/i.test(target);

describe.each(documents.map((document) => [document.file, document]))('%s', (file, document) => {
	const relative = document.links
		.filter((target) => !isExternal(target))
		.map((target): [file: string, anchor?: string] => {
			const [name, anchor] = decodeURIComponent(target).split('#');
			const folder = name.startsWith('/') ? '' : path.posix.dirname(file);
			return [name === '' ? file : path.posix.join(folder, name), anchor];
		});

	test('links, pictures and anchors lead to what is there', () => {
		const missing = relative.filter(([name, anchor]) => {
			if (!fs.existsSync(path.join(root, name))) return true;
			if (anchor === undefined || !name.endsWith('.md')) return false;
			return !documents.find((each) => each.file === name)?.anchors.includes(anchor);
		});
		expect(missing).toEqual([]);
	});

	test('external links are https, and none leads to this machine', () => {
		const external = document.links.filter(isExternal);
		expect(external.filter((target) => !/^https:|^mailto:/.test(target))).toEqual([]);
	});

	test('blocks of JSON can be read', () => {
		for (const { text } of document.blocks.filter(({ language }) => language === 'json')) {
			expect(() => JSON.parse(text)).not.toThrow();
		}
	});

	test('files that are named are there', () => {
		const missing = document.codeSpans
			.filter((span) => /^[\w.-]+(\/[\w.-]+)*\.(c?ts|m?js|md|yml|svg)$/.test(span))
			.filter((span) => !/^your/i.test(path.basename(span)))
			.filter((span) => !files.some((each) => each === span || each.endsWith(`/${span}`)));
		expect(missing).toEqual([]);
	});
});

const SCRIPT = /\bnode ((?:[\w.-]+\/)+[\w.-]+\.(?:m?js|cts))/g;

test.each<[what: string, pattern: RegExp, known: string[]]>([
	['npm run: the script is in package.json', /npm run ([\w:-]+)/g, Object.keys(scripts)],
	['npm test -- --only: the suites are there', /npm test -- --only ([\w,-]+)/g, suites],
	['node …: the script is there', SCRIPT, files],
])('%s', (_, pattern, known) => {
	const named = places.flatMap(([place, text]) =>
		[...text.matchAll(pattern)].flatMap(([, names]) =>
			names.split(',').map((name) => [place, name]),
		),
	);
	expect(named.length).toBeGreaterThan(2);
	expect(named.filter(([, name]) => !known.includes(name))).toEqual([]);
});
