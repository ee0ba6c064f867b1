import type { MediaKind } from '../../../nodes/OutboundMessaging/validation/mediaFile';
import { requireFile } from '../../../nodes/OutboundMessaging/validation/mediaFile';
import { itRejects, refusalOf } from '../help';

const fileOf = (url: unknown, kind: MediaKind = 'document', isHeader = false) =>
	requireFile(new URL(String(url)), kind, isHeader);
const PAGE = '… opens a page, not the file itself\n';
/** Each page, and the file's own URL. */
const OWN = [
	[
		'https://www.dropbox.com/scl/fi/ab/a.pdf?rlkey=x&dl=0',
		'https://www.dropbox.com/scl/fi/ab/a.pdf?rlkey=x&dl=1',
	],
	['https://dropbox.com/s/ab/a.pdf', 'https://dropbox.com/s/ab/a.pdf?dl=1'],
	[
		'https://contoso-my.sharepoint.com/:b:/g/personal/a/Eb?e=1',
		'https://contoso-my.sharepoint.com/:b:/g/personal/a/Eb?e=1&download=1',
	],
	[
		'https://docs.google.com/document/d/1aB-_9/edit?usp=sharing',
		'https://docs.google.com/document/d/1aB-_9/export?format=pdf',
	],
	[
		'https://docs.google.com/document/d/1aB-_9',
		'https://docs.google.com/document/d/1aB-_9/export?format=pdf',
	],
	[
		'https://docs.google.com/a/example.com/document/u/1/d/1aB-_9/view',
		'https://docs.google.com/document/d/1aB-_9/export?format=pdf',
	],
	[
		'https://docs.google.com/spreadsheets/d/1aB-_9/edit#gid=0',
		'https://docs.google.com/spreadsheets/d/1aB-_9/export?format=pdf',
	],
	[
		'https://docs.google.com/presentation/d/1aB-_9/edit#slide=id.p',
		'https://docs.google.com/presentation/d/1aB-_9/export/pdf',
	],
	['https://github.com/a/b/blob/main/a/blob/b.pdf', 'https://github.com/a/b/raw/main/a/blob/b.pdf'],
	[
		'https://drive.google.com/file/d/1aB-_9/view?usp=sharing',
		'https://drive.google.com/uc?export=download&id=1aB-_9',
	],
	[
		'https://drive.google.com/open?id=1aB-_9',
		'https://drive.google.com/uc?export=download&id=1aB-_9',
	],
	[
		'https://drive.google.com/a/example.com/file/u/0/d/1aB-_9/view',
		'https://drive.google.com/uc?export=download&id=1aB-_9',
	],
];
it.each(OWN)('%s: the file is %s', (page, file) =>
	expect(refusalOf(() => fileOf(page))).toEqual({
		title: expect.stringMatching(/^"https:.+" opens a page, not the file itself$/) as string,
		description: `Use the file's own URL: "${file}"`,
	}),
);
itRejects((page) => fileOf(page), {
	[`${PAGE}Put the file where its URL gives the file itself, e.g. on your website`]: [
		'https://1drv.ms/b/s!Aab',
		'https://onedrive.live.com/?cid=1&id=2',
		'https://acme.app.box.com/file/12',
		'https://app.box.com/s/ab',
		'https://we.tl/t-a',
		'https://wetransfer.com/downloads/ab',
		'https://www.icloud.com/iclouddrive/0a#a.pdf',
		'https://share.icloud.com/photos/0a',
	],
	[`${PAGE}Open the folder, and share the one file that you want to send`]: [
		'https://drive.google.com/folders/1a',
		'https://drive.google.com/drive/u/0/folders/1a?usp=sharing',
	],
	[`${PAGE}Upload the video file and use its URL, or send this URL in a text`]: [
		'https://youtu.be/a',
		'https://vimeo.com/12345',
		'https://vimeo.com/12345/ab',
		'https://player.vimeo.com/video/12345?h=a',
		'https://vimeo.com/channels/staffpicks/12345',
		'https://www.youtube.com/watch?v=a',
		'https://m.youtube.com/shorts/a',
	],
	["… is WhatsApp's copy of a template's sample\n" +
	"Enter the URL of your own file: WhatsApp's copy is for reviewing the template, and it ends"]: [
		'https://scontent.whatsapp.net/v/t61.29466-34/1_n.jpg?ccb=1-7&oh=01_Q',
		'https://scontent-fra5-1.whatsapp.net/v/a.jpg',
		'https://scontent.xx.whatsapp.net/m1/v/a.pdf',
	],
	[`${PAGE}Open the picture there, copy the address of the image (in its menu), and use that URL`]:
		[
			'https://imgur.com/aB3',
			'https://imgur.com/a/aB3',
			'https://imgur.com/gallery/cat-aB3',
			'https://postimg.cc/aB3',
			'https://postimg.cc/gallery/aB3',
			'https://ibb.co/aB3',
			'https://ibb.co/album/aB3',
			'https://prnt.sc/aB_3',
			'https://gyazo.com/0a1b',
			'https://www.pexels.com/photo/a-cat-123/',
			'https://www.pexels.com/de-de/foto/a-cat-123/',
			'https://unsplash.com/photos/a-cat-aB3',
			'https://unsplash.com/de/fotos/eine-katze-aB3',
			'https://pixabay.com/photos/cat-1/',
			'https://pixabay.com/de/photos/cat-1/',
			'https://pixabay.com/images/id-1/',
			'https://www.flickr.com/photos/a/1',
			'https://flic.kr/p/a',
			'https://www.freepik.com/free-photo/cat_1.htm',
			'https://www.shutterstock.com/image-photo/cat-1',
			'https://www.pinterest.com/pin/1/',
			'https://pin.it/a',
			'https://www.instagram.com/p/a/',
			'https://giphy.com/gifs/cat-a',
			'https://tenor.com/view/cat-gif-1',
			'https://photos.app.goo.gl/a',
			'https://photos.google.com/share/a',
			'https://www.google.com/imgres?imgurl=a',
			'https://www.canva.com/design/a/view',
			'https://www.facebook.com/photo/?fbid=1',
		],
	"… only opens with its app's own key or token": [
		'https://mmg.whatsapp.net/v/t62.7119-24/1_n?ccb=11-4',
		'https://example.com/1_n.enc?ccb=11-4',
		'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1',
		'https://graph.facebook.com/v21.0/1',
		'https://api.telegram.org/file/botTOKEN/a.jpg',
		'https://files.slack.com/files-pri/T1-F1/a.png',
		'https://api.twilio.com/2010-04-01/Accounts/A/Messages/M/Media/1',
		'https://graph.microsoft.com/v1.0/me/drive/items/1/content',
		'https://a.supabase.co/storage/v1/object/authenticated/a/b.pdf',
	],
	[`… is only requested up to its #
If # is in the file's name, write %23 for it: "https://example.com/a%2342%20(%231).pdf". If not, \
remove # and what follows. In an expression, .urlEncode() writes %23`]: [
		'https://example.com/a#42%20(#1).pdf',
	],
	'… is only requested up to its #': [
		'https://example.com/Invoice%20#42.pdf',
		'https://example.com/#1001/a.pdf',
		'https://example.com/C#-guide.pdf',
		'https://example.com/a?order=#1001&x=1',
		'https://example.com/Invoice#42.pdf?token=a=b',
		'https://app.example.com/#/invoices/42',
		'https://example.com/a.pdf#v1.2-x',
	],
});

it.each([
	'https://drive.google.com/uc?export=download&id=1aB-_9',
	'https://www.dropbox.com/scl/fi/ab/a.pdf?rlkey=x&dl=1',
	'https://www.dropbox.com/s/ab/a.pdf?raw=1',
	'https://contoso.sharepoint.com/sites/a/Documents/a.pdf',
	'https://contoso.sharepoint.com/:b:/g/a?download=1',
	'https://onedrive.live.com/download?resid=1',
	'https://notdropbox.com/s/ab/a.pdf',
	'https://www.youtube.com/img/a.png',
	'https://example.com/watch?v=a',
	'https://drive.google.com/x/file/d/1aB-_9',
	'https://dropbox.com/x/s/a.pdf',
	'https://youtube.com/x/live/',
	'https://contoso.sharepoint.com/x/:b:/g',
	'https://onedrive.live.com/download.aspx',
	'https://youtube.com/watches',
	'https://drive.google.com/open',
	'https://github.com/a/b/raw/main/a.pdf',
	'https://github.com/a/b/blob/main/a.pdf?raw=true',
	'https://github.com/a/b/releases/download/1/blob/a.pdf',
	'https://docs.google.com/document/d/1a/export?format=pdf',
	'https://docs.google.com/presentation/d/1a/export/pdf',
	'https://docs.google.com/spreadsheets/d/e/2a/pub?output=pdf',
	'https://app.box.com/shared/static/ab.pdf',
	'https://cvws.icloud-content.com/B/a.pdf',
	'https://player.vimeo.com/external/12345.hd.mp4',
	'https://pps.whatsapp.net/a.jpg',
	'https://www.dropbox.com/scl/fo/ab/x?dl=1',
	'https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=1&signature=a',
	'https://files.slack.com/files-pri/T1-F1/a.png?pub_secret=a',
	'https://a.supabase.co/storage/v1/object/public/a/b.pdf',
	'https://i.imgur.com/aB3.jpg',
	'https://imgur.com/aB3.png',
	'https://i.postimg.cc/aB/a.jpg',
	'https://i.ibb.co/aB/a.png',
	'https://images.pexels.com/photos/1/pexels-photo-1.jpeg',
	'https://images.unsplash.com/photo-1?w=800',
	'https://unsplash.com/photos/aB3/download?force=true',
	'https://cdn.pixabay.com/photo/2016/01/01/a.jpg',
	'https://live.staticflickr.com/1/a.jpg',
	'https://img.freepik.com/free-photo/cat_1.jpg',
	'https://image.shutterstock.com/image-photo/cat-1.jpg',
	'https://i.pinimg.com/originals/a.jpg',
	'https://media.giphy.com/media/a/giphy.gif',
	'https://media.tenor.com/a/cat.gif',
	'https://lh3.googleusercontent.com/a',
	'https://i.gyazo.com/0a1b.png',
	'https://image.prntscr.com/image/a.png',
	'https://notimgur.com/aB3',
	'https://example.com/imgur.com/aB3',
	'https://graph.facebook.com.example/a',
	'https://sharepoint.com.example/:b:/g/a',
	'https://docs.google.com/spreadsheets/d/1a/gviz/tq?tqx=out:csv',
	'https://dl.dropbox.com/s/ab/a.pdf',
	'https://example.com/x.dropbox.com/s/a',
	'https://drive-google.com/file/d/1a',
	'https://a.example/a.pdf#page=2',
	'https://a.example/a.pdf#zoom=100,0,0&page=2',
	'https://a.example/a.pdf#nameddest=ch.1',
	'https://a.example/a.pdf#',
	'https://a.example/a#.jpg',
	'https://a.example/a.pdf#:~:text=a',
])('%s is the file itself', (url) => expect(() => fileOf(url)).not.toThrow());

it.each<[MediaKind, boolean, string[]]>([
	[
		'image',
		false,
		[
			'a.JPEG',
			'a.webp',
			'a',
			'a.p',
			'a.xyz',
			'a.pdf#.jpg',
			'a.png#page=2',
			'a.php?x=a.pdf',
			'.pdf/b',
		],
	],
	['video', false, ['a.mp4', 'a.3gp', 'a.mov', 'a.bin', 'a.php']],
	['document', false, ['a.pdf', 'a.docx', 'a.mp4', 'a.jpg', 'a.mp3', 'a.html']],
	['image', true, ['a.jpg', 'a.jpeg', 'a.PNG', 'a', 'a.php', 'a.webp#.png']],
	['audio', true, ['a.mp3', 'a.aac', 'a.amr', 'a.m4a', 'a.mp4', 'a.ogg', 'a.opus']],
	['video', true, ['a.mp4', 'a.3gp', 'a.xyz']],
])('%s (in a header: %s) can be one of %j', (kind, isHeader, files) => {
	for (const file of files) {
		const read = () => fileOf(`https://example.com/${file}`, kind, isHeader);
		expect(read).not.toThrow();
	}
});

const DOCUMENT = '… ends like a document, and the type is image';
const FORMAT = "… is in a format that WhatsApp doesn't take in a header";
const AS_IMAGE = `${FORMAT}
Use one of jpg, jpeg, png. If the server gives such a file anyway, write \
#.jpg at the end of the URL`;
describe.each<[MediaKind, boolean, string, string[]]>([
	['image', false, DOCUMENT, ['a.pdf', 'a.PDF?x=1', 'a.jpg#.pdf', 'a.pdf#page=2']],
	['image', false, '… ends like a video, and the type is image', ['a.mp4', 'a.mov']],
	['image', false, '… ends like an audio file, and the type is image', ['a.mp3']],
	['video', false, '… ends like an image, and the type is video', ['a.png', 'a.heic']],
	['image', true, AS_IMAGE, ['a.webp', 'a.gif', 'a.svg', 'a.heic', 'a.tiff']],
	['audio', true, FORMAT, ['a.wav', 'a.flac', 'a.wma']],
])('%s (in a header: %s)', (kind, isHeader, title, files) =>
	itRejects((url) => fileOf(url, kind, isHeader), {
		[title]: files.map((file) => `https://example.com/${file}`),
	}),
);
