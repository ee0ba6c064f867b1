import { trimmed } from './whitespace';
import { InvalidValue, quoteForError } from './invalidValue';

/**
 * The text of a message: sent untouched, refused only when there is nothing to read in it.
 * @param value text, or a number or boolean that an expression yielded
 * @throws InvalidValue
 */
export function messageText(value: unknown): string {
	const text = asText(value);
	if (text !== undefined) return text;
	throw new InvalidValue(
		describeInvalid(value),
		'Enter the text, or map a field that holds text, e.g. {{ $json.text }}',
	);
}

/** The value as text, untouched; undefined when it is no text or when nothing can be seen of it. */
export function asText(value: unknown): string | undefined {
	// A calculation that went wrong gives NaN, and no customer should read that.
	if (Number.isFinite(value) || typeof value === 'boolean') return String(value);
	return typeof value === 'string' && trimmed(value) !== '' ? value : undefined;
}

/** What is wrong with a value that is no text, to follow the name of its field. */
export function describeInvalid(value: unknown): string {
	return typeof value === 'string' ? 'is empty' : `is ${quoteForError(value)}, not text`;
}
