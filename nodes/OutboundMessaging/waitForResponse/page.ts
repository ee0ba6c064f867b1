import { createHash } from 'node:crypto';

import { everywhere, exactly } from '../common/text';
import {
	type PageTexts,
	type Question,
	LONGEST_ANSWER,
	PAGE_TEXTS,
	isFarTooLong,
} from './question';

const STYLE = String.raw`
:root { color-scheme: light dark }
:root { --text: #1c2430; --faint: #5b6675; --wrong: #b3261e; --back: #f2f4f7 }
:root { --card: #fff; --line: #7b8794; --main: #14532d; --on-main: #fff }
@media (prefers-color-scheme: dark) {
	:root { --text: #e8ecf2; --faint: #a3adbb; --wrong: #ffb4ab; --back: #12161c }
	:root { --card: #1d232c; --line: #7e8a9a; --main: #86efac; --on-main: #052e16 }
}
* { box-sizing: border-box }
body { margin: 0; padding: 1rem; min-height: 100vh; display: grid; place-items: center }
body { background: var(--back); color: var(--text); font: 1.125rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 28rem }
main { padding: 1.25rem; border-radius: 1rem; background: var(--card) }
h1, p { margin: 0 0 1.25rem; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere }
h1:not([id]) { font-size: 1.25em; font-weight: 600 }
[dir=ltr] :is(h1, p, button) { unicode-bidi: plaintext }
.faint { color: var(--faint) }
#note { margin: 0; color: var(--wrong) }
form { display: grid; gap: .75rem }
button, textarea { width: 100%; min-height: 3rem; padding: .7rem 1rem; overflow-wrap: anywhere }
button, textarea { border: 1px solid var(--line); border-radius: .75rem }
button, textarea { background: transparent; color: inherit; font: inherit }
textarea { min-height: 8rem; resize: vertical }
button { cursor: pointer; font-weight: 600 }
button:disabled { opacity: .5; cursor: default }
.main { border-color: var(--main); background: var(--main); color: var(--on-main) }
:focus-visible { outline: 3px solid var(--text); outline-offset: 2px }
[role=status] { outline: none }
`;

/**
 * One press is enough. When the event comes, what the form sends is fixed: before, a disabled
 * button wouldn't be in it.
 */
const SCRIPT = `
const disable = (disabled) => {
	for (const button of document.querySelectorAll('button')) button.disabled = disabled;
};
addEventListener('formdata', () => disable(true));
// People who go back find the page as they left it.
addEventListener('pageshow', () => disable(false));
`;

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const POLICY =
	`default-src 'none'; style-src ${hash(STYLE)}; script-src ${hash(SCRIPT)}; form-action ` +
	"'self'; base-uri 'none'";

/**
 * The link is a secret: it must not be found by a search, stay in a cache or travel
 * to another site.
 */
export const PAGE_HEADERS = {
	'Content-Security-Policy': `${POLICY}; frame-ancestors 'none'`,
	'X-Robots-Tag': 'noindex, nofollow',
	'X-Content-Type-Options': 'nosniff',
	'Referrer-Policy': 'no-referrer',
	'Cache-Control': 'no-store',
};

/**
 * @param token tells this page from others of the same link
 * @param note why what was sent isn't an answer
 */
export function questionPage(
	question: Question,
	token: string,
	note?: string,
	sent?: unknown,
): string {
	const { type, labels, texts, deadline } = question;
	const hidden = `<input type="hidden" name="token" value="${token}">`;
	const alert = note ? paragraph(note, 'id="note" role="alert"') : '';
	const buttons = labels?.map((label, index) => {
		const look = type === 'approval' && index === 0 ? 'class="main" ' : '';
		return `<button ${look}name="answer" value="${index}">${html(label)}</button>`;
	});
	const fields = buttons?.join('') ?? textField(texts, note, sent);
	const description = texts.description && paragraph(texts.description);
	const until = deadline ? paragraph(`${texts.deadlineMessage} ${deadline}`, 'class="faint"') : '';
	return page(
		question,
		`${description}${until}<form method="post">${hidden}${alert}${fields}</form>`,
	);
}

/** With what was typed before, so that no one types it twice. */
function textField({ buttonLabel }: PageTexts, note?: string, sent?: unknown) {
	// By their numbers, hidden characters stay as they were typed.
	const typed = typeof sent === 'string' ? html(sent).replace(HIDDEN, asNumber) : '';
	const tied = note ? 'aria-describedby="note" aria-invalid="true" autofocus' : '';
	// Browsers drop a line break at the start: this one, and not the first one that was typed. With a
	// `maxlength`, they would cut what is pasted, without a word.
	return (
		`<textarea name="answer" aria-labelledby="question" ${tied} required dir="auto">\n` +
		`${typed}</textarea><button class="main">${html(buttonLabel)}</button>`
	);
}

/**
 * The user has no text for it, so in other languages than English it's a count that needs no words.
 */
export function tooLongNote(length: number, language: string): string {
	const { format } = new Intl.NumberFormat([language, PAGE_TEXTS.language]);
	const count = `${format(length)} / ${format(LONGEST_ANSWER)}`;
	return /^en\b/.test(language) ? `Your answer is too long: ${count} characters` : count;
}

/** With the focus, screen readers say what was answered. */
export function answeredPage(question: Question, answer: string): string {
	const said = paragraph(question.texts.completionMessage) + paragraph(answer, 'dir="auto"');
	return page(question, `<div role="status" tabindex="-1" autofocus>${said}</div>`);
}

/** Says nothing of the question: its link belongs to someone else. */
export const closedPage = (texts: PageTexts): string =>
	page({ message: texts.closedMessage, texts: { ...texts, title: '' } }, '');

const DEADLINE_PARTS = {
	weekday: 'long',
	day: 'numeric',
	month: 'long',
	year: 'numeric',
	hour: 'numeric',
	minute: '2-digit',
	/** By its name, e.g. "Central European Time". */
	timeZoneName: 'longGeneric',
} as const;

/** When waiting ends, as people in the workflow's time zone read it. */
export function formatDeadline(end: Date, language: string, timeZone: string): string {
	const parts = { ...DEADLINE_PARTS, timeZone };
	return new Intl.DateTimeFormat([language, PAGE_TEXTS.language], parts).format(end);
}

const paragraph = (text: string, attributes = '') => `<p ${attributes}>${html(text)}</p>`;

/** What people type is text. */
const html = (text: string) => (isFarTooLong(text) ? '' : text.replace(/[&<>"']/g, asNumber));

/** A character as HTML reads it from its number. */
const asNumber = (character: string) => `&#${character.codePointAt(0)};`;

/** Marks of direction that dates and amounts have where people write from right to left. */
const DIRECTION = String.raw`[\u061c\u200e\u200f]`;
/** Such letters make an emoji of a flag. */
const TAG = String.raw`[\u{e0000}-\u{e007f}]`;
const MISUSED = String.raw`[\u202a-\u202e\u2061-\u206f]|(?<!\u{1f3f4}${TAG}{0,6})${TAG}`;
const UNSEEN = String.raw`(?<![\p{L}\p{M}\p{ExtPict}\p{EMod}])(?!\ufe0f\u20e3|${TAG})\p{DI}`;
/**
 * What no one sees, unless a letter or an emoji needs it, and what turns texts around: an amount
 * could look like another.
 */
const HIDDEN = everywhere`(?!\s)\p{Cc}|${DIRECTION}|${MISUSED}|${UNSEEN}`;

const RIGHT_TO_LEFT_LETTER = exactly`(?=\p{L})
	[\u0590-\u08ff\ufb1d-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]`;

/** A page on which people read hidden characters, too. */
function withoutHidden(page: string): string {
	const needed = new RegExp(RIGHT_TO_LEFT_LETTER.test(page) ? DIRECTION : '^$');
	return page.replace(HIDDEN, (hidden) =>
		needed.test(hidden) ? hidden : `[U+${hidden.codePointAt(0)!.toString(16).toUpperCase()}]`,
	);
}

/**
 * The scripts in use that are written from right to left. Node 20 can't tell: it has
 * no `getTextInfo`.
 */
const RIGHT_TO_LEFT = exactly`^(?:Adlm|Arab|Hebr|Mand|Nkoo|Rohg|Samr|Syrc|Thaa)$`;

/** @param language a valid tag */
export const isRightToLeft = (language: string) =>
	RIGHT_TO_LEFT.test(new Intl.Locale(language).maximize().script ?? '');

/** The policy is in the page, too: n8n replaces the header where the execution continues. */
function page({ message, texts }: Pick<Question, 'message' | 'texts'>, content: string) {
	const { title, language } = texts;
	const heading = title
		? `<h1>${html(title)}</h1>${paragraph(message, 'id="question"')}`
		: `<h1 id="question">${html(message)}</h1>`;
	return withoutHidden(`<!doctype html>
<html lang="${html(language)}" dir="${isRightToLeft(language) ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${html(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${html(title || message)}</title>
<style>${STYLE}</style>
</head>
<body><main>${heading}${content}</main><script>${SCRIPT}</script></body>
</html>
`);
}
