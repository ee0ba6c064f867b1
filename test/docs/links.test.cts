/** What the documentation points at is there: files, pictures, headings, commands. */
import fs from 'node:fs';
import path from 'node:path';
import { projects } from '../../jest.config.js';
import manifest from '../../package.json';
import { root } from '../../scripts/lib/paths.cts';
import { filesBelow, markdownFiles, readMarkdown } from './markdown.cts';

const files = filesBelow();
const documents = markdownFiles().map(readMarkdown);
const { scripts } = manifest;

/** The suites that `npm test -- --only` knows. */
const suites = [
	...projects.map(({ displayName }) => displayName),
	...[
		...fs.readFileSync(path.join(root, 'scripts/test.cts'), 'utf8').matchAll(/command\('([^']+)'/g),
	].map(([, name]) => name),
];

/** Where commands are promised: the documentation, and what runs them elsewhere. */
const places = [
	...documents.map(({ file, source }) => [file, source]),
	...files
		.filter((file) => /^\.github\/workflows\/|^\.ci\//.test(file))
		.map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')]),
];

const isExternal = (target: string) => /^[a-z][a-z+.-]*:/i.test(target);

test('the documentation is found', () => {
	expect(documents.map(({ file }) => file)).toEqual(
		expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'examples/README.md']),
	);
	expect(documents.flatMap(({ links }) => links).length).toBeGreaterThan(20);
});

describe.each(documents.map((document) => [document.file, document]))('%s', (file, document) => {
	const relative = document.links.filter((target) => !isExternal(target));

	test('links and pictures lead to files that are there', () => {
		const missing = relative
			.map((target) => target.split('#')[0])
			.filter((target) => target !== '')
			.filter((target) => {
				const from = target.startsWith('/') ? root : path.join(root, path.dirname(file));
				return !fs.existsSync(path.join(from, decodeURIComponent(target)));
			});
		expect(missing).toEqual([]);
	});

	test('anchors lead to headings that are there', () => {
		const missing = relative
			.filter((target) => target.includes('#'))
			.filter((target) => {
				const [name, anchor] = target.split('#');
				const other = name === '' ? file : path.posix.join(path.posix.dirname(file), name);
				if (!other.endsWith('.md')) return false;
				return !documents.find((each) => each.file === other)?.anchors.includes(anchor);
			});
		expect(missing).toEqual([]);
	});

	test('external links are https, and none leads to this machine', () => {
		const odd = document.links
			.filter(isExternal)
			.filter((target) => !/^https:|^mailto:/.test(target));
		expect(odd).toEqual([]);
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

describe.each(places)('commands in %s', (_, text) => {
	test('npm run: the script is in package.json', () => {
		const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name);
		expect(named.filter((name) => !(name in scripts))).toEqual([]);
	});

	test('npm test -- --only: the suites are there', () => {
		const named = [...text.matchAll(/npm test -- --only ([\w,-]+)/g)].flatMap(([, names]) =>
			names.split(','),
		);
		expect(named.filter((name) => !suites.includes(name))).toEqual([]);
	});

	test('node …: the script is there', () => {
		const named = [...text.matchAll(/\bnode ((?:[\w.-]+\/)+[\w.-]+\.(?:m?js|cts))/g)].map(
			([, name]) => name,
		);
		expect(named.filter((name) => !files.includes(name))).toEqual([]);
	});
});

test('the files that scripts in package.json run are there', () => {
	const named = Object.values(scripts).flatMap((script) =>
		[...script.matchAll(/\bnode ((?:[\w.-]+\/)*[\w.-]+\.(?:m?js|cts))/g)].map(([, name]) => name),
	);
	expect(named.filter((name) => !files.includes(name))).toEqual([]);
});
