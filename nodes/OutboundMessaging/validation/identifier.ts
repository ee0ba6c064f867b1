import { trimmed } from './whitespace';
import { InvalidValue, quoteForError } from './invalidValue';

/**
 * An ID of the service (customer, template, channel) as text. Results carry a customer ID as a number and
 * requests carry it as text (specification 2.1), so whole numbers are taken too.
 * @param value text, or a whole number that has not lost digits
 * @throws InvalidValue
 */
export function identifier(value: unknown): string {
	if (typeof value === 'number') return fromNumber(value);
	if (typeof value !== 'string') {
		throw new InvalidValue(
			`is ${quoteForError(value)}, not an ID`,
			'Map the field that holds the ID',
		);
	}
	const id = trimmed(value);
	if (id === '') throw new InvalidValue('is empty', 'Enter the ID, or map the field that holds it');
	return id;
}

function fromNumber(value: number): string {
	if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
		throw new InvalidValue(
			`${quoteForError(value)} is too large for a number: its last digits are already lost`,
			'Keep the ID as text where it comes from, e.g. format the column of the sheet as plain text',
		);
	}
	if (!Number.isInteger(value) || value < 0) {
		throw new InvalidValue(
			`${quoteForError(value)} is not a whole number`,
			'Map the field that holds the ID, as text or as a whole number',
		);
	}
	return String(value);
}
