import { invalid, InvalidValue, quoteForError } from './invalidValue';
import { matching, rejectMatching } from './patterns';
import { requireContent, requireLength } from './requireText';
import { type MediaKind, requireFile } from './mediaFile';
import { intact } from './brokenText';
import { canBePublic, httpUrl } from './url';
import { trimmed } from './whitespace';

/** Presigned URLs have several thousand characters. */
const LONGEST = 8192;
const ENTER = 'Enter the public URL of the file, e.g. https://example.com/invoice.pdf';

/** The parser would make one of them that leads nowhere. Some services take a URL after a slash or sign. */
const SEVERAL = matching(/^https?:.*[\s;,|\p{L}\p{N}]https?:\/\//isu)`has several URLs
	Leave one URL in this cell, and add a row for each other file. In a workflow, Split Out makes items of them`;
const ESCAPED = matching(/\?.*&amp;/i)`has &amp; for each &, as in the source of a web page
	Use the URL as the browser shows it, with & in place of &amp;`;

/** Tokens that open an account, not only the file, as Telegram, Meta, Google, Slack, GitHub and GitLab begin them. */
const ACCOUNT_TOKEN = /[/=](?:bot\d+:|EAA\w{60}|ya29\.|xox[a-z]-|gh[pousr]_\w{36}|glpat-)/;

/** The public URL of a file, as a browser would request it (specification 4.1, 4.3). WhatsApp takes fewer formats in a header. */
export function mediaUrl(value: unknown, kind: MediaKind, isHeader = false): string {
	const text = requireContent(value, 'a URL', ENTER, `${ENTER}, or map a field that has a value`);
	const decoded = text.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent);
	intact(decoded, 'url');
	rejectMatching(text, text, [SEVERAL], ENTER);
	// Not the rest of what is too long: parsers can take quadratic time.
	const url = httpUrl(text.slice(0, LONGEST));
	if (url === undefined) {
		throw new InvalidValue(`${quoteForError(text)} isn't a URL that starts with https://`, ENTER);
	}
	requireLength(text, LONGEST, 'Use a shorter URL for the file');
	rejectMatching(text, text, [ESCAPED], ENTER);
	if (url.username !== '' || url.password !== '' || ACCOUNT_TOKEN.test(decoded)) {
		throw invalid`has a user name, password or access token in it
			Enter a URL that opens without signing in: the customer and the service could read them`;
	}
	if (!canBePublic(url.hostname)) {
		throw invalid`${quoteForError(text)} points to a private network
			Put the file where anyone on the internet can open it without signing in, and enter that URL: the service fetches it from there`;
	}
	requireFile(url, kind, isHeader);
	return url.href;
}

/** A check for the kind of media, for when an expression chooses it: in any case, and PDF is a document. */
export const mediaType =
	<Type extends string>(list: { check(value: unknown): Type }) =>
	(value: unknown): Type =>
		list.check(
			typeof value === 'string' ? trimmed(value).toLowerCase().replace(/^pdf$/, 'document') : value,
		);
