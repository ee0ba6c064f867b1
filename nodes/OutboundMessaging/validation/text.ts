import { invalid, requireExact, requireContent, requireLength, requireText } from './invalidValue';
import { requireIntact } from './brokenText';
import { AS_TEXT, FOR_PEOPLE, isDate } from './dates';
import { isInvisible } from '../common/text';

/**
 * Without braces around the fallback: inside JSON, they're around all of it. Only a name may be
 * replaced with any word.
 */
const FILL_IN =
	`Fill in this field. If the item has a value in it, it may be a date: write ${FOR_PEOPLE}. For ` +
	"a name, the expression can have a fallback: $json.name?.trim() || 'there'";

/**
 * Text that a customer reads: sent untouched, unless it shows nothing or what no one should read.
 * @param emptyFix for the former
 */
export function messageText(value: unknown, emptyFix = FILL_IN): string {
	if (typeof value === 'boolean') return String(value);
	// A calculation that went wrong gives NaN or Infinity, and no customer should read that.
	if (typeof value === 'number' && Number.isFinite(value)) return requireExact(value);
	const fix = 'Enter one text in this row, or map one field, e.g. {{ $json.text }}';
	const text = requireText(value, 'text', isDate(value) ? AS_TEXT : fix, emptyFix);
	if (!isInvisible(text)) return requireIntact(text, 'text');
	const what = text.trim() === '' ? 'is empty' : 'is empty: it has only invisible characters';
	throw invalid`${what}
		${emptyFix}`;
}

const LONGEST = 256;
const MAP_ID = 'Enter the ID, or map the field that holds it';

/**
 * An ID or a send-once key, as text. Results carry a customer ID as a number (specification 2.1):
 * it's taken, too.
 */
export function identifier(value: unknown): string {
	if (typeof value === 'number' && Number.isInteger(value) && value >= 0)
		return requireExact(value);
	const id = requireContent(value, 'an ID', isDate(value) ? AS_TEXT : MAP_ID);
	requireLength(id, LONGEST, 'Leave only the ID in this field, or map the field that holds it');
	return requireIntact(id, 'id');
}
