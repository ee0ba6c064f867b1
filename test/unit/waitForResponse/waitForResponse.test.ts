import { createHash } from 'node:crypto';

import { tryToParseDateTime, WAIT_INDEFINITELY } from 'n8n-workflow';

import { limitWaitTime } from '../../../nodes/OutboundMessaging/waitForResponse/limitWaitTime';
import * as pages from '../../../nodes/OutboundMessaging/waitForResponse/page';
import {
	type Question,
	PAGE_TEXTS,
} from '../../../nodes/OutboundMessaging/waitForResponse/question';
import { readAnswer } from '../../../nodes/OutboundMessaging/waitForResponse/webhook';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const NEVER = ['9999-12-31T23:59:59', '9999-12-31T23:59:59-08:00', '3000-01-01T00:00:01Z'];
/** As an expression gives it. */
const JULY = tryToParseDateTime('2027-07-01T15:00:00', 'Asia/Tokyo');
const IN_JULY = ['2027-07-01 08:00', ' 2027-07-01 08:00:00 +02:00', JULY, JULY.toJSDate()];
beforeAll(() => jest.useFakeTimers({ now: NOW }));
afterAll(() => jest.useRealTimers());

const limitType = 'afterTimeInterval';
const interval = (resumeAmount: unknown, resumeUnit: unknown) => {
	return { limitType, resumeAmount, resumeUnit };
};
const until = (maxDateAndTime: unknown) => ({ limitType: 'atSpecifiedTime', maxDateAndTime });
const endOf = (values: unknown) => limitWaitTime.check({ values }, { timezone: 'Europe/Berlin' })();

it.each<[unknown, string]>([
	[interval(1.5, 'minutes'), '2026-11-23T12:01:30.000Z'],
	[interval('2', 'hours'), '2026-11-23T14:00:00.000Z'],
	...NEVER.map((end): [unknown, string] => [until(end), WAIT_INDEFINITELY.toISOString()]),
	[until('2026-11-23T13:30:00'), '2026-11-23T12:30:00.000Z'],
	...IN_JULY.map((end): [unknown, string] => [until(end), '2027-07-01T06:00:00.000Z']),
])('a workflow in Berlin waits with the limit %j until %s', (limit, end) => {
	expect(endOf(limit).toISOString()).toBe(end);
});

// What a field is missing, or has instead of a date, is in test/engine.
it.each<[unknown, string]>([
	[interval(0, 'minutes'), "isn't in the future"],
	[interval(1, 'moons'), 'is "moons"'],
	[until('2026-11-23T13:30:00+09:00'), "isn't in the future"],
	...['', null].map((end): [unknown, string] => [until(end), 'is empty']),
	...[
		'2027-13-01',
		'2027-02-30 18:00',
		'12/31/2027 18:00',
		'05/12/2027',
		'1.12.2027',
		'31 Dec 2027 18:00',
		'6:00 PM',
		'soon',
	].map((text): [unknown, string] => [until(text), `is "${text}", not a date and time`]),
])('rejects the limit %j: %s', (limit, words) => expect(() => endOf(limit)).toThrow(words));

const TEXT: Question = { message: 'Why?', type: 'freeText', texts: PAGE_TEXTS };
const GERMAN: Question = { ...TEXT, texts: { ...PAGE_TEXTS, language: 'de' } };
const CHOICE: Question = { ...TEXT, type: 'choice', labels: ['<b>9:00</b>', '10:00'] };
const TOKEN = 'aToken';
const INPUT = '<input type="hidden" name="token" value="aToken">';
const APPROVAL: Question = { ...TEXT, type: 'approval', labels: ['Yes', 'No'] };

// Answers as people give them, and what isn't a form, are in test/engine.
it.each<[Question, unknown, object?]>([
	...['-1', '01', ' 1', '1.0', '10:00', ''].map((answer) => [CHOICE, answer] as [Question, string]),
	[TEXT, '<script>', { data: { text: '<script>' } }],
	[TEXT, '\u200b'],
	[TEXT, 'x\r\n'.repeat(5000), { data: { text: 'x\n'.repeat(5000).trim() } }],
	[TEXT, 'x'.repeat(10_001), { note: 'Your answer is too long: 10,001 / 10,000 characters' }],
	[GERMAN, 'x'.repeat(12_345), { note: '12.345 / 10.000' }],
	[TEXT, ' '.repeat(40_001), { note: 'Your answer is too long: 40,001 / 10,000 characters' }],
	[TEXT, { $gt: '' }],
])('answer %#', (...[question, answer, read = { note: PAGE_TEXTS.invalidMessage }]) => {
	expect(readAnswer(question, answer)).toMatchObject(read);
});

const ENGLAND = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';

const HOSTILE = `</p><script>alert(1)</script><img src=x onerror=alert(1)> " ' & {{ 7*7 }}`;

const HOSTILE_TEXTS = { ...PAGE_TEXTS, title: HOSTILE, description: HOSTILE, buttonLabel: HOSTILE };
const hostile = { message: HOSTILE, labels: [HOSTILE], deadline: HOSTILE, texts: HOSTILE_TEXTS };

it.each([
	pages.questionPage({ ...CHOICE, ...hostile }, TOKEN, HOSTILE),
	pages.questionPage({ ...TEXT, ...hostile, labels: undefined }, TOKEN, '!', HOSTILE),
	pages.answeredPage({ ...CHOICE, ...hostile }, HOSTILE),
	pages.closedPage({ ...PAGE_TEXTS, closedMessage: HOSTILE }),
])('page %# has no tag that someone typed, one script, and nothing from elsewhere', (page) => {
	expect(page).toContain('&#60;script&#62;');
	const [script, ...others] = [...page.matchAll(/<(?:script|img)[^]*?(?:<\/script>|$)/g)];
	expect(others).toEqual([]);
	const code = createHash('sha256').update(script[0].slice('<script>'.length, -'</script>'.length));
	expect(pages.PAGE_HEADERS['Content-Security-Policy']).toContain(code.digest('base64'));
	expect(page).not.toMatch(/javascript:|https?:|\son\w+=(?!x)"/i);
	expect(page).toContain('<meta name="robots" content="noindex, nofollow">');
	expect(page).toContain(
		'http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;',
	);
});

it.each<[Question, string]>([
	[
		APPROVAL,
		`<form method="post">${INPUT}<button class="main" name="answer" value="0">Yes</button><`,
	],
	[APPROVAL, 'Yes</button><button name="answer" value="1">No</button>'],
	[APPROVAL, '<h1 id="question">Why?</h1>'],
	[CHOICE, `<form method="post">${INPUT}<button name="answer" value="0">&#60;b`],
	[{ ...CHOICE, texts: { ...PAGE_TEXTS, language: 'ar' } }, '<html lang="ar" dir="rtl">'],
])('the page of %j: %s', (question, part) =>
	expect(pages.questionPage(question, TOKEN)).toContain(part),
);

it('after no answer, what was typed is in the field, and the note is tied to it', () => {
	const page = pages.questionPage(TEXT, TOKEN, 'Not yet.', '\n <b>\u200b');
	expect(page).toMatch(/aria-describedby="note" aria-invalid="true"[^>]*>\n\n &#60;b&#62;&#8203;</);
	expect(page).toContain('<p id="note" role="alert">Not yet.<');
	for (const sent of [undefined, ['a'], { b: 1 }]) {
		expect(pages.questionPage(TEXT, TOKEN, '', sent)).toContain('dir="auto">\n</textarea><button');
	}
});

it('what was typed is shown again for someone to shorten it, but not if it is far too long', () => {
	const pageAfter = (typed: string) => pages.questionPage(TEXT, TOKEN, 'Too long.', typed);
	expect(pageAfter('<'.repeat(40_000))).toContain('&#60;'.repeat(40_000));
	expect(pageAfter('<'.repeat(40_001))).not.toContain('&#60;');
});

it.each<[string, (text: string) => string]>([
	['the message', (message) => pages.questionPage({ ...TEXT, message }, TOKEN)],
	['a label', (label) => pages.questionPage({ ...CHOICE, labels: [label] }, TOKEN)],
	['a title', (title) => pages.questionPage({ ...TEXT, texts: { ...PAGE_TEXTS, title } }, TOKEN)],
	['an answer', (answer) => pages.answeredPage(TEXT, answer)],
])('%s that is far too long is not on the page', (_, pageWith) => {
	expect(pageWith('<'.repeat(40_001))).not.toContain('&#60;');
});

it.each<Record<string, string>>([
	{
		what: 'an amount turned around',
		text: 'Refund \u202e0005\u202c $',
		shown: 'Refund [U+202E]0005[U+202C] $',
	},
	{
		what: 'amounts that change places',
		text: '\u2067100 - 5\u2069',
		shown: '[U+2067]100 - 5[U+2069]',
	},
	{ what: '… by a mark of direction', text: '\u200f100 - 5', shown: '[U+200F]100 - 5' },
	{
		what: 'marks without width in a number',
		text: '1\u200b000\u2060.\ufeff50',
		shown: '1[U+200B]000[U+2060].[U+FEFF]50',
	},
	{
		what: 'more of them in a number',
		text: '1\u034f000\ufe0f.\u000750',
		shown: '1[U+34F]000[U+FE0F].[U+7]50',
	},
	{ what: 'words that no one sees', text: 'Yes\u{e0041}', shown: 'Yes[U+E0041]' },
	{
		what: 'Persian with its joiners',
		text: '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
		shown: '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
	},
	{ what: 'Hindi with a half letter', text: '\u0915\u094d\u200d ', shown: '\u0915\u094d\u200d ' },
	{
		what: 'an emoji of several',
		text: '\u{1f469}\u{1f3fd}\u200d\u{1f680}',
		shown: '\u{1f469}\u{1f3fd}\u200d\u{1f680}',
	},
	{ what: 'the flag of England', text: ENGLAND, shown: ENGLAND },
	{
		what: 'a digit as an emoji',
		text: '1\ufe0f\u20e3 \u2764\ufe0f',
		shown: '1\ufe0f\u20e3 \u2764\ufe0f',
	},
	{ what: 'a soft hyphen', text: 'Liefer\u00adtermin', shown: 'Liefer\u00adtermin' },
	{
		what: 'a date as Arabic writes it',
		text: '22\u200f/11\u200f/2026 \u0645',
		shown: '22\u200f/11\u200f/2026 \u0645',
	},
	{
		what: 'an amount as Hebrew writes it',
		text: '\u200f1,234.50 \u200f\u20aa \u05d0',
		shown: '\u200f1,234.50 \u200f\u20aa \u05d0',
	},
])('what a review or a label shows: $what', ({ text, shown }: Record<string, string>) => {
	const page = pages.questionPage({ ...APPROVAL, message: text, labels: [text] }, TOKEN);
	expect(page).toContain(`>${shown}</h1>`);
	expect(page).toContain(`>${shown}</button>`);
});

it(
	'a label of digits alone keeps the marks of direction ' +
		'that the language of the question needs',
	() => {
		const question = { ...CHOICE, message: '\u05de\u05d4?', labels: ['\u200f1,234 \u200f\u20aa'] };
		expect(pages.questionPage(question, TOKEN)).toContain('>\u200f1,234 \u200f\u20aa</button>');
	},
);

/** Turns a text around, from here to its end. */
const TURN = '\u202e';
const TURNING = Object.fromEntries(
	Object.entries(PAGE_TEXTS).map(([name, text]) => [name, name === 'language' ? text : TURN]),
) as typeof PAGE_TEXTS;
const turning: Question = { ...TEXT, message: TURN, deadline: TURN, texts: TURNING };

it.each([
	['a question', pages.questionPage({ ...turning, labels: [TURN] }, TOKEN)],
	['a text field', pages.questionPage(turning, TOKEN)],
	['no answer', pages.questionPage(turning, TOKEN, TURNING.invalidMessage, TURN)],
	['an answer', pages.answeredPage(turning, TURN)],
	['a closed question', pages.closedPage(TURNING)],
])('on the page of %s, no text turns what a person reads', (_, page) => {
	expect(page).toContain('[U+202E]');
	expect(page).not.toContain(TURN);
});

it("a deadline in a language that isn't known is in English", () => {
	const said = pages.formatDeadline(new Date('2026-11-27T12:30:00Z'), 'qaa', 'Europe/Berlin');
	expect(said).toMatch(/^Friday, November 27, 2026 at 1:30\sPM Central European Time$/);
});

it.each<[what: string, header: keyof typeof pages.PAGE_HEADERS, directive: string]>([
	['no script, picture or form of another site is loaded', 'Content-Security-Policy', "'none'"],
	['no other site can show it in a frame', 'Content-Security-Policy', "frame-ancestors 'none'"],
	['no search engine lists it', 'X-Robots-Tag', 'noindex'],
	['no browser takes it for something else', 'X-Content-Type-Options', 'nosniff'],
	['no site that is linked to learns its address', 'Referrer-Policy', 'no-referrer'],
	['no cache keeps it', 'Cache-Control', 'no-store'],
])('the page that asks is a secret: %s', (_, header, directive) => {
	expect(pages.PAGE_HEADERS[header]).toContain(directive);
});
