import { type ErrorText, twoLines } from '../common/failure';
import { isObject } from '../common/isObject';
import { isInvisible, trimmed } from '../common/text';
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

/**
 * An InvalidValue as people read it: the first line says what's wrong, the second
 * one how to fix it.
 */
export function invalid(lines: TemplateStringsArray, ...values: unknown[]): InvalidValue {
	const { title, description } = twoLines(lines, ...values);
	return new InvalidValue(title, description);
}

/** Checks a part of a parameter's value. An error names it. */
export function checkPart<T>(part: string, check: () => T): T {
	try {
		return check();
	} catch (error) {
		throw ofPart(part, error);
	}
}

const ofPart = (part: string, error: unknown) =>
	error instanceof InvalidValue
		? invalid`${part} ${error.title}
			${error.description}`
		: error;

/**
 * A value as an error may show it: quoted, on one line, its first characters only, and without a
 * working tag of HTML.
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

/**
 * A number as text. Beyond 2^53 it can't hold all its digits: what arrives isn't what was
 * written any more.
 */
export function requireExact(value: number): string {
	if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
	throw invalid`${quoteForError(value)} is too large for a number: its last digits are lost
		Format this column as plain text and enter the number again, or store it as \
			text where it comes from`;
}

/**
 * The value, if it's text: only an expression gives null or undefined.
 * @param noun what the parameter holds, e.g. `a URL`
 */
export function requireText(
	value: unknown,
	noun: string,
	fix: string,
	emptyFix = 'Fill in this field of the item. If it has a value, ' +
		"check the field's name in the expression",
): string {
	if (typeof value === 'string') return value;
	if (value === null || value === undefined) {
		throw invalid`is empty: the expression found no value
			${emptyFix}`;
	}
	if (typeof value === 'object' && !isDate(value)) {
		throw invalid`received several values at once
			${fix}`;
	}
	throw invalid`is ${isDate(value) ? 'a date and time' : quoteForError(value)}, not ${noun}
		${fix}`;
}

/** Text without what is invisible around it, which must not be empty. */
export function requireContent(value: unknown, noun: string, fix: string, emptyFix = fix): string {
	const text = trimmed(requireText(value, noun, fix));
	if (text !== '') return text;
	throw invalid`is empty
		${emptyFix}`;
}

/**
 * Bounds what is parsed: parsers and patterns can take quadratic time, and n8n is
 * blocked meanwhile.
 */
export function requireLength(text: string, longest: number, fix: string) {
	if (text.length <= longest) return;
	throw invalid`${quoteForError(text)} is longer than ${longest.toLocaleString('en-US')} characters
		${fix}`;
}

/** Whether an expression is in a value, as the workflow has it, or anywhere inside. */
export const hasExpression = (raw: unknown) => JSON.stringify([raw]).includes('"=');

/**
 * Whether a value is none: what an expression that finds nothing gives, or a text
 * that shows nothing.
 */
export const isNothing = (value: unknown) =>
	value === null ||
	value === undefined ||
	(typeof value === 'string' && isInvisible(value)) ||
	(isObject(value) && !isDate(value) && Object.keys(value).length === 0);

/**
 * Requires a usable value of an option or a safeguard that was added: its user relies on it, and
 * without it, nothing would hold.
 * @param raw as the workflow has it, with expressions as text. In the editor, `=` is an
 *   empty expression
 * @throws InvalidValue
 */
export function requireUsable(raw: unknown, value: unknown, mayBeEmpty = false) {
	if (!isNothing(value) || (mayBeEmpty && value === '' && raw !== '=')) return;
	if (typeof raw === 'string' && raw.startsWith('=') && !isInvisible(raw.slice(1))) {
		throw invalid`is empty: the expression found no value
			Check the expression, and the field that it reads. To do without this setting, remove it`;
	}
	throw invalid`is empty
		Enter a value, or remove this setting`;
}

/**
 * A pattern of values that are rejected, and the two lines of their error. Without the second one,
 * the fix is the caller's.
 */
export interface RejectedPattern extends Partial<ErrorText> {
	pattern: RegExp;
}
/** A rejected pattern, e.g. matching(/@/)`has an at sign\n\tRemove it`. */
export const matching =
	(pattern: RegExp) =>
	(...lines: Parameters<typeof twoLines>): RejectedPattern => ({ pattern, ...twoLines(...lines) });

/**
 * Rejects a text that has one of the patterns; the error shows the value as given.
 * @throws InvalidValue
 */
export function rejectMatching(
	text: string,
	given: unknown,
	patterns: RejectedPattern[],
	fix: string,
) {
	const { title, description = fix } = patterns.find(({ pattern }) => pattern.test(text)) ?? {};
	if (title === undefined) return;
	throw invalid`${quoteForError(given)} ${title}
		${description}`;
}
