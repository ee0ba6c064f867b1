import { intactId } from './brokenText';
import { AS_TEXT, isDate } from './dates';
import {
	invalid,
	quoteForError,
	requireContent,
	requireExact,
	requireLength,
} from './invalidValue';

const LONGEST = 256;
const MAP_ID = 'Enter the ID, or map the field that holds it';

/** An ID or a send-once key, as text. Results carry a customer ID as a number (specification 2.1): it's taken, too. */
export function identifier(value: unknown): string {
	if (typeof value === 'number') {
		if (Number.isFinite(value)) requireExact(value);
		if (Number.isInteger(value) && value >= 0) return String(value);
		throw invalid`${quoteForError(value)} isn't a whole number
			Enter the ID as text or as a whole number, or map the field that holds it`;
	}
	const id = requireContent(value, 'an ID', isDate(value) ? AS_TEXT : MAP_ID);
	requireLength(id, LONGEST, 'Leave only the ID in this field, or map the field that holds it');
	return intactId(id);
}
