/** Takes the API key out of a text. */
export type Redact = (text: string) => string;

/**
 * So many characters are searched for; what follows them without a space goes, too. That's linear,
 * however long the key is.
 */
const SEARCHED_CHARS = 32;
/** A shorter piece of base64 is in many other texts too. */
const MIN_BASE64_CHARS = 8;

/**
 * Finds the key as a service may repeat it: as it is or in base64, in any case, URL-encoded, or
 * escaped for JSON or HTML; also with marks in it that no one sees.
 */
export function redactor(apiKey: string): Redact {
	// The scheme in front of a key, such as "Bearer", is no secret.
	const secret = apiKey.replace(/^[a-z-]+ /i, '');
	const forms = [
		patternOf(secret, /[^]/),
		// Nothing writes letters and digits of base64 in another way, and each way makes the pattern
		// slower to compile.
		...base64Forms(secret).map((form) => patternOf(form, /\W/)),
	];
	const pattern = new RegExp(forms.join('|'), 'gi');
	return (text) => text.replace(pattern, '***');
}

/** What can be between its characters without anyone seeing it. */
const UNSEEN = '[\\0\\xad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]*';

/** @param escaped the characters that can be written in another way */
function patternOf(form: string, escaped: RegExp) {
	const characters = form.slice(0, SEARCHED_CHARS).split('');
	const spelled = characters
		.map((each) => (escaped.test(each) ? spellings(each) : each))
		.join(UNSEEN);
	return form.length > SEARCHED_CHARS ? `${spelled}\\S*` : spelled;
}

/**
 * How a character can be written: itself, with a backslash in front, and in a URL, JSON and HTML;
 * there, any name will do.
 */
function spellings(character: string) {
	const code = character.charCodeAt(0);
	const hex = code.toString(16).padStart(2, '0');
	const html = `(?:#0*${code}|#x0*${hex}|quot|amp|apos|lt|gt);`;
	return `(?:\\\\u00${hex}|\\\\?\\x${hex}|%${hex}|&${html})`;
}

/**
 * The characters that are certain in base64, for each of the three places at which a key can begin
 * in a group of bytes.
 */
const base64Forms = (secret: string) =>
	[0, 1, 2]
		.flatMap((offset) => {
			const all = btoa('\0'.repeat(offset) + secret);
			const begin = Math.ceil((offset * 8) / 6);
			const certain = all.slice(begin, Math.floor(((offset + secret.length) * 8) / 6));
			return [certain, certain.replaceAll('+', '-').replaceAll('/', '_')];
		})
		.filter(({ length }) => length >= MIN_BASE64_CHARS);
