/** Plain words in what people read. Single words that were replaced are in `cspell.json`, for code and comments too. */
import { filesBelow, source, withoutCode } from './markdown.cts';
import { runtimeTexts, sources, textsOf, type SourceText } from './texts.cts';

/** A pattern, and what to write instead. */
type Rule = [pattern: RegExp, instead: string];

/** In documentation, examples, and texts of the node, the sandbox and the scripts. */
const REPLACED: Rule[] = [
	[/\bnobody\b/i, 'no customer, each item, a person'],
	[/\bstand-ins?\b/i, 'mock service, sandbox'],
	[/(?<!\.)\bblanks?\b/i, 'space, empty'],
	[/\ball the same\b/i, 'anyway'],
	[/\bin all\b(?! (\w+s|of|the|other|three|four)\b)/i, 'in total'],
	[/\b(come|comes|came|coming) (about|through)\b/i, 'happen, be made, fail'],
	[/\b(go|goes|going|went|gone) on\b/i, 'continue'],
	[/(message|item|request|thing)s? (leaves?|left)\b(?! to)/i, 'is sent'],
	[/\bleaves? (by|through|it alone|alone)\b|\bleft alone\b/i, "comes out of, isn't resent"],
	[/\berror branch\b/, 'error output'],
	[/(?<!connection |connection was )\brefus(e|es|ed|ing|al|als)\b/i, 'reject'],
	[
		/(?<!\b(?:IP|email|private|loopback|special-purpose|other|@param) )(?<!\.)\baddress(es)?\b(?! (?:as|regist))/i,
		'URL',
	],
	[/\b(stand|stands|stood|standing)\b(?!-| for\b)/i, 'is, has, says'],
	[
		/\b(dashboard|limits?|words?|answers?|responses?|records?|fields?|IDs?|paths?) of the (messaging )?service\b(?!')/i,
		"the service's …",
	],
	[/\bby itself\b/i, 'automatically, on its own'],
	[/\btaken for\b/i, 'counts as'],
	[/\bnames (the|its|what|which|every)\b/, 'says, identifies'],
	[/\b(held|holds?) up\b/i, 'blocked, delayed'],
	[/\byields?\b/i, 'is, gives'],
	[/\bcom(e|es|ing) out\b/i, 'is the output, appears in'],
	[/\bbeside\b/i, 'next to, as well as'],
];

/** In what users read, the node's own texts included. */
const CONTRACTED: Rule = [
	/\b(is|are|was|were|do|does|did|has|have|had|could|should|would) not\b|\bcannot\b/,
	"isn't, don't, can't",
];

/** In errors, blame doesn't help. */
const BLAME = /\b(mistake|problem|your fault|you forgot|please|oops|undefined)\b/i;

const READ = /\.(md|ya?ml|html)$|^examples\/.*\.json$/;

const documents = filesBelow()
	.filter((file) => READ.test(file) && file !== 'CHANGELOG.md')
	.flatMap((file): SourceText[] =>
		withoutCode(source(file))
			.split('\n')
			.map((text, index) => ({ place: `${file}:${index + 1}`, text })),
	);

const forUsers = documents.filter(({ place }) => !/\.ya?ml:/.test(place));

const sentencesOf = (files: string[]) =>
	files.flatMap((file) => textsOf(file)).filter(({ text }) => /\p{L} \p{L}/u.test(text));

const own = sentencesOf(sources());
const tools = sentencesOf(
	[...filesBelow('scripts'), ...filesBelow('sandbox')].filter((file) => file.endsWith('ts')),
);

test.each([
	...REPLACED.map((rule) => [...rule, [...documents, ...own, ...tools]] as const),
	[...CONTRACTED, [...forUsers, ...own]] as const,
	[BLAME, 'nothing', runtimeTexts()] as const,
])('%s: %s', (pattern, _, texts) => {
	expect(texts.length).toBeGreaterThan(100);
	expect(texts.filter(({ text }) => pattern.test(text))).toEqual([]);
});
