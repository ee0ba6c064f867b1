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
	const fix = fixOfSharePage(url);
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
	const found = nounOf(extension);
	if (found === undefined) return;
	throw invalid`${shown} ends like ${found}, and the type is ${kind}
		Choose the file's own type, or map the URL of ${noun}. ${anyway}`;
}

function nounOf(extension: string): string | undefined {
	if (DOCUMENT.test(extension)) return 'a document';
	const all = Object.values(FORMATS);
	return all.find(({ header, other }) => [...header, ...other].includes(extension))?.noun;
}

/** Where people share files: how to get from a page to the file itself; undefined for other URLs. */
function fixOfSharePage({ href, hostname, pathname, searchParams }: URL): string | undefined {
	const host = hostname.replace(/^(?:www|m)\./, '');
	const direct = (name: string, value: string, base = href) => {
		const file = new URL(base);
		file.searchParams.set(name, value);
		return `Use the file's own URL: ${quoteForError(file.href, 500)}`;
	};
	if (host === 'drive.google.com') {
		const inPath = /^\/(?:a\/[^/]+\/)?file\/(?:u\/\d+\/)?d\/([\w-]+)/.exec(pathname)?.[1];
		const id = inPath ?? (pathname === '/open' ? searchParams.get('id') : null);
		return id ? direct('id', id, 'https://drive.google.com/uc?export=download') : undefined;
	}
	if (host === 'dropbox.com') {
		const isFile = searchParams.get('dl') === '1' || searchParams.get('raw') === '1';
		return /^\/(?:s|scl\/fi)\//.test(pathname) && !isFile ? direct('dl', '1') : undefined;
	}
	if (/(?:^|\.)sharepoint\.com$/.test(host)) {
		const isFile = !/^\/:\w:\//.test(pathname) || searchParams.get('download') === '1';
		return isFile ? undefined : direct('download', '1');
	}
	if (host === '1drv.ms' || (host === 'onedrive.live.com' && !pathname.startsWith('/download'))) {
		return 'Put the file where its URL gives the file itself, e.g. on your website';
	}
	const isVideo = host === 'youtube.com' && /^\/(?:watch$|shorts\/|live\/)/.test(pathname);
	return isVideo || host === 'youtu.be'
		? 'Send this URL in a text, or upload the video file and use its URL'
		: undefined;
}
