/**
 * Each sentence of "What the node promises" that says what the node does, and each row of its
 * tables, is a test's title in `test/promises`, in the file named after its section.
 *
 * A title is the sentence without Markdown, or a row's cells with ` | ` between them. It can also
 * be the titles of a `describe` and of what's in it, joined in the same way.
 */
import ts from 'typescript';
import { filesBelow, source } from './markdown.cts';

const PAGE = 'docs/promises.md';
const FOLDER = 'test/promises';

/**
 * The sentences that promise nothing, by the reason. What ends with a colon introduces a list, and
 * needs no test either.
 */
const NO_PROMISES: Record<string, string[]> = {
	'says what n8n or the service does': [
		'If the execution failed before it called a sub-workflow that sends, each click calls it, ' +
			'and only send-once keys keep it from sending twice.',
		'"Accepted" isn\'t "delivered": the service\'s dashboard shows what became of the message.',
		'n8n offers it for failed executions only, ' +
			'if it saves them (Save failed production executions).',
	],
	'says what a word means': [
		'The rest is what is neither accepted nor uncertain.',
		'The last column is for messages with a send-once key.',
		'Retry means Retry with currently saved workflow (from node with error).',
		'The key says what the message is about, e.g. {{ $json.orderId }}-confirmation.',
	],
	'sums up what the sections below promise': [
		"In an execution and its retries, this node sends an item's message at most once, " +
			'except after a crash, in a loop that brings the item around again, ' +
			"with 'If Delivery Is Uncertain' on Resend, and where you aren't told.",
	],
	'says what the reader can do': [
		"Use what stays the same, such as an ID or an appointment's time: " +
			'a name that someone tidies is a new key.',
		"If it's there, this step is done.",
		"If later steps haven't sent to this customer yet, execute the workflow with only this row " +
			'and without this step.',
		"If it isn't, execute the workflow with only this row.",
		'If it has a send-once key, use another one this once.',
	],
};
const withoutPromise = new Set(Object.values(NO_PROMISES).flat());

const plain = (markdown: string) =>
	markdown
		.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replace(/\*\*|`/g, '')
		.replace(/(?<!\w)_([^_]+)_(?!\w)/g, '$1')
		.replace(/\s+/g, ' ')
		.trim();

const isRow = (line: string) => line.startsWith('|');

const sentencesIn = (line: string): string[] =>
	plain(line.replace(/^(?:-|\d+\.) /, ''))
		.split(/(?<=[.!?]) (?=\p{Lu}|n8n )/u)
		.filter((sentence) => sentence !== '' && !sentence.endsWith(':'));

/** @param lines of a table: an empty first cell means what the cell above it says */
function rowsIn([, , ...lines]: string[]): string[] {
	let first = '';
	return lines.map((line) => {
		const cells = line.split('|').slice(1, -1).map(plain);
		first = cells[0] || first;
		return [first, ...cells.slice(1)].join(' | ');
	});
}

interface Section {
	heading: string;
	sentences: string[];
}

const sections = source(PAGE)
	.replace(/<picture>[^]*?<\/picture>/g, '')
	.split(/^#+ /m)
	.slice(1)
	.map((section): Section => {
		const [heading, ...lines] = section.split('\n');
		const table = rowsIn(lines.filter(isRow));
		const prose = lines.filter((line) => !isRow(line)).flatMap(sentencesIn);
		return { heading, sentences: [...table, ...prose] };
	});

/** `How a message ends` is in `howAMessageEnds.test.ts`. */
function fileOf({ heading }: Section): string {
	const words = heading.replaceAll("'", '').toLowerCase().split(/\W+/);
	const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
	return `${FOLDER}/${words[0]}${words.slice(1).map(capital).join('')}.test.ts`;
}

/** A text in quotes, or several with plus signs between them. */
function textOf(node?: ts.Node): string | undefined {
	if (node === undefined) return undefined;
	if (ts.isStringLiteralLike(node)) return node.text;
	if (!ts.isBinaryExpression(node)) return undefined;
	const parts = [textOf(node.left), textOf(node.right)];
	return parts.includes(undefined) ? undefined : parts.join('');
}

/** The titles of each test in a file: those of the groups that it's in, and its own. */
function testsIn(file: string): string[][] {
	const tests: string[][] = [];
	const visit = (node: ts.Node, titles: string[]): void => {
		const isCall = ts.isCallExpression(node);
		const [, name] = /^(describe|it|test)\b/.exec(isCall ? node.getText() : '') ?? [];
		const title = isCall && name ? textOf(node.arguments[0]) : undefined;
		const own = title === undefined ? titles : [...titles, title];
		if (title !== undefined && name !== 'describe') tests.push(own);
		ts.forEachChild(node, (child) => visit(child, own));
	};
	visit(ts.createSourceFile(file, source(file), ts.ScriptTarget.Latest, true), []);
	return tests;
}

/** What the titles of a test say together, from the outermost one on. */
const namesOf = (titles: string[]) =>
	titles.map((_, index) => titles.slice(0, index + 1).join(' | '));

const promising = sections
	.map((section): Section => {
		const isPromise = (sentence: string) => !withoutPromise.has(sentence);
		return { ...section, sentences: section.sentences.filter(isPromise) };
	})
	.filter(({ sentences }) => sentences.length > 0);

const listed = (sentences: string[]) => sentences.map((sentence) => `\n  ${sentence}`).join('');

test('the page has sections with promises', () => expect(promising.length).toBeGreaterThan(1));

test.each(promising)('each promise of "$heading" is the title of a test', (section) => {
	const file = fileOf(section);
	const tests = filesBelow(FOLDER).includes(file) ? testsIn(file) : [];
	const names = new Set(tests.flatMap(namesOf));
	const untested = section.sentences.filter((sentence) => !names.has(sentence));
	const isOfPage = (titles: string[]) =>
		namesOf(titles).some((name) => section.sentences.includes(name));
	const others = tests.filter((titles) => !isOfPage(titles)).map((titles) => titles.join(' | '));
	expect(names.size).toBeGreaterThan(0);
	if (untested.length + others.length === 0) return;
	throw new Error(
		`${PAGE} and ${file} don't say the same.
Promises without a test:${listed(untested) || ' none'}
Tests whose titles aren't on the page:${listed(others) || ' none'}
Give the test the sentence as its title. If a sentence promises nothing, add it to NO_PROMISES
in test/docs/promises.test.cts.`,
	);
});

test('each sentence that promises nothing is on the page', () => {
	const all = sections.flatMap(({ sentences }) => sentences);
	expect([...withoutPromise].filter((sentence) => !all.includes(sentence))).toEqual([]);
});
