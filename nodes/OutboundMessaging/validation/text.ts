import { isObject } from '../common/isObject';
import {
	type FixWith,
	invalid,
	InvalidValue,
	quoteForError,
	requireExact,
	requireText,
} from './invalidValue';
import { intactText } from './brokenText';
import { isInvisible } from './whitespace';

/** Text that a customer reads: sent untouched, unless it shows nothing or what no one should read. @param emptyFix for the former */
export function messageText(value: unknown, emptyFix?: string, fixWith?: FixWith): string {
	if (typeof value === 'boolean') return String(value);
	if (typeof value === 'number') {
		// A calculation that went wrong gives NaN or Infinity, and no customer should read that.
		if (!Number.isFinite(value))
			throw invalid`is ${quoteForError(value)}, not text
				Check the calculation in the expression`;
		requireExact(value);
		return String(value);
	}
	// What $now and new Date() are.
	if (isObject(value) && ('toISO' in value || 'toISOString' in value))
		throw invalid`is a date and time, not text
			Write it as the customer should read it, e.g. {{ $now.toFormat('d LLL yyyy, HH:mm') }}`;
	const fix = 'Map one field, e.g. {{ $json.text }}';
	const text = requireText(value, 'text', fix, emptyFix, fixWith);
	if (!isInvisible(text)) return intactText(text);
	const what = text.trim() === '' ? 'is empty' : 'is empty: it has only invisible characters';
	throw new InvalidValue(what, emptyFix ?? 'Enter text, or map a field that has a value', fixWith);
}
