/**
 * White space, and the marks without width that come along when a contact, an ID or a text is
 * copied. For patterns with the flag u.
 */
export const WHITESPACE = '\\s\\p{Default_Ignorable_Code_Point}';

const AT_THE_START = new RegExp(`^[${WHITESPACE}]+`, 'u');
const INVISIBLE_CHARACTER = new RegExp(`[${WHITESPACE}]`, 'u');
/**
 * Control characters and the empty Braille cell show nothing either, but inside a value they
 * can mean something.
 */
const VISIBLE = new RegExp(`[^${WHITESPACE}\\p{Cc}\\u2800]`, 'u');

/**
 * Takes white space and invisible marks off both ends; the middle stays as it is. Linear in
 * the text's length.
 */
export function trimmed(text: string): string {
	// Counted from the end: a pattern would try every run of white space again and again.
	let end = text.length;
	while (INVISIBLE_CHARACTER.test(text.charAt(end - 1))) end--;
	return text.slice(0, end).replace(AT_THE_START, '');
}

/** Whether a customer would see nothing of the text. */
export const isInvisible = (text: string) => !VISIBLE.test(text);

/** One text for all that look equal, whatever their white space and the marks without width. */
export const asItLooks = (text: string): string =>
	text
		.replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
		.replace(/\s+/g, ' ')
		.normalize('NFC');

/**
 * A pattern of characters, not of halves of them: a text, so that it can have parts and several
 * lines, and be read as one.
 */
export const exactly = (raw: TemplateStringsArray, ...parts: string[]) =>
	new RegExp(String.raw(raw, ...parts).replace(/\n\t+/g, ''), 'u');
/** Such a pattern, in capitals or not. */
export const inAnyCase = (...text: Parameters<typeof exactly>) =>
	new RegExp(exactly(...text), 'iu');
/** Such a pattern, wherever it is in a text: to replace it there, or to list it. */
export const everywhere = (...text: Parameters<typeof exactly>) =>
	new RegExp(exactly(...text), 'gu');
