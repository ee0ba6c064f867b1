import { invalid, quoteForError, requireContent, requireLength } from './invalidValue';
import { exactly, inAnyCase, trimmed } from '../common/text';
import { type MediaKind, requireFile } from './mediaFile';
import { requireIntact } from './brokenText';
import { SERVE, canBePublic, expiryOf, httpUrl } from './url';

/** Presigned URLs have several thousand characters. */
const LONGEST = 8192;
const ENTER = 'Enter the public URL of the file, e.g. https://example.com/invoice.pdf';
const NO_URL = `${ENTER}. ${SERVE}`;

/**
 * The parser would make one of them that leads nowhere. Some services take a URL after
 * a slash or sign.
 */
const SEVERAL = inAnyCase`^https?:[^]*[\s;,|\p{L}\p{N}]https?://`;
const ESCAPED = inAnyCase`\?.*&amp;`;

/**
 * Tokens that open an account, not only the file, as Telegram, Meta, Google, Slack, GitHub and
 * GitLab begin them.
 */
const ACCOUNT_TOKEN = exactly`[/=](?:bot\d+:|EAA\w{60}|ya29\.|xox[a-z]-|gh[pousr]_\w{36}|glpat-)`;

/**
 * The public URL of a file, as a browser would request it (specification 4.1, 4.3). WhatsApp takes
 * fewer formats in a header.
 */
export function mediaUrl(value: unknown, kind: MediaKind, isHeader = false): string {
	const text = requireContent(value, 'a URL', NO_URL, `${ENTER}, or map a field that has a value`);
	const decoded = text.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent);
	requireIntact(decoded, 'url');
	if (SEVERAL.test(text)) {
		throw invalid`${quoteForError(text)} has several URLs
			Leave one URL in this cell, and add a row for each other file. In a workflow, Split \
				Out makes items of them`;
	}
	// Not the rest of what is too long: parsers can take quadratic time.
	const url = httpUrl(text.slice(0, LONGEST));
	if (url === undefined) {
		throw invalid`${quoteForError(text)} isn't a URL that starts with https://
			${NO_URL}`;
	}
	requireLength(text, LONGEST, 'Use a shorter URL for the file');
	if (ESCAPED.test(text)) {
		throw invalid`${quoteForError(text)} has &amp; for each &, as in the source of a web page
			Use the URL as the browser shows it, with & in place of &amp;`;
	}
	if (url.username !== '' || url.password !== '' || ACCOUNT_TOKEN.test(decoded)) {
		throw invalid`has a user name, password or access token in it
			Enter a URL that opens without signing in: the customer and the service could read them`;
	}
	if (!canBePublic(url.hostname)) {
		throw invalid`${quoteForError(text)} points to a private network
			Put the file where anyone on the internet can open it without signing in, and enter that \
				URL: the service fetches it from there`;
	}
	requireNotEnded(url);
	requireFile(url, kind, isHeader);
	return url.href;
}

/** The service fetches the file later than now. */
function requireNotEnded(url: URL) {
	const end = expiryOf(url) ?? Infinity;
	if (end > Date.now()) return;
	const shown = new Date(end).toISOString().slice(0, 16).replace('T', ' ');
	throw invalid`${quoteForError(url.href)} ended on ${shown} (UTC)
		Use a URL that doesn't end, or make a new one in the step before this one`;
}

/**
 * A check for the kind of media, for when an expression chooses it: in any case, and
 * PDF is a document.
 */
export const mediaType =
	<Type extends string>(list: { check(value: unknown): Type }) =>
	(value: unknown): Type =>
		list.check(
			typeof value === 'string' ? trimmed(value).toLowerCase().replace(/^pdf$/, 'document') : value,
		);
