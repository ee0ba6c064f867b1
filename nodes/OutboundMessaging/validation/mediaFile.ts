import { invalid, InvalidValue, quoteForError } from './invalidValue';

export type MediaKind = 'image' | 'audio' | 'video' | 'document';

interface Formats {
	noun: string;
	/** Extensions that WhatsApp takes in the header of a template. */
	header: string[];
	/** Other extensions of this kind. */
	other: string[];
}

const FORMATS: Record<Exclude<MediaKind, 'document'>, Formats> = {
	image: {
		noun: 'an image',
		header: ['jpg', 'jpeg', 'png'],
		other: ['webp', 'gif', 'svg', 'heic', 'heif', 'avif', 'bmp', 'tif', 'tiff'],
	},
	video: {
		noun: 'a video',
		header: ['mp4', '3gp', '3gpp'],
		other: ['mov', 'avi', 'mkv', 'webm', 'wmv', 'flv', 'm4v', 'mpg', 'mpeg'],
	},
	audio: {
		noun: 'an audio file',
		header: ['mp3', 'aac', 'amr', 'm4a', 'mp4', 'ogg', 'oga', 'opus'],
		other: ['wav', 'flac', 'wma', 'aif', 'aiff'],
	},
};
const DOCUMENT = /^(?:pdf|docx?|xlsx?|pptx?|txt|csv|rtf|odt|zip)$/;

/**
 * Rejects a URL that certainly doesn't give a file of this kind: a share page, the extension of another kind, or in the
 * header of a template a format that WhatsApp doesn't take there. Any file can be a document.
 * @throws InvalidValue
 */
export function requireFile(url: URL, kind: MediaKind, isHeader: boolean): void {
	const shown = quoteForError(url.href);
	const hostAndPath = url.hostname.replace(/^(?:www|m)\./, '') + url.pathname;
	if (/^mmg\.whatsapp\.net\/|\.enc$/.test(hostAndPath)) {
		throw invalid`${shown} is a file that WhatsApp encrypted: only its own apps can open it
			Save the media of the incoming message as a file with a public URL, and use that URL`;
	}
	const [page, file] = PAGES.find(([each]) => each.test(hostAndPath)) ?? [];
	const found =
		typeof file === 'function' ? file(url, page?.exec(hostAndPath)?.slice(1) ?? []) : file;
	const fix = found?.startsWith('https:')
		? `Use the file's own URL: ${quoteForError(found, 500)}`
		: found;
	if (fix) throw new InvalidValue(`${shown} opens a page, not the file itself`, fix);

	// What follows # isn't requested: that's where users write what the server gives.
	const extension = (url.pathname + url.hash).replace(/^.*\.(\w+)(?:#.*)?$/, '$1').toLowerCase();
	if (kind === 'document' || FORMATS[kind].header.includes(extension)) return;
	const { noun, header, other } = FORMATS[kind];
	// A server can give another format than the URL says.
	const anyway = `If the server gives such a file anyway, write #.${header[0]} at the end of the URL`;
	if (other.includes(extension)) {
		if (!isHeader) return;
		throw invalid`${shown} is in a format that WhatsApp doesn't take in a header
			Use one of ${header.join(', ')}. ${anyway}`;
	}
	const otherNoun = nounOf(extension);
	if (otherNoun === undefined) return;
	throw invalid`${shown} ends like ${otherNoun}, and the type is ${kind}
		Choose the file's own type, or map the URL of ${noun}. ${anyway}`;
}

function nounOf(extension: string): string | undefined {
	if (DOCUMENT.test(extension)) return 'a document';
	const all = Object.values(FORMATS);
	return all.find(({ header, other }) => [...header, ...other].includes(extension))?.noun;
}

/** The URL of the file, with a value in its query. */
const withQuery = (name: string, value: string, base: string) => {
	const file = new URL(base);
	file.searchParams.set(name, value);
	return file.href;
};
const UPLOAD = 'Put the file where its URL gives the file itself, e.g. on your website';
const AS_TEXT = 'Send this URL in a text, or upload the video file and use its URL';
const DRIVE = 'https://drive.google.com/uc?export=download';

/**
 * Where people share files: host and path of a page, and how to get from it to the file itself, by a URL or in words;
 * undefined for the file's own URL. The first row that fits counts.
 */
const PAGES: Array<
	[page: RegExp, file: string | ((url: URL, ids: string[]) => string | undefined)]
> = [
	[
		/^drive\.google\.com\/(?:a\/[^/]+\/)?file\/(?:u\/\d+\/)?d\/([\w-]+)/,
		(_, [id]) => withQuery('id', id, DRIVE),
	],
	[
		/^drive\.google\.com\/open$/,
		({ searchParams }) => {
			const id = searchParams.get('id');
			return id === null ? undefined : withQuery('id', id, DRIVE);
		},
	],
	[
		/^drive\.google\.com\/(?:drive|folders)\//,
		'Open the folder, and share the one file that you want to send',
	],
	[
		/^docs\.google\.com\/(?:a\/[^/]+\/)?(document|spreadsheets|presentation)\/(?:u\/\d+\/)?d\/([\w-]+)(?:\/(?:edit|view|preview|copy|mobilebasic|htmlview).*)?\/?$/,
		(_, [kind, id]) =>
			`https://docs.google.com/${kind}/d/${id}/export${kind === 'presentation' ? '/pdf' : '?format=pdf'}`,
	],
	[
		/^dropbox\.com\/(?:s|scl\/fi)\//,
		({ href, searchParams }) =>
			[searchParams.get('dl'), searchParams.get('raw')].includes('1')
				? undefined
				: withQuery('dl', '1', href),
	],
	[
		/^(?:.+\.)?sharepoint\.com\/:\w:\//,
		({ href, searchParams }) =>
			searchParams.get('download') === '1' ? undefined : withQuery('download', '1', href),
	],
	[
		/^github\.com\/[^/]+\/[^/]+\/blob\//,
		({ href, searchParams }) =>
			searchParams.has('raw') ? undefined : href.replace('/blob/', '/raw/'),
	],
	[/^1drv\.ms\/|^onedrive\.live\.com\/(?!download)/, UPLOAD],
	[/^(?:[\w-]+\.)*box\.com\/(?:s|file|folder)\//, UPLOAD],
	[/^we\.tl\/|^(?:[\w-]+\.)?wetransfer\.com\//, UPLOAD],
	[/^(?:[\w-]+\.)?icloud\.com\//, UPLOAD],
	[/^youtube\.com\/(?:watch$|shorts\/|live\/)|^youtu\.be\//, AS_TEXT],
	[/^(?:player\.)?vimeo\.com\/(?:video\/|(?:channels|groups|album|showcase)\/.+\/)?\d+/, AS_TEXT],
];
