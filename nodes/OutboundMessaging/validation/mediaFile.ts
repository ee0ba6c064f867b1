import { invalid, quoteForError } from './invalidValue';
import { exactly } from '../common/text';

/** A kind's extensions: those that WhatsApp takes in the header of a template, and all of them. */
const format = (noun: string, header: string, other: string) => {
	return { noun, header: header.split(','), all: `${header},${other}`.split(',') };
};
const FORMATS = {
	document: format('a document', '', 'pdf,doc,docx,xls,xlsx,ppt,pptx,txt,csv,rtf,odt,zip'),
	image: format('an image', 'jpg,jpeg,png', 'webp,gif,svg,heic,heif,avif,bmp,tif,tiff'),
	video: format('a video', 'mp4,3gp,3gpp', 'mov,avi,mkv,webm,wmv,flv,m4v,mpg,mpeg'),
	audio: format('an audio file', 'mp3,aac,amr,m4a,mp4,ogg,oga,opus', 'wav,flac,wma,aif,aiff'),
};
export type MediaKind = keyof typeof FORMATS;

/**
 * Rejects a URL that certainly gives no such file: a share page, another kind's extension, a format
 * not taken in a header.
 */
export function requireFile(url: URL, kind: MediaKind, isHeader: boolean) {
	const shown = quoteForError(url.href);
	const address = url.hostname + url.pathname + url.search;
	if (LOCKED.some((pattern) => pattern.test(address))) {
		throw invalid`${shown} only opens with its app's own key or token
			Enter a URL that opens without signing in. In a workflow, save the file where anyone can \
				open it first, and map that URL`;
	}
	if (SAMPLE.test(address)) {
		throw invalid`${shown} is WhatsApp's copy of a template's sample
			Enter the URL of your own file: WhatsApp's copy is for reviewing the template, and it ends`;
	}
	const fix = fixForPage(address);
	if (fix !== undefined) {
		throw invalid`${shown} opens a page, not the file itself
			${fix}`;
	}
	if (!PLACE_OR_FORMAT.test(url.hash)) {
		throw invalid`${shown} is only requested up to its #
			If # is in the file's name, write %23 for it: \
				${quoteForError(url.href.replaceAll('#', '%23'), 500)}. If not, remove # and what follows. \
				In an expression, .urlEncode() writes %23`;
	}

	const extension = (url.pathname + url.hash).replace(EXTENSION, '$1').toLowerCase();
	const own = FORMATS[kind];
	if (kind === 'document' || own.header.includes(extension)) return;
	const found = Object.values(FORMATS).find(({ all }) => all.includes(extension));
	if (found === undefined || (found === own && !isHeader)) return;
	// A server can give another format than the URL says.
	const [format] = own.header;
	const anyway = `If the server gives such a file anyway, write #.${format} at the end of the URL`;
	if (found === own) {
		throw invalid`${shown} is in a format that WhatsApp doesn't take in a header
			Use one of ${own.header.join(', ')}. ${anyway}`;
	}
	throw invalid`${shown} ends like ${found.noun}, and the type is ${kind}
		Enter the URL of ${own.noun}, or choose the file's own type. ${anyway}`;
}

/** How to get from a page to its file; undefined for the address of anything else. */
function fixForPage(address: string): string | undefined {
	const known = PAGES.find(([page]) => page.test(address));
	if (known === undefined || ASKS_FOR_FILE.test(address)) return undefined;
	const [page, use] = known;
	if (typeof use === 'string') return use;

	const file = new URL('file' in use ? address.replace(page, use.file) : `https://${address}`);
	if ('query' in use) file.searchParams.set(use.query, '1');
	return `Use the file's own URL: ${quoteForError(file.href, 500)}`;
}

/**
 * The pattern of what addresses begin with, also with a subdomain. A dot between
 * letters is only a dot.
 */
const at = (raw: TemplateStringsArray, ...parts: string[]) =>
	new RegExp(`^(?:[^/]+\\.)?(?:${String.raw(raw, ...parts).replace(/\b\.\b/g, '\\.')}).*`);

/** Files that apps give only with the account's token in a header, or encrypted. */
const LOCKED = [
	exactly`^[^?]*\.enc(?:\?|$)`,
	at`mmg.whatsapp.net/|graph.facebook.com/|lookaside.fbsbx.com/(?!ig_messaging_cdn/)`,
	at`api.telegram.org/|api.twilio.com/|slack.com/files-pri/(?!.*[?&]pub_secret=)`,
	at`graph.microsoft.com/|supabase.co/storage/v1/object/authenticated/`,
];

/**
 * What follows # isn't requested: it's a place in the file (#page=2), or the format that the
 * server gives (#.jpg).
 */
const PLACE_OR_FORMAT = exactly`^(?:#[\w:~]+=.*|#\.\w+)?$`;
const SAMPLE = exactly`^scontent\b[^/]*\.whatsapp\.net/`;

const EXTENSION = exactly`^.*\.(\w+)(?:#.*)?$`;

/** The address of a page that gives its file. */
const ASKS_FOR_FILE = exactly`^dl\.|[?&](?:dl|raw|download)=(?:1|true)(?:&|$)`;

const UPLOAD = 'Put the file where its URL gives the file itself, e.g. on your website';
const VIDEO = 'Upload the video file and use its URL, or send this URL in a text';
const PICTURE =
	'Open the picture there, copy the address of the image (in its menu), and use that URL';
const FOLDER = 'Open the folder, and share the one file that you want to send';

// Parts of Google's addresses: whose account it is, and what shows the file.
const ACCOUNT = '(?:[au]/[^/]+/)?';
const VIEW = String.raw`(?:/(?:edit|view|preview|copy|mobilebasic|htmlview)|/?(?:\?|$))`;
const DRIVE_FILE = { file: 'https://drive.google.com/uc?export=download&id=$1' };
const AS_PDF = { file: 'https://docs.google.com/$1/d/$2/export?format=pdf' };
const SLIDES_AS_PDF = { file: 'https://docs.google.com/presentation/d/$1/export/pdf' };

/** Of pictures, what has a picture's extension is none. */
const PAGE = String.raw`(?![^?]*(?:\.(?:jpe?g|png|gif|webp|svg|avif|mp4)|/download)(?:\?|$))`;

/**
 * Where people share files, and what to use: the file's URL with what the pattern found, the page's
 * with 1 for a query's key, or words.
 */
const PAGES: Array<[page: RegExp, use: { file: string } | { query: string } | string]> = [
	[at`drive.google.com/(?:${ACCOUNT}file/${ACCOUNT}d/|open\?(?:.*&)?id=)([\w-]+)`, DRIVE_FILE],
	[at`drive.google.com/(?:drive|folders)/`, FOLDER],
	[at`docs.google.com/${ACCOUNT}(document|spreadsheets)/${ACCOUNT}d/([\w-]+)${VIEW}`, AS_PDF],
	[at`docs.google.com/${ACCOUNT}presentation/${ACCOUNT}d/([\w-]+)${VIEW}`, SLIDES_AS_PDF],
	[at`dropbox.com/(?:s|scl/fi)/`, { query: 'dl' }],
	[at`sharepoint.com/:\w:/`, { query: 'download' }],
	[at`github.com/([^/]+/[^/]+)/blob/(.*)`, { file: 'https://github.com/$1/raw/$2' }],
	[at`onedrive.live.com/(?!download)|box.com/(?:s|file|folder)/`, UPLOAD],
	[at`1drv.ms/|we.tl/|wetransfer.com/|icloud.com/`, UPLOAD],
	[at`youtu.be/|youtube.com/(?:watch\b|shorts/|live/)`, VIDEO],
	[at`${PAGE}(?:imgur.com|postimg.cc|ibb.co|prnt.sc|gyazo.com)/(?:\w+/)?[\w-]+/?(?:\?|$)`, PICTURE],
	[at`${PAGE}(?:pexels|pixabay|unsplash|flickr).com/(?:[\w-]+/)?(?:photo|foto|image)s?/`, PICTURE],
	[at`${PAGE}(?:freepik.com/[\w-]+/|shutterstock.com/image-|canva.com/design/)`, PICTURE],
	[at`${PAGE}(?:flic.kr/p/|pin.it/|pinterest.com/pin/|giphy.com/gifs/|tenor.com/view/)`, PICTURE],
	[at`(?:instagram.com/(?:p|reel)/|facebook.com/photo|google.com/imgres)`, PICTURE],
	[at`(?:photos.app.goo.gl/|photos.google.com/)`, PICTURE],
	[at`vimeo.com/(?:video/|(?:channels|groups|album|showcase)/.+/)?\d+`, VIDEO],
];
