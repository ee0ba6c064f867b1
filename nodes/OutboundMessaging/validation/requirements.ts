import { InvalidValue, quoteForError } from './invalidValue';

/** What several checks ask of a value. */

/**
 * The value, if it's text. Only an expression gives null or undefined (a field that was left empty holds an empty
 * text), so these are named as what they are: an expression that found nothing.
 * @param noun what the parameter holds, e.g. `a URL`
 * @param fix for a value of another type
 * @throws InvalidValue
 */
export function requireText(value: unknown, noun: string, fix: string): string {
	if (typeof value === 'string') return value;
	if (value === null || value === undefined) {
		throw new InvalidValue(
			'is empty: the expression found no value',
			'Check that the input item has that field',
		);
	}
	throw new InvalidValue(
		typeof value === 'object'
			? 'received several values at once'
			: `is ${quoteForError(value)}, not ${noun}`,
		fix,
	);
}

/**
 * Bounds what is parsed: parsers and patterns can take quadratic time, and n8n is blocked meanwhile.
 * @throws InvalidValue
 */
export function requireLength(text: string, longest: number, fix: string): void {
	if (text.length <= longest) return;
	throw new InvalidValue(
		`${quoteForError(text)} is longer than ${longest.toLocaleString('en-US')} characters`,
		fix,
	);
}

/**
 * Beyond 2^53 a number can't hold all its digits: what arrives isn't what was written any more.
 * @throws InvalidValue
 */
export function requireExact(value: number): void {
	if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return;
	throw new InvalidValue(
		`${quoteForError(value)} is too large for a number: its last digits are lost`,
		'Store it as text where it comes from, e.g. format the spreadsheet column as plain text',
	);
}
