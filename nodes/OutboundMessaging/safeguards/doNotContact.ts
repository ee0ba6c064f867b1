import { mapInTurns } from '../common/eventLoop';
import { type InvalidValue, invalid, quoteForError } from '../validation/invalidValue';

/**
 * Reads the list of recipients who get no message. Thousands of national numbers take seconds.
 * @param value a list, or text with one entry per line or separated by commas; empty entries are ignored
 * @param readings every recipient that an entry can mean: an ambiguous phone number blocks both of its readings.
 *   Throws InvalidValue for an entry that can't be understood
 * @throws InvalidValue: without a list, or with an entry that can't be understood, it's unknown who must get no message
 */
export async function doNotContactList(
	value: unknown,
	readings: (entry: unknown) => string[],
): Promise<Set<string>> {
	if (!Array.isArray(value) && (typeof value !== 'string' || isEmptyEntry(value))) {
		const isMissing = (value ?? '') === '';
		throw invalid`is ${isMissing ? 'empty: the expression found no list' : `${quoteForError(value)}, not a list`}
			Map a list of recipients, e.g. {{ $('Opt-outs').all().map((row) => row.json.phone) }}. If it may be missing, end the expression with ?? []`;
	}
	const entries: unknown[] = typeof value === 'string' ? value.split(/[\n\r,;]/) : value;
	// Entries that are all empty come from a field name with a typo: contacting everyone would be the opposite of the list.
	if (entries.length > 0 && entries.every(isEmptyEntry)) {
		throw invalid`has only empty entries: the expression found no values
			Check the field names in the expression. A list that may be empty has to be []`;
	}
	const recipients = new Set<string>();
	const unreadable: string[] = [];
	let firstFix = '';
	await mapInTurns(entries, (entry, index) => {
		if (isEmptyEntry(entry)) return;
		try {
			for (const recipient of readings(entry)) recipients.add(recipient);
		} catch (error) {
			const { message, fix } = error as InvalidValue;
			unreadable.push(`entry ${index + 1} ${message}`);
			firstFix ||= fix;
		}
	});
	if (unreadable.length === 0) return recipients;
	const listed = unreadable.splice(0, MAX_LISTED);
	if (unreadable.length > 0) listed.push(`and ${unreadable.length} more`);
	throw invalid`has entries that can't be used (the first entry is 1): ${listed.join('; ')}
		${firstFix}`;
}

function isEmptyEntry(entry: unknown): boolean {
	return (
		entry === null || entry === undefined || (typeof entry === 'string' && entry.trim() === '')
	);
}

/** So many entries are listed: one look at the list fixes it. */
const MAX_LISTED = 10;
