import { isDate } from './dates';
import { InvalidValue, invalid, quoteForError } from './invalidValue';
import { trimmed } from '../common/whitespace';

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
