/** Plain words: what was replaced doesn't come back. Spelling is checked by `cspell.json`. */
import { passages } from './prose.cts';
import { runtimeTexts, sources, textsOf } from './texts.cts';

/** A pattern, and what to write instead. */
type Rule = [pattern: RegExp, instead: string];

/** In all texts, comments and names of tests. */
const REPLACED: Rule[] = [
	[/\bmend(s|ed|ing)?\b/i, 'fix'],
	[/(?<!")\b(nobody|everybody|somebody|anybody)\b/i, 'no customer, each item, a person'],
	[/\bstand-ins?\b/i, 'mock service, sandbox'],
	[/\bstrangers?\b/i, 'unknown, another'],
	[/(?<!\.)\bblanks?\b/i, 'space, empty'],
	[/\ball the same\b/i, 'anyway'],
	[/\bin all\b(?! (\w+s|of|the|other|three|four)\b)/i, 'in total'],
	[/\b(come|comes|came|coming) (about|through)\b/i, 'happen, be made, fail'],
	[/\b(go|goes|going|went|gone) on\b/i, 'continue'],
	[/\bwho has no\b/i, 'customers without'],
	[
		/\b(messages?|items?|requests?|nothing|anything|everything) (leave|leaves|left)\b(?! to)/i,
		'is sent',
	],
	[/\bleaves? (by|through|it alone|alone)\b|\bleft alone\b/i, "comes out of, isn't resent"],
	[/\berror branch\b/, 'error output'],
	[/(?<!connection |connection was )\brefus(e|es|ed|ing|al|als)\b/i, 'reject'],
	[
		/(?<!\b(?:IP|email|private|loopback|special-purpose|other|@param) )(?<!\.)\baddress(es)?\b(?! (?:as|regist))/i,
		'URL',
	],
	[/\banew\b/i, 'again'],
	[/\b(stand|stands|stood|standing)\b(?!-| for\b)/i, 'is, has, says'],
	[
		/\b(dashboard|limits?|words?|answers?|responses?|records?|fields?|IDs?|paths?) of the (messaging )?service\b(?!')/i,
		"the service's …",
	],
	[/\bby itself\b/i, 'automatically, on its own'],
	[/\bname of its maker\b|\bcarr(y|ies) the (name|key)\b/i, 'header name, has'],
	[/\btakes? a breath\b/i, 'pause'],
	[/\bis for .{1,20} to (know|decide)\b/i, 'say who does it'],
	[/\btaken for\b/i, 'counts as'],
	[/\btell(s|ing)? of\b/i, 'say, show'],
];

/** In what users read: documentation, examples, and the node's own texts. */
const FOR_USERS: Rule[] = [
	[
		/\b(is|are|was|were|do|does|did|has|have|had|could|should|would) not\b|\bcannot\b/,
		"isn't, don't, can't",
	],
	[/\bnames (the|its|what|which|every)\b/, 'says, identifies'],
	[/\b(held|holds?) up\b/i, 'blocked, delayed'],
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
