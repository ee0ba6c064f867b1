import { type ErrorText, twoLines } from '../common/errorText';
import { trimmed } from '../common/whitespace';
import { isDate } from './dates';

/** What every check throws for a value that it rejects. Its title follows the parameter's label. */
export class InvalidValue extends Error implements ErrorText {
	name = 'InvalidValue';

	constructor(
		readonly title: string,
		readonly description: string,
	) {
		super(title);
	}
}

/** An InvalidValue as people read it: the first line says what's wrong, the second one how to fix it. */
export function invalid(lines: TemplateStringsArray, ...values: unknown[]): InvalidValue {
	const { title, description } = twoLines(lines, ...values);
	return new InvalidValue(title, description);
}

/** Checks a part of a parameter's value. An error names it. */
export function checkPart<T>(part: string, check: () => T): T {
	try {
		return check();
	} catch (error) {
		const { title, description } = error as InvalidValue;
		throw error instanceof InvalidValue ? new InvalidValue(`${part} ${title}`, description) : error;
	}
}

/** A value as an error may show it: quoted, on one line, its first characters only, and without a working tag of HTML. */
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

/** A number as text. Beyond 2^53 it can't hold all its digits: what arrives isn't what was written any more. */
export function requireExact(value: number): string {
	if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
	throw invalid`${quoteForError(value)} is too large for a number: its last digits are lost
		Format this column as plain text and enter the number again, or store it as text where it comes from`;
}

/** The value, if it's text: only an expression gives null or undefined. @param noun what the parameter holds, e.g. `a URL` */
export function requireText(
	value: unknown,
	noun: string,
	fix: string,
	emptyFix = "Fill in this field of the item. If it has a value, check the field's name in the expression",
): string {
	if (typeof value === 'string') return value;
	if (value === null || value === undefined)
		throw new InvalidValue('is empty: the expression found no value', emptyFix);
	if (isDate(value)) throw new InvalidValue(`is a date and time, not ${noun}`, fix);
	if (typeof value === 'object') throw new InvalidValue('received several values at once', fix);
	throw new InvalidValue(`is ${quoteForError(value)}, not ${noun}`, fix);
}

/** Text without what is invisible around it, which must not be empty. */
export function requireContent(value: unknown, noun: string, fix: string, emptyFix = fix): string {
	const text = trimmed(requireText(value, noun, fix));
	if (text === '') throw new InvalidValue('is empty', emptyFix);
	return text;
}

/** Bounds what is parsed: parsers and patterns can take quadratic time, and n8n is blocked meanwhile. */
export function requireLength(text: string, longest: number, fix: string) {
	if (text.length <= longest) return;
	throw invalid`${quoteForError(text)} is longer than ${longest.toLocaleString('en-US')} characters
		${fix}`;
}
