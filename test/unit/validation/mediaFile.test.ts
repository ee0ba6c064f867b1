import type { MediaKind } from '../../../nodes/OutboundMessaging/validation/mediaFile';
import { requireFile } from '../../../nodes/OutboundMessaging/validation/mediaFile';
import { refusalOf, words } from '../help';

const fileOf = (url: string, kind: MediaKind = 'document') =>
	requireFile(new URL(url), kind, false);
const DROPBOX = 'https://www.dropbox.com/scl/fi/ab/a.pdf?rlkey=x&dl=';
const SHAREPOINT = 'https://contoso-my.sharepoint.com/:b:/g/personal/a/Eb?e=1';
const DRIVE = 'https://drive.google.com/uc?export=download&id=1aB-_9';

describe('a share page', () => {
	const own = (url: string) => `Use the file's own URL: "${url}"`;
	const UPLOAD = 'Put the file where its URL gives the file itself, e.g. on your website';
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
		['https://www.youtube.com/watch?v=a', AS_TEXT],
		['https://m.youtube.com/shorts/a', AS_TEXT],
		['https://youtu.be/a', AS_TEXT],
	])('%s', (url, fix) => {
		expect(refusalOf(() => fileOf(url))).toEqual({
			message: expect.stringMatching(/^"https:.+" opens a page, not the file itself$/) as string,
			fix,
		});
	});

	it.each(
		words(`${DRIVE} https://www.dropbox.com/scl/fi/ab/a.pdf?rlkey=x&dl=1 https://www.dropbox.com/s/ab/a.pdf?raw=1
			https://dl.dropboxusercontent.com/s/ab/a.pdf https://contoso.sharepoint.com/sites/a/Documents/a.pdf
			https://contoso.sharepoint.com/:b:/g/a?download=1 https://onedrive.live.com/download?resid=1
			https://notdropbox.com/s/ab/a.pdf https://www.youtube.com/img/a.png https://example.com/watch?v=a https://drive.google.com/x/file/d/1aB-_9 https://dropbox.com/x/s/a.pdf https://youtube.com/x/live/
			https://contoso.sharepoint.com/x/:b:/g https://onedrive.live.com/download.aspx https://youtube.com/watches https://example.com/file/d/1aB/view
			https://sharepoint.com.example/:b:/g/a https://a.sharepoint.com.example/:b:/g/a https://youwww.tu.be/a`),
	)('%s is none', (url) => expect(() => fileOf(url)).not.toThrow());
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
			const { message, fix } = refusalOf(() => fileOf(`https://example.com/${file}`, kind));
			const ending = `ends like ${noun}, and the type is ${kind}`;
			expect(message).toBe(`"https://example.com/${file}" ${ending}`);
			expect(fix).toMatch(/^Choose the file's own type, or map the URL of an? [a-z ]+\. If the/);
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
		const { message, fix } = refusalOf(() => header(file));
		expect(message).toContain("is in a format that WhatsApp doesn't take in a header");
		expect(fix).toMatch(/^Use one of (\w+, )+\w+\. If the server .+ #\.(jpg|mp3|mp4) at the end/);
	}
});
