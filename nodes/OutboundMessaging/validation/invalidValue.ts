/**
 * A value that a check rejected: `message` says what is wrong and follows the parameter's label, `fix` says how to fix
 * it, `path` where in the parameter the value is.
 */
export class InvalidValue extends Error {
	constructor(
		message: string,
		readonly fix: string,
		readonly path?: string,
	) {
		super(message);
		this.name = 'InvalidValue';
	}
}

/**
 * Checks a part of a parameter's value.
 * @param part how an error names it, where the parameter's label isn't enough
 */
export function checkAt<T>(path: string, check: () => T, part = ''): T {
	let invalid: InvalidValue;
	try {
		return check();
	} catch (error) {
		invalid = error as InvalidValue;
	}
	throw new InvalidValue(part + invalid.message, invalid.fix, path);
}

/**
 * The value as an error may show it: quoted, on one line, its first characters only, and without a working HTML tag,
 * since n8n shows errors as HTML.
 * @param value anything a parameter can hold
 */
export function quoteForError(value: unknown, characters = 60): string {
	if (value === null || value === undefined) return String(value);
	if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
	// Cut first: the value may be a megabyte long.
	const text = String(value);
	const line = text
		.slice(0, characters)
		.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '\u00b7')
		.replaceAll('<', '\u2039');
	return `"${line}${text.length > characters ? '\u2026' : ''}"`;
}
