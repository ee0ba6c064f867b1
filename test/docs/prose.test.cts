/** Plain words: what was replaced doesn't come back. Spelling is checked by `cspell.json`. */
import { passages } from './prose.cts';
import { runtimeTexts } from './texts.cts';

/** A pattern, and what to write instead. */
const REPLACED: Array<[RegExp, string]> = [
	[/\bmend(s|ed|ing)?\b/i, 'fix'],
	[/(?<!")\b(nobody|everybody|somebody|anybody)\b/i, 'no customer, each item, a person'],
	[/\bstand-ins?\b/i, 'mock service, sandbox'],
	[/\bstrangers?\b/i, 'unknown, another'],
	[/(?<!\.)\bblanks?\b/i, 'space, empty'],
	[/\ball the same\b/i, 'anyway'],
	[/\bin all\b(?! (\w+s|of|the|other|three|four)\b)/i, 'in total'],
	[/\b(come|comes|came|coming) about\b/i, 'happen, be made'],
	[/\b(go|goes|going|went|gone) on\b/i, 'continue'],
	[/\bwho has no\b/i, 'customers without'],
	[
		/\b(messages?|items?|requests?|nothing|anything|everything) (leave|leaves|left)\b(?! to)/i,
		'is sent',
	],
	[/\bleaves? (by|through|it alone|alone)\b|\bleft alone\b/i, "comes out of, isn't resent"],
	[/\berror branch\b/, 'error output'],
	[/(?<!connection |connection was )\brefus(e|es|ed|ing|al|als)\b/i, 'reject'],
	[/\b(public|its|this|whose) address\b|(?<!IP |email )\baddress(es)? (of|at)\b/i, 'URL'],
	[/\banew\b/i, 'again'],
	[/\b(stand|stands|stood|standing) (still|there)\b/i, 'is, is blocked'],
	[/\b(dashboard|limits?|words?|answers?) of the (messaging )?service\b/i, "the service's …"],
	[/\bby itself\b/i, 'automatically, on its own'],
	[/\bsigns? in with the name of its maker\b|\bname of its maker\b/i, 'header name'],
	[/\btakes? a breath\b/i, 'pause'],
	[/\bis for .{1,20} to (know|decide)\b/i, 'say who does it'],
];

/** In errors, blame doesn't help. */
const BLAME = /\b(mistake|problem|your fault|you forgot|please|oops|undefined)\b/i;

const all = passages();

test.each(REPLACED)('%s: %s', (pattern) => {
	const found = all.filter(({ text }) => pattern.test(text));
	expect(found.map(({ file, line, text }) => `${file}:${line}: ${text}`)).toEqual([]);
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
