import { createHash } from 'node:crypto';

import { type Question, LONGEST_ANSWER } from './question';

const STYLE = String.raw`
:root { color-scheme: light dark; --text: #1c2430; --faint: #5b6675; --back: #f2f4f7; --card: #fff; --line: #c9d0da; --main: #14532d; --on-main: #fff }
@media (prefers-color-scheme: dark) { :root { --text: #e8ecf2; --faint: #a3adbb; --back: #12161c; --card: #1d232c; --line: #465162; --main: #86efac; --on-main: #052e16 } }
* { box-sizing: border-box }
body { margin: 0; padding: 1rem; min-height: 100vh; display: grid; place-items: center; background: var(--back); color: var(--text); font: 1.125rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 28rem; padding: 1.25rem; border-radius: 1rem; background: var(--card) }
p { margin: 0 0 1.25rem; white-space: pre-wrap; overflow-wrap: anywhere }
.note { color: var(--faint) }
form { display: grid; gap: .75rem }
button, textarea { width: 100%; min-height: 3rem; padding: .7rem 1rem; border: 1px solid var(--line); border-radius: .75rem; background: transparent; color: inherit; font: inherit; overflow-wrap: anywhere }
textarea { min-height: 8rem; resize: vertical }
button { cursor: pointer; font-weight: 600 }
button:first-of-type { border-color: var(--main); background: var(--main); color: var(--on-main) }
`;

const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'self'; base-uri 'none'`;

/** The link is a secret: it must not be found by a search, stay in a cache or travel to another site. */
export const PAGE_HEADERS = {
	'Content-Security-Policy': `${POLICY}; frame-ancestors 'none'`,
	'X-Robots-Tag': 'noindex, nofollow',
	'X-Content-Type-Options': 'nosniff',
	'Referrer-Policy': 'no-referrer',
	'Cache-Control': 'no-store',
};

const TEXT_FIELD = `<textarea name="answer" aria-label="Your answer" maxlength="${LONGEST_ANSWER}" required dir="auto"></textarea><button>Send</button>`;

/** @param note what was wrong with an answer */
export function questionPage({ message, labels }: Question, note?: string): string {
	const button = (label: string) =>
		`<button name="answer" value="${html(label)}">${html(label)}</button>`;
	const fields = labels?.map(button).join('') ?? TEXT_FIELD;
	const alert = note === undefined ? '' : `<p class="note" role="alert">${html(note)}</p>`;
	return page(`${paragraph(message)}${alert}<form method="post">${fields}</form>`);
}

export function notePage(...notes: string[]): string {
	return page(notes.map(paragraph).join(''));
}

const paragraph = (text: string) => `<p dir="auto">${html(text)}</p>`;

/** What people type is text. */
function html(text: string): string {
	return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The policy is in the page, too: n8n replaces the header where the execution continues. */
function page(content: string): string {
	return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${html(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>Your answer</title>
<style>${STYLE}</style>
</head>
<body><main>${content}</main></body>
</html>
`;
}
