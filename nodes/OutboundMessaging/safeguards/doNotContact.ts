import { InvalidValue, quoteForError } from '../validation/invalidValue';

/**
 * Reads the list of recipients who get no message.
 * @param value a list, or text with one entry per line or separated by commas; empty entries are ignored
 * @param readings every recipient that an entry can mean: an ambiguous phone number blocks both of its readings.
 *   Throws InvalidValue for an entry that can't be understood
 * @throws InvalidValue: without a list, or with an entry that can't be understood, it's unknown who must get no message
 */
export function doNotContactList(
	value: unknown,
	readings: (entry: unknown) => string[],
): Set<string> {
	if (!Array.isArray(value) && (typeof value !== 'string' || value.trim() === '')) {
		throw new InvalidValue(
			value === null || value === undefined || value === ''
				? 'is empty: the expression found no list'
				: `is ${quoteForError(value)}, not a list`,
			"Map a list of recipients, e.g. {{ $('Opt-outs').all().map((row) => row.json.phone) }}. If it may be missing, end the expression with ?? []",
		);
	}
	const entries: unknown[] = typeof value === 'string' ? value.split(/[\n\r,;]/) : value;
	// Entries that are all empty come from a field name with a typo: contacting everyone would be the opposite of the list.
	if (entries.length > 0 && entries.every(isEmpty)) {
		throw new InvalidValue(
			'has only empty entries: the expression found no values',
			'Check the field names in the expression. For a list that may be empty, let it yield []',
		);
	}
	const recipients = new Set<string>();
	entries.forEach((entry, index) => {
		if (isEmpty(entry)) return;
		for (const recipient of readingsOf(entry, index, readings)) recipients.add(recipient);
	});
	return recipients;
}

function isEmpty(entry: unknown): boolean {
	return (
		entry === null || entry === undefined || (typeof entry === 'string' && entry.trim() === '')
	);
}

function readingsOf(
	entry: unknown,
	index: number,
	readings: (entry: unknown) => string[],
): string[] {
	try {
		return readings(entry);
	} catch (error) {
		throw unreadableEntry(error as InvalidValue, index);
	}
}

function unreadableEntry({ message, fix }: InvalidValue, index: number): InvalidValue {
	return new InvalidValue(
		`has an entry that can't be used: entry ${index + 1} (the first is 1) ${message}`,
		fix,
	);
}
