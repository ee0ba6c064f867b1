/** A value that a check rejected: `message` says what is wrong and follows the parameter's label, `fix` says how to fix it. */
export class InvalidValue extends Error {
	constructor(
		message: string,
		readonly fix: string,
	) {
		super(message);
		this.name = 'InvalidValue';
	}
}

const SHOWN_CHARACTERS = 60;

/**
 * The value as an error may show it: quoted, on one line, at most 60 characters of it, and without a working HTML tag,
 * since n8n shows errors as HTML.
 * @param value anything a parameter or an expression can yield
 */
export function quoteForError(value: unknown): string {
	if (value === null || value === undefined) return String(value);
	if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
	// Cut first: the value may be a megabyte long.
	const text = String(value);
	const line = text
		.slice(0, SHOWN_CHARACTERS)
		.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '\u00b7')
		.replaceAll('<', '\u2039');
	return `"${line}${text.length > SHOWN_CHARACTERS ? '\u2026' : ''}"`;
}
