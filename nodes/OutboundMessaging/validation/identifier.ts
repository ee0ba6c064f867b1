import {
	invalid,
	quoteForError,
	requireContent,
	requireExact,
	requireLength,
} from './invalidValue';
import { intactValue } from './brokenText';

const LONGEST = 256;
export const MAP_ID = 'Map the field that holds the ID';
const ENTER = 'Enter the ID, or map a field that has a value';

/** An ID or a send-once key, as text. Results carry a customer ID as a number (specification 2.1): it's taken, too. */
export function identifier(value: unknown): string {
	if (typeof value === 'number') {
		if (Number.isFinite(value)) requireExact(value);
		if (Number.isInteger(value) && value >= 0) return String(value);
		throw invalid`${quoteForError(value)} isn't a whole number
			Map the field that holds the ID, as text or as a whole number`;
	}
	const id = requireContent(value, 'an ID', MAP_ID, ENTER);
	requireLength(id, LONGEST, `${MAP_ID}, and nothing else`);
	return intactValue(id);
}
