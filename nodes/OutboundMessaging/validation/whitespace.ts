/** Marks without width that come along when a contact or an ID is copied from a phone or a web page. */
export const INVISIBLE = '\\u200B-\\u200F\\u202A-\\u202E\\u2060\\u2066-\\u2069\\uFEFF';

const AT_THE_START = new RegExp(`^[\\s${INVISIBLE}]+`);
const BLANK = new RegExp(`[\\s${INVISIBLE}]`);

/** Takes blanks and invisible marks off both ends; the middle stays as it is. Linear in the text's length. */
export function trimmed(text: string): string {
	let end = text.length;
	while (end > 0 && BLANK.test(text[end - 1])) end--;
	return text.slice(0, end).replace(AT_THE_START, '');
}
