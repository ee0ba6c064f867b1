import { InvalidValue, quoteForError } from './invalidValue';
import { requireLength, requireText } from './requirements';
import { WHITESPACE, trimmed } from './whitespace';

const LONGEST = 64;
/** What people put between digits: white space, invisible marks, dots, brackets, hyphens and their Unicode variants. */
const SEPARATORS = new RegExp(
	`[${WHITESPACE}.()[\\]\\-\\u2010-\\u2015\\u2212\\uFE58\\uFE63\\uFF0D]`,
	'gu',
);
/** A slash after an area code. With fewer digits or a 0 behind it, a second number may begin or end there. */
const AREA_CODE_SLASH = /^(\+?[0-9]+)\/([1-9][0-9]{4,})$/;
/** A zero that is dialed within the country only: with it the number belongs to no one, and leaving it out would be a guess. */
const TRUNK_ZERO = new RegExp(`[([][${WHITESPACE}]*0[${WHITESPACE}]*[)\\]]`, 'u');
const MAP = 'Map the field that holds the phone number, e.g. {{ $json.phone }}';
const ENTER_OR_MAP =
	'Enter the number with a plus sign and the country code, e.g. +15550100200, or map a field that has a value';

/**
 * A phone number without what people put between its digits.
 * @param value text or number, as a sheet, a CRM or a copied contact gives it
 * @returns `+` and digits (a leading 00 has become the plus sign), or digits alone; how many isn't checked yet
 * @throws InvalidValue
 */
export function withoutSeparators(value: unknown): string {
	const given =
		typeof value === 'number' ? fromNumber(value) : requireText(value, 'a phone number', MAP);
	const invalid = (what: string, fix: string) =>
		new InvalidValue(`${quoteForError(given)} ${what}`, fix);
	const text = trimmed(given);
	if (text === '') throw new InvalidValue('is empty', ENTER_OR_MAP);
	requireLength(text, LONGEST, 'Map a field that holds one phone number');
	if (TRUNK_ZERO.test(text)) {
		throw invalid(
			'has a (0) in it',
			"Remove the (0): it's dialed within the country only, and not after a country code",
		);
	}
	const compact = text.replace(SEPARATORS, '').replace(/^00/, '+');
	if (/^\+?$/.test(compact)) throw invalid('has no digits', ENTER_OR_MAP);
	const number = compact.replace(AREA_CODE_SLASH, '$1$2');
	// With a country code, more than 15 digits are two numbers for sure.
	if (/^\+?[0-9]+\/[0-9]+$/.test(number) || (number !== compact && /[0-9]{16}/.test(number))) {
		throw invalid('has a slash, which may join two numbers', 'Enter one number, without a slash');
	}
	if (/^\+?[0-9]+$/.test(number)) return number;
	throw invalid(
		"contains characters that aren't allowed",
		'Use +, digits, spaces, dots, hyphens or brackets, e.g. +1 (555) 010-0200',
	);
}

function fromNumber(value: number): string {
	if (Number.isSafeInteger(value) && value >= 0) return String(value);
	throw new InvalidValue(`${quoteForError(value)} isn't a phone number`, MAP);
}
