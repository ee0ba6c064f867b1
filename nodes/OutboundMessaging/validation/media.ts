import { invalid, quoteForError, requireContent, requireLength } from './invalidValue';
import { type RejectedPattern, matching, rejectMatching } from './rejectedPattern';
import { type MediaKind, requireFile } from './mediaFile';
import { intactValue } from './brokenText';
import { canBePublic, httpUrl } from './url';

/** Presigned URLs have several thousand characters. */
const LONGEST = 8192;
const ENTER = 'Enter the public URL of the file, e.g. https://example.com/invoice.pdf';
const NO_URL = "isn't a URL that starts with https://";
const LOOKS: RejectedPattern[] = [
	matching(/^(?!https?:)/i)`${NO_URL}`,
	// The parser would make one of them that leads nowhere. Some services take a URL after a slash or sign.
	matching(/[\s;,|\p{L}\p{N}]https?:\/\//iu)`has several URLs
		Map one URL. To send several files, make an item of each, e.g. with Split Out`,
];

/** The public URL of a file, as a browser would request it (specification 4.1, 4.3). WhatsApp takes fewer formats in a header. */
export function mediaUrl(value: unknown, kind: MediaKind, isHeader = false): string {
	const url = publicUrl(value);
	requireFile(url, kind, isHeader);
	return url.href;
}

function publicUrl(value: unknown): URL {
	const text = requireContent(value, 'a URL', ENTER, `${ENTER}, or map a field that has a value`);
	intactValue(text.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent));
	rejectMatching(text, text, LOOKS, ENTER);
	requireLength(text, LONGEST, 'Use a shorter URL for the file');
	if (/\?.*&amp;/i.test(text))
		throw invalid`${quoteForError(text)} has &amp; for each &, as in the source of a web page
			Use the URL as the browser shows it: ${quoteForError(text.replace(/&amp;/gi, '&'), 500)}`;
	const url = httpUrl(text);
	if (url === undefined)
		throw invalid`${quoteForError(text)} ${NO_URL}
			${ENTER}`;
	if (url.username !== '' || url.password !== '')
		throw invalid`has a user name or password in it
			Use a URL that works without signing in: the customer and the service could read them`;
	if (!canBePublic(url.hostname))
		throw invalid`${quoteForError(text)} points to a private network
			Put the file where anyone on the internet can open it without signing in: the service fetches it from there`;
	return url;
}

/** A check for the kind of media, for when an expression chooses it: in any case, and PDF is a document. */
export function mediaType<Type extends string>(
	options: Array<{ value: Type }>,
): (value: unknown) => Type {
	const types = options.map(({ value }) => value);
	const fix = `Use one of ${types.join(', ')}`;
	return (value) => {
		const type = requireContent(value, 'a type', fix).toLowerCase();
		const known = types.find((each) => each === (type === 'pdf' ? 'document' : type));
		if (known !== undefined) return known;
		throw invalid`${quoteForError(value)} isn't a type of media that can be sent here
			${fix}`;
	};
}
