import { INVISIBLE } from './whitespace';
import { InvalidValue, quoteForError } from './invalidValue';

/** What people put between digits: blanks, invisible marks, dots, brackets, hyphens and their Unicode sisters. */
const SEPARATORS = new RegExp(
	`[\\s${INVISIBLE}.()\\-\\u00AD\\u2010-\\u2015\\u2212\\uFE58\\uFE63\\uFF0D]`,
	'g',
);
const E164 = /^\+[1-9][0-9]{6,14}$/;
const DIGITS_ONLY = /^[0-9]+$/;
/** A zero that is dialled within the country only: with it the number is nobody's, and leaving it out would be a guess. */
const TRUNK_ZERO = /\(\s?0\s?\)/;

/**
 * A customer's phone number as the service wants it (specification 4.1): a plus sign and 7 to 15 digits.
 * Digits are never guessed, added or dropped: a number that would need that is refused.
 * @param value text or number, as a sheet, a CRM or a copied contact gives it
 * @returns the number in E.164 form, e.g. `+15550100200`
 * @throws InvalidValue
 */
export function phoneNumber(value: unknown): string {
	if (typeof value !== 'string' && typeof value !== 'number') {
		throw new InvalidValue(
			`is ${quoteForError(value)}, not a phone number`,
			'Map the field that holds the phone number, e.g. {{ $json.phone }}',
		);
	}
	const compact = String(value).replace(SEPARATORS, '').replace(/^00/, '+');
	if (compact === '') {
		throw new InvalidValue(
			'is empty',
			'Enter the number with a plus sign and the country code, e.g. +15550100200',
		);
	}
	if (TRUNK_ZERO.test(String(value))) {
		throw new InvalidValue(
			`${quoteForError(value)} has a (0) in it`,
			'Take the (0) out: it is dialled within the country only, and not after a country code',
		);
	}
	if (E164.test(compact)) return compact;
	if (DIGITS_ONLY.test(compact)) {
		throw new InvalidValue(
			`${quoteForError(value)} has no plus sign and country code`,
			'Write the number with a plus sign and the country code in front, e.g. +15550100200. If your list holds the country code without the plus, put a + before the expression: +{{ $json.phone }}',
		);
	}
	if (/^\+0/.test(compact)) {
		throw new InvalidValue(
			`${quoteForError(value)} has a 0 where the country code starts`,
			'Replace the leading 0 by the country code, e.g. +15550100200',
		);
	}
	if (/^\+[0-9]+$/.test(compact)) {
		throw new InvalidValue(
			`${quoteForError(value)} has ${compact.length - 1} digits; a phone number has 7 to 15`,
			'Check the number: digits are missing or there are too many',
		);
	}
	throw new InvalidValue(
		`${quoteForError(value)} is not a phone number`,
		'Use only a plus sign, the country code and digits 0 to 9, e.g. +15550100200',
	);
}
