import { invalid, InvalidValue, quoteForError, requireExact, requireText } from './invalidValue';
import { intactText } from './brokenText';
import { AS_TEXT, FOR_PEOPLE, isDate } from './dates';
import { isInvisible } from './whitespace';

/** Without braces around the fallback: inside JSON, they're around all of it. Only a name may be replaced with any word. */
const FILL_IN = `Fill in this field. If the item has a value in it, it may be a date: write ${FOR_PEOPLE}. For a name, the expression can have a fallback: $json.name?.trim() || 'there'`;

/** Text that a customer reads: sent untouched, unless it shows nothing or what no one should read. @param emptyFix for the former */
export function messageText(value: unknown, emptyFix = FILL_IN): string {
	if (typeof value === 'boolean') return String(value);
	if (typeof value === 'number') {
		// A calculation that went wrong gives NaN or Infinity, and no customer should read that.
		if (!Number.isFinite(value))
			throw invalid`is ${quoteForError(value)}, not text
				Correct the numbers of this row, or the calculation in the expression`;
		requireExact(value);
		return String(value);
	}
	const fix = 'Enter one text in this row, or map one field, e.g. {{ $json.text }}';
	const text = requireText(value, 'text', isDate(value) ? AS_TEXT : fix, emptyFix);
	if (!isInvisible(text)) return intactText(text);
	const what = text.trim() === '' ? 'is empty' : 'is empty: it has only invisible characters';
	throw new InvalidValue(what, emptyFix);
}
