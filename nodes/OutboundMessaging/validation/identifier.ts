import { readable, readableValue } from './unreadable';
import { trimmed } from './whitespace';
import {
	invalid,
	InvalidValue,
	quoteForError,
	requireExact,
	requireLength,
	requireText,
} from './invalidValue';

const LONGEST = 256;

/**
 * One of the service's IDs (customer, template, channel) as text. Results carry a customer ID as a number and
 * requests carry it as text (specification 2.1), so whole numbers are taken too.
 * @param value text, or a whole number that has not lost digits
 * @throws InvalidValue
 */
export const identifier = (value: unknown): string => readableValue(keyText(value));

/**
 * A send-once key: like an ID, but what it says is up to the user.
 * @throws InvalidValue
 */
export function keyText(value: unknown): string {
	if (typeof value === 'number') return fromNumber(value);
	const id = trimmed(requireText(value, 'an ID', 'Map the field that holds the ID'));
	if (id === '') {
		throw new InvalidValue('is empty', 'Enter the ID, or map a field that has a value');
	}
	requireLength(id, LONGEST, 'Map the field that holds the ID, and nothing else');
	return readable(id);
}

/**
 * The ID of a customer. A spreadsheet that takes IDs for numbers exports `4711` as `4711.0`.
 * @throws InvalidValue
 */
export function customerId(value: unknown): string {
	return identifier(value).replace(/^(\d+)\.0+$/, '$1');
}

function fromNumber(value: number): string {
	if (Number.isFinite(value)) requireExact(value);
	if (!Number.isInteger(value) || value < 0) {
		throw invalid`${quoteForError(value)} isn't a whole number
			Map the field that holds the ID, as text or as a whole number`;
	}
	return String(value);
}
