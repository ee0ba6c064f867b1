/** Takes the API key out of a text. */
export type Redact = (text: string) => string;

/** How often the key may be encoded, e.g. in base64, in a URL, in JSON, on a page. */
const MAX_ENCODINGS = 3;
/** So many characters of the key are searched for, and the rest is compared: that's linear, however long the key is. */
const SEARCHED_CHARS = 32;
/** A shorter form is in many other texts too. */
const MIN_FORM_CHARS = 8;

/**
 * Finds the key in every form in which a service may repeat it: as it is, in another case, URL-encoded, escaped for
 * HTML, JSON or JavaScript, in base64 (alone or inside something longer), and split by spaces or invisible characters.
 * A text with an encoded key is returned decoded, every other one as it is.
 */
export function redactor(apiKey: string): Redact {
	// The scheme in front of a key, such as "Bearer", is no secret.
	const secret = apiKey.replace(/^[a-z-]+ /i, '');
	const forms = formsOf(secret);
	return (text) => {
		let shown = text;
		let view = text;
		for (let decodings = 0; ; decodings++) {
			const hidden = withoutForms(view, forms);
			if (hidden !== view) shown = hidden;
			view = decodings < MAX_ENCODINGS ? decoded(hidden) : hidden;
			if (view === hidden) return shown;
		}
	};
}

/** What the key looks like in a text without escapes: itself, and in base64. */
function formsOf(secret: string): string[] {
	const forms = [secret];
	// A key can look as if it were encoded: then it's decoded with the text around it.
	for (let count = 0; count < MAX_ENCODINGS; count++) forms.push(decoded(forms[count]));
	forms.push(...base64Forms(secret));
	const [own, ...others] = forms.map(comparable);
	return [...new Set([own, ...others.filter(({ length }) => length >= MIN_FORM_CHARS)])];
}

/** The characters that are certain in base64, for each of the three places at which a key can begin in a group of bytes. */
function base64Forms(secret: string): string[] {
	return [0, 1, 2].flatMap((offset) => {
		const all = btoa('\0'.repeat(offset) + secret);
		const begin = Math.ceil((offset * 8) / 6);
		const end = Math.floor(((offset + secret.length) * 8) / 6);
		const certain = all.slice(begin, end);
		return [certain, certain.replaceAll('+', '-').replaceAll('/', '_')];
	});
}

function withoutForms(text: string, forms: string[]): string {
	const searched = comparable(text);
	return forms
		.filter((form) => searched.includes(form.slice(0, SEARCHED_CHARS)))
		.reduce(withoutForm, text);
}

function withoutForm(text: string, form: string): string {
	const searched = comparable(text);
	const beginning = form.slice(0, SEARCHED_CHARS);
	const positions = visiblePositions(text);
	const kept: string[] = [];
	let from = 0;
	for (let at = searched.indexOf(beginning); at >= 0; at = searched.indexOf(beginning, at)) {
		kept.push(text.slice(from, positions[at]));
		at += beginning.length;
		for (let next = beginning.length; next < form.length && searched[at] === form[next]; next++)
			at++;
		from = positions[at - 1] + 1;
	}
	return [...kept, text.slice(from)].join('***');
}

/** Spaces, control and invisible characters. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}]+/gu;
const VISIBLE = /[^\s\p{Cc}\p{Cf}]+/gu;

/** A text in small letters, without what doesn't count; one character for each visible one. */
function comparable(text: string): string {
	// The one letter that becomes two as a small letter.
	return text.replace(INVISIBLE, '').replaceAll('İ', 'i').toLowerCase();
}

/** Where each character of the comparable text is in the text. */
function visiblePositions(text: string): number[] {
	const positions: number[] = [];
	for (const { 0: visible, index } of text.matchAll(VISIBLE)) {
		for (let offset = 0; offset < visible.length; offset++) positions.push(index + offset);
	}
	return positions;
}

const ESCAPE =
	/(?:%|\\x)([0-9a-f]{2})|\\u([0-9a-f]{4})|&#(x[0-9a-f]{1,8}|[0-9]{1,8});?|&(quot|amp|apos|lt|gt);?|\\(["'\\/bfnrt])/gi;

const NAMED: Record<string, string> = { quot: '"', amp: '&', apos: "'", lt: '<', gt: '>' };

/** A text without one level of escapes of URLs, HTML, JSON and JavaScript. */
function decoded(text: string): string {
	return text.replace(ESCAPE, (escape: string, byte, unicode, number, name, character) => {
		if (typeof name === 'string') return NAMED[name.toLowerCase()];
		if (typeof character === 'string') return /[bfnrt]/.test(character) ? ' ' : character;
		const code = Number(number === undefined ? `0x${byte ?? unicode}` : `0${number}`);
		return code <= 0x10ffff ? String.fromCodePoint(code) : escape;
	});
}
