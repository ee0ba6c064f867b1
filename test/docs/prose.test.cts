/** Plain words: what was replaced doesn't come back. Spelling is checked by `cspell.json`. */
import { passages, passagesOf } from './prose.cts';
import { runtimeTexts, sources, textsOf } from './texts.cts';

/** A pattern, what to write instead, a sentence that it finds, and one that it doesn't. */
type Rule = [pattern: RegExp, instead: string, bad: string, good: string];

/** In all texts, comments and names of tests. */
const REPLACED: Rule[] = [
	[/\bmend(s|ed|ing)?\b/i, 'fix', 'To be mended: item 1', 'Amend the commit'],
	[
		/(?<!")\b(nobody|everybody|somebody|anybody)\b/i,
		'no customer, each item, a person',
		'Nobody gets it twice',
		'No customer gets it twice',
	],
	[
		/\bstand-ins?\b/i,
		'mock service, sandbox',
		'A stand-in for the service',
		'A mock of the service',
	],
	[/\bstrangers?\b/i, 'unknown, another', 'The key of a stranger', 'A strange name'],
	[/(?<!\.)\bblanks?\b/i, 'space, empty', 'Blanks are removed', 'target="_blank"'],
	[/\ball the same\b/i, 'anyway', 'It is sent all the same', 'All of the same kind'],
	[
		/\bin all\b(?! (\w+s|of|the|other|three|four)\b)/i,
		'in total',
		'It waits 60 seconds in all',
		'The same in all the other files',
	],
	[
		/\b(come|comes|came|coming) (about|through)\b/i,
		'happen, be made, fail',
		'No connection came about',
		'It comes out of the error output',
	],
	[/\b(go|goes|going|went|gone) on\b/i, 'continue', 'The run goes on', 'Go ahead'],
	[
		/\bwho has no\b/i,
		'customers without',
		'It lists who has no message',
		'Customers without a message',
	],
	[
		/\b(messages?|items?|requests?|nothing|anything|everything) (leave|leaves|left)\b(?! to)/i,
		'is sent',
		'Before the first message leaves',
		'There is nothing left to do',
	],
	[
		/\bleaves? (by|through|it alone|alone)\b|\bleft alone\b/i,
		"comes out of, isn't resent",
		'A retry leaves it alone',
		'It leaves the key in the store',
	],
	[/\berror branch\b/, 'error output', 'On the error branch', 'On the error output'],
	[
		/(?<!connection |connection was )\brefus(e|es|ed|ing|al|als)\b/i,
		'reject',
		'The run is refused',
		'The connection was refused',
	],
	[
		/(?<!\b(?:IP|email|private|loopback|special-purpose|other|@param) )(?<!\.)\baddress(es)?\b(?! (?:as|regist))/i,
		'URL',
		'The address of the file',
		'A private IP address',
	],
	[/\banew\b/i, 'again', 'Start anew', 'Start again with a new list'],
	[
		/\b(stand|stands|stood|standing)\b(?!-| for\b)/i,
		'is, has, says',
		'The text as it stands',
		'The commands stand for the shop',
	],
	[
		/\b(dashboard|limits?|words?|answers?|responses?|records?|fields?|IDs?|paths?) of the (messaging )?service\b(?!')/i,
		"the service's …",
		'The dashboard of the service',
		'One of the service’s fields',
	],
	[/\bby itself\b/i, 'automatically, on its own', 'It ends by itself', 'It ends on its own'],
	[
		/\bname of its maker\b|\bcarr(y|ies) the (name|key)\b/i,
		'header name, has',
		'A header with the name of its maker',
		'The exact header name',
	],
	[/\btakes? a breath\b/i, 'pause', 'It takes a breath', 'It takes a second'],
	[
		/\bis for .{1,20} to (know|decide)\b/i,
		'say who does it',
		'That is for the service to know',
		'The service knows that',
	],
	[/\btaken for\b/i, 'counts as', 'It was taken for sent', 'It was taken from the list'],
	[/\btell(s|ing)? of\b/i, 'say, show', 'The log tells of it', 'Tell the person about it'],
];

/** In what users read: documentation, examples, and the node's own texts. */
const FOR_USERS: Rule[] = [
	[
		/\b(is|are|was|were|do|does|did|has|have|had|could|should|would) not\b|\bcannot\b/,
		"isn't, don't, can't",
		'It is not sent',
		"It isn't sent, whether or not it's valid",
	],
	[
		/\bnames (the|its|what|which|every)\b/,
		'says, identifies',
		'The error names every item',
		'The names of the files',
	],
	[/\b(held|holds?) up\b/i, 'blocked, delayed', 'n8n is held up', 'It holds the lock'],
];

/** In errors, blame doesn't help. */
const BLAME = /\b(mistake|problem|your fault|you forgot|please|oops|undefined)\b/i;

const all = passages();

const places = (found: typeof all) =>
	found.map(({ file, line, text }) => `${file}:${line}: ${text}`);

test.each(REPLACED)('%s: %s', (pattern) => {
	expect(places(all.filter(({ text }) => pattern.test(text)))).toEqual([]);
});

test.each(FOR_USERS)('in what users read, %s: %s', (pattern) => {
	const documents = all.filter(({ file }) => /\.(md|json|html)$/.test(file));
	expect(places(documents.filter(({ text }) => pattern.test(text)))).toEqual([]);
	const texts = sources().flatMap((file) => textsOf(file));
	expect(texts.filter(({ text }) => / /.test(text) && pattern.test(text))).toEqual([]);
});

describe('the rules themselves', () => {
	test.each([...REPLACED, ...FOR_USERS])('%s: %s', (pattern, _, bad, good) => {
		expect(bad).toMatch(pattern);
		expect(good).not.toMatch(pattern);
	});

	test.each([
		[
			'a.ts',
			"// one\nconst name = 'two words'; /** three */ f(`four words ${name}`);",
			['/** three */', '// one', 'four words ', 'two words'],
		],
		['a.md', 'Text `code` [link](target)\n\n```\nblock\n```', ['Text  [link']],
		['examples/a.json', '{ "content": "Text" }', ['{ "content": "Text" }']],
		['package.json', '{ "name": "x" }', []],
	])('they read what people read of %s', (file, source, expected) => {
		const read = passagesOf(file, () => source).map(({ text }) => text);
		expect(read.filter((text) => text !== '').sort()).toEqual(expected);
	});
});

test('there is something to read', () => {
	expect(all.length).toBeGreaterThan(5000);
	const kinds = new Set(all.map(({ file }) => file.split('.').at(-1)));
	expect([...kinds].sort()).toEqual(
		expect.arrayContaining(['cts', 'html', 'json', 'md', 'ts', 'yml']),
	);
});

test('errors blame no one', () => {
	expect(runtimeTexts().filter(({ text }) => BLAME.test(text))).toEqual([]);
});

test('cells of tables are short enough for a phone', () => {
	const long = all
		.filter(({ file, text }) => file.endsWith('.md') && text.startsWith('|'))
		.flatMap(({ file, line, text }) =>
			text
				.split(/(?<!\\)\|/)
				.map((cell) => cell.trim())
				.filter((cell) => cell.length > 150 && !/^:?-+:?$/.test(cell))
				.map((cell) => `${file}:${line}: ${cell}`),
		);
	expect(long).toEqual([]);
});
