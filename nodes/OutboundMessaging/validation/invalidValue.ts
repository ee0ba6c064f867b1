import { twoLines } from '../common/twoLines';

export type FixWith = (expression: string) => string;

/**
 * A value that a check rejected: `message` says what is wrong and follows the parameter's label, `fix` says how to fix
 * it. `fixWith` is the fix around the field's own expression, where the workflow has one; `path` is where in the parameter
 * the value is.
 */
export class InvalidValue extends Error {
	constructor(
		message: string,
		readonly fix: string,
		readonly fixWith?: FixWith,
		readonly path?: string,
	) {
		super(message);
		this.name = 'InvalidValue';
	}
}

/** An InvalidValue as people read it: the first line says what's wrong, the second one how to fix it. */
export function invalid(lines: TemplateStringsArray, ...values: unknown[]): InvalidValue {
	const { title, description } = twoLines(lines, ...values);
	return new InvalidValue(title, description);
}

/**
 * Checks a part of a parameter's value.
 * @param part how an error names it
 */
export function checkPart<T>(part: string, check: () => T, path?: string): T {
	try {
		return check();
	} catch (error) {
		throw inPart(part, error as InvalidValue, path);
	}
}

const inPart = (part: string, { message, fix, fixWith }: InvalidValue, path?: string) =>
	new InvalidValue(`${part} ${message}`, fix, fixWith, path);

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

/** What several checks ask of a value. */

/**
 * The value, if it's text. Only an expression gives null or undefined (a field that was left empty holds an empty
 * text), so these are named as what they are: an expression that found nothing.
 * @param noun what the parameter holds, e.g. `a URL`
 * @param fix for a value of another type
 * @param emptyFix for an expression that found nothing, and the same around that expression
 * @throws InvalidValue
 */
export function requireText(
	value: unknown,
	noun: string,
	fix: string,
	emptyFix = 'Check that the input item has that field',
	emptyFixWith?: FixWith,
): string {
	if (typeof value === 'string') return value;
	if (value === null || value === undefined) {
		throw new InvalidValue('is empty: the expression found no value', emptyFix, emptyFixWith);
	}
	if (typeof value === 'object') throw new InvalidValue('received several values at once', fix);
	throw new InvalidValue(`is ${quoteForError(value)}, not ${noun}`, fix);
}

/**
 * Bounds what is parsed: parsers and patterns can take quadratic time, and n8n is blocked meanwhile.
 * @throws InvalidValue
 */
export function requireLength(text: string, longest: number, fix: string): void {
	if (text.length <= longest) return;
	throw invalid`${quoteForError(text)} is longer than ${longest.toLocaleString('en-US')} characters
		${fix}`;
}

/**
 * Beyond 2^53 a number can't hold all its digits: what arrives isn't what was written any more.
 * @throws InvalidValue
 */
export function requireExact(value: number): void {
	if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return;
	throw invalid`${quoteForError(value)} is too large for a number: its last digits are lost
		Store it as text where it comes from, e.g. format the spreadsheet column as plain text`;
}
