import { invalid, InvalidValue, quoteForError } from './invalidValue';

/** A kind's extensions: those that WhatsApp takes in the header of a template, and others. */
const format = (noun: string, header: string, other: string) => {
	return { noun, header: header.split(','), other: other.split(',') };
};
const FORMATS = {
	document: format('a document', '', 'pdf,doc,docx,xls,xlsx,ppt,pptx,txt,csv,rtf,odt,zip'),
	image: format('an image', 'jpg,jpeg,png', 'webp,gif,svg,heic,heif,avif,bmp,tif,tiff'),
	video: format('a video', 'mp4,3gp,3gpp', 'mov,avi,mkv,webm,wmv,flv,m4v,mpg,mpeg'),
	audio: format('an audio file', 'mp3,aac,amr,m4a,mp4,ogg,oga,opus', 'wav,flac,wma,aif,aiff'),
};
export type MediaKind = keyof typeof FORMATS;

/** Rejects a URL that certainly gives no such file: a share page, another kind's extension, a format not taken in a header. */
export function requireFile(url: URL, kind: MediaKind, isHeader: boolean): void {
	const shown = quoteForError(url.href);
	if (url.hostname === 'mmg.whatsapp.net' || url.pathname.endsWith('.enc'))
		throw invalid`${shown} is a file that WhatsApp encrypted: only its own apps can open it
			Save the media of the incoming message as a file with a public URL, and use that URL`;
	const fix = fileBehindPage(url);
	if (fix) throw new InvalidValue(`${shown} opens a page, not the file itself`, fix);

	// What follows # isn't requested: that's where users write what the server gives.
	const extension = (url.pathname + url.hash).replace(/^.*\.(\w+)(?:#.*)?$/, '$1').toLowerCase();
	const { noun, header, other } = FORMATS[kind];
	if (kind === 'document' || header.includes(extension)) return;
	// A server can give another format than the URL says.
	const anyway = `If the server gives such a file anyway, write #.${header[0]} at the end of the URL`;
	if (other.includes(extension)) {
		if (!isHeader) return;
		throw invalid`${shown} is in a format that WhatsApp doesn't take in a header
			Use one of ${header.join(', ')}. ${anyway}`;
	}
	const found = Object.values(FORMATS).find((of) =>
		[of.header, of.other].flat().includes(extension),
	);
	if (found === undefined) return;
	throw invalid`${shown} ends like ${found.noun}, and the type is ${kind}
		Choose the file's own type, or map the URL of ${noun}. ${anyway}`;
}

/** How to get from a page to the file itself; undefined for any other URL. */
function fileBehindPage(url: URL): string | undefined {
	const text = url.hostname.replace(/^(?:www|m)\./, '') + url.pathname + url.search;
	const [page, file] = PAGES.find(([each]) => each.test(text)) ?? [];
	if (page === undefined || file === undefined || /^[A-Z]/.test(file)) return file;
	const own = new URL(file.startsWith('?') ? url.href : text.replace(page, file));
	if (file.startsWith('?')) own.searchParams.set(...(file.slice(1).split('=') as [string, string]));
	return `Use the file's own URL: ${quoteForError(own.href, 500)}`;
}

const UPLOAD = 'Put the file where its URL gives the file itself, e.g. on your website';
const AS_TEXT = 'Send this URL in a text, or upload the video file and use its URL';
const FOLDER = 'Open the folder, and share the one file that you want to send';

const googleDocs = (kinds: string) =>
	new RegExp(
		String.raw`^docs\.google\.com/(?:a/[^/]+/)?(${kinds})/(?:u/\d+/)?d/([\w-]+)(?:/(?:edit|view|preview|copy|mobilebasic|htmlview)[^?]*)?/?(?:\?.*)?$`,
	);

/**
 * Where people share files: host, path and query of a page, and how to get from it to the file: its URL with what the
 * pattern found, a value for the page's query, or words. The first row that fits counts.
 */
const PAGES: Array<[page: RegExp, file: string]> = [
	[
		/^drive\.google\.com\/(?:(?:a\/[^/]+\/)?file\/(?:u\/\d+\/)?d\/|open\?(?:.*&)?id=)([\w-]+).*/,
		'https://drive.google.com/uc?export=download&id=$1',
	],
	[/^drive\.google\.com\/(?:drive|folders)\//, FOLDER],
	[googleDocs('document|spreadsheets'), 'https://docs.google.com/$1/d/$2/export?format=pdf'],
	[googleDocs('presentation'), 'https://docs.google.com/$1/d/$2/export/pdf'],
	[/^dropbox\.com\/(?:s|scl\/fi)\/(?!.*[?&](?:dl|raw)=1(?:&|$))/, '?dl=1'],
	[/^(?:[\w-]+\.)*sharepoint\.com\/:\w:\/(?!.*[?&]download=1(?:&|$))/, '?download=1'],
	[/^github\.com\/([^/]+\/[^/]+)\/blob\/(?!.*[?&]raw\b)(.*)/, 'https://github.com/$1/raw/$2'],
	[/^onedrive\.live\.com\/(?!download)|^(?:[\w-]+\.)*box\.com\/(?:s|file|folder)\//, UPLOAD],
	[/^(?:1drv\.ms|we\.tl|(?:[\w-]+\.)?(?:wetransfer|icloud)\.com)\//, UPLOAD],
	[/^youtube\.com\/(?:watch(?!\w)|shorts\/|live\/)|^youtu\.be\//, AS_TEXT],
	[/^(?:player\.)?vimeo\.com\/(?:video\/|(?:channels|groups|album|showcase)\/.+\/)?\d+/, AS_TEXT],
];
