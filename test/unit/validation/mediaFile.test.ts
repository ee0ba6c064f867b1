import type { MediaKind } from '../../../nodes/OutboundMessaging/validation/mediaFile';
import { requireFile } from '../../../nodes/OutboundMessaging/validation/mediaFile';
import { refusalOf, words } from '../help';

const fileOf = (url: string, kind: MediaKind = 'document') =>
	requireFile(new URL(url), kind, false);
const DROPBOX = 'https://www.dropbox.com/scl/fi/ab/a.pdf?rlkey=x&dl=';
const SHAREPOINT = 'https://contoso-my.sharepoint.com/:b:/g/personal/a/Eb?e=1';
const GITHUB = 'https://github.com/a/b';
const DRIVE = 'https://drive.google.com/uc?export=download&id=1aB-_9';

describe('a share page', () => {
	const own = (url: string) => `Use the file's own URL: "${url}"`;
	const UPLOAD = 'Put the file where its URL gives the file itself, e.g. on your website';
	const FOLDER = 'Open the folder, and share the one file that you want to send';
	const AS_TEXT = 'Send this URL in a text, or upload the video file and use its URL';
	it.each([
		...words(`https://drive.google.com/file/d/1aB-_9/view?usp=sharing
			https://drive.google.com/file/d/1aB-_9/edit https://drive.google.com/open?id=1aB-_9
			https://drive.google.com/a/example.com/file/u/0/d/1aB-_9/view
			https://drive.google.com/file/u/12/d/1aB-_9/view`).map((url) => [url, own(DRIVE)]),
		[`${DROPBOX}0`, own(`${DROPBOX}1`)],
		['https://sharepoint.com/:b:/g/a', own('https://sharepoint.com/:b:/g/a?download=1')],
		['https://dropbox.com/s/ab/a.pdf', own('https://dropbox.com/s/ab/a.pdf?dl=1')],
		[SHAREPOINT, own(`${SHAREPOINT}&download=1`)],
		['https://1drv.ms/b/s!Aab', UPLOAD],
		['https://onedrive.live.com/?cid=1&id=2', UPLOAD],
		...words(`https://app.box.com/s/ab12 https://acme.app.box.com/file/12 https://we.tl/t-a
			https://wetransfer.com/downloads/ab https://acme.wetransfer.com/downloads/ab
			https://www.icloud.com/iclouddrive/0a#a.pdf https://share.icloud.com/photos/0a`).map((url) => [
			url,
			UPLOAD,
		]),
		...words(`https://drive.google.com/drive/folders/1aB-_9?usp=sharing https://drive.google.com/drive/u/0/folders/1a
			https://drive.google.com/folders/1a`).map((url) => [url, FOLDER]),
		...[
			['document/d/1aB-_9/edit?usp=sharing', 'document/d/1aB-_9/export?format=pdf'],
			['document/d/1aB-_9', 'document/d/1aB-_9/export?format=pdf'],
			['a/example.com/document/u/1/d/1aB-_9/view', 'document/d/1aB-_9/export?format=pdf'],
			['spreadsheets/d/1aB-_9/edit#gid=0', 'spreadsheets/d/1aB-_9/export?format=pdf'],
			['presentation/d/1aB-_9/edit#slide=id.p', 'presentation/d/1aB-_9/export/pdf'],
		].map(([page, file]) => [
			`https://docs.google.com/${page}`,
			own(`https://docs.google.com/${file}`),
		]),
		[`${GITHUB}/blob/main/a/blob/b.pdf`, own(`${GITHUB}/raw/main/a/blob/b.pdf`)],
		...words(`https://vimeo.com/12345 https://vimeo.com/12345/ab https://player.vimeo.com/video/12345?h=a
			https://vimeo.com/channels/staffpicks/12345`).map((url) => [url, AS_TEXT]),
		['https://www.youtube.com/watch?v=a', AS_TEXT],
		['https://m.youtube.com/shorts/a', AS_TEXT],
		['https://youtu.be/a', AS_TEXT],
	])('%s', (url, description) => {
		expect(refusalOf(() => fileOf(url))).toEqual({
			title: expect.stringMatching(/^"https:.+" opens a page, not the file itself$/) as string,
			description,
		});
	});

	it.each(
		words(`${DRIVE} https://www.dropbox.com/scl/fi/ab/a.pdf?rlkey=x&dl=1 https://www.dropbox.com/s/ab/a.pdf?raw=1
			https://dl.dropboxusercontent.com/s/ab/a.pdf https://contoso.sharepoint.com/sites/a/Documents/a.pdf
			https://contoso.sharepoint.com/:b:/g/a?download=1 https://onedrive.live.com/download?resid=1
			https://notdropbox.com/s/ab/a.pdf https://www.youtube.com/img/a.png https://example.com/watch?v=a https://drive.google.com/x/file/d/1aB-_9 https://dropbox.com/x/s/a.pdf https://youtube.com/x/live/
			https://contoso.sharepoint.com/x/:b:/g https://onedrive.live.com/download.aspx https://youtube.com/watches https://example.com/file/d/1aB/view
			${GITHUB}/raw/main/a.pdf ${GITHUB}/blob/main/a.pdf?raw=true ${GITHUB}/releases/download/1/blob/a.pdf https://drive.google.com/open
			https://docs.google.com/document/d/1a/export?format=pdf https://docs.google.com/presentation/d/1a/export/pdf
			https://docs.google.com/spreadsheets/d/e/2a/pub?output=pdf https://app.box.com/shared/static/ab.pdf https://notbox.com/s/ab
			https://cvws.icloud-content.com/B/a.pdf https://player.vimeo.com/external/12345.hd.mp4 https://i.vimeocdn.com/video/1.jpg
			https://notwe.tl/a https://pps.whatsapp.net/a.jpg https://www.dropbox.com/scl/fo/ab/x?dl=1
			https://sharepoint.com.example/:b:/g/a https://a.sharepoint.com.example/:b:/g/a https://youwww.tu.be/a`),
	)('%s is none', (url) => expect(() => fileOf(url)).not.toThrow());
});

it.each(
	words('https://mmg.whatsapp.net/v/t62.7119-24/1_n?ccb=11-4 https://example.com/1_n.enc?ccb=11-4'),
)('%s: WhatsApp encrypted it', (url) => {
	const { title, description } = refusalOf(() => fileOf(url));
	expect(title).toBe(`"${url}" is a file that WhatsApp encrypted: only its own apps can open it`);
	expect(description).toMatch(/^Save the media of the incoming message/);
});

const IMAGES =
	'a.jpg a.JPEG a.png a.webp a a.php?x=a.pdf a.pdf/ a.p a.xyz .pdf/download a.pdf#.jpg';
const DOCUMENTS = { 'a document': 'a.pdf a.PDF?x=1 a.jpg#.pdf a.pdf#page=2 a.pdf#v1.2-x' };
it.each<[MediaKind, string, Record<string, string>]>([
	['image', IMAGES, DOCUMENTS],
	['image', 'a.png#page=2', { 'a video': 'a.mp4 a.mov', 'an audio file': 'a.mp3' }],
	['video', 'a.mp4 a.3gp a.mov a.bin a.php', { 'an image': 'a.png a.heic' }],
	['audio', 'a.mp3 a.ogg a.mp4 a.opus', { 'a video': 'a.mov' }],
	['document', 'a.pdf a.docx a.mp4 a.jpg a.mp3 a.html', {}],
])('the extension of %s can be one of %s, not of %j', (kind, files, others) => {
	for (const file of words(files)) fileOf(`https://example.com/${file}`, kind);
	for (const [noun, names] of Object.entries(others)) {
		for (const file of words(names)) {
			const { title, description } = refusalOf(() => fileOf(`https://example.com/${file}`, kind));
			const ending = `ends like ${noun}, and the type is ${kind}`;
			expect(title).toBe(`"https://example.com/${file}" ${ending}`);
			expect(description).toMatch(
				/^Choose the file's own type, or map the URL of an? [a-z ]+\. If the/,
			);
		}
	}
});

it.each<[MediaKind, string, string]>([
	['image', 'a.jpg a.jpeg a.PNG a a.php a.webp#.png', 'a.webp a.gif a.svg a.heic a.tiff'],
	['audio', 'a.mp3 a.aac a.amr a.m4a a.mp4 a.ogg a.opus', 'a.wav a.flac a.wma'],
	['video', 'a.mp4 a.3gp a.xyz', 'a.mov a.avi a.webm a.mkv'],
	['document', 'a.pdf a.docx a.zip a.png', ''],
])('the header of a template with %s takes %s, not %s', (kind, taken, refused) => {
	const header = (file: string) => requireFile(new URL(`https://example.com/${file}`), kind, true);
	for (const file of words(taken)) header(file);
	for (const file of refused === '' ? [] : words(refused)) {
		const { title, description } = refusalOf(() => header(file));
		expect(title).toContain("is in a format that WhatsApp doesn't take in a header");
		expect(description).toMatch(
			/^Use one of (\w+, )+\w+\. If the server .+ #\.(jpg|mp3|mp4) at the end/,
		);
	}
});
