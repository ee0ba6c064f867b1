import { type CountryCode, getCountryCallingCode } from 'libphonenumber-js/max';

import { NO_RECIPIENT, unwrapped } from './cell';
import { InvalidValue, requireLength, requireText } from '../validation/invalidValue';
import { type RejectedPattern, matching, rejectMatching } from '../validation/rejectedPattern';
import { dialedFromAbroad } from './nationalNumber';
import { intactValue } from '../validation/brokenText';
import { WHITESPACE, trimmed } from '../validation/whitespace';

const LONGEST = 64;
/** What people put between digits, apart from dots: white space, invisible marks, brackets, hyphens and their Unicode variants. */
const MARKS = `${WHITESPACE}()[\\]\\-\\u2010-\\u2015\\u2212\\uFE58\\uFE63\\uFF0D`;
const SEPARATORS = new RegExp(`[.${MARKS}]`, 'gu');
/** A slash after a country code: no number ends there. */
const CODE_SLASH = /^((?:\+|00)[1-9][0-9]{0,2})\//;
/** A slash after an area code: with fewer digits or a 0 behind it, or too many in all, it may join two numbers. */
const AREA_CODE_SLASH = /^(\+?(?=.{1,16}$)[0-9]+)\/([1-9][0-9]{4,})$/;
/** What a spreadsheet makes of a number: the end is no digit. */
const DECIMAL = /^(\+?[0-9]+)\.0+$/;
/** `p:` is Facebook's, in the exports of its forms. */
const SCHEME = /^(?:tel|whatsapp|p):/i;
/** A zero that is dialed within the country only: `+44 (0)20 7946 0958`. */
const BRACKETED_ZERO = new RegExp(`[([][${WHITESPACE}]*0[${WHITESPACE}]*[)\\]]`, 'u');
const MAP = 'Map the field that holds the phone number, e.g. {{ $json.phone }}';
const ENTER_OR_MAP =
	'Enter the number with a plus sign and the country code, e.g. +15550100200, or map a field that has a value';

/** What is no phone number, or isn't certain to be one. */
const UNLIKELY: RejectedPattern[] = [
	...NO_RECIPIENT,
	// After the last dot, it's a decimal or the last digit of a switchboard's number.
	matching(
		new RegExp(`\\.[${MARKS}]*0[${MARKS}]*$`, 'u'),
	)`ends in .0, which may be a spreadsheet's decimal or a digit
		Format the column as plain text. If the 0 is a digit, write the number without dots`,
	matching(
		/\d[\s,;(]*(?:x|ext|extn|extension|#|durchwahl|dw|poste|ramal)[\s.:=]*\d+\)?$/i,
	)`has an extension
		Write the number without it: WhatsApp has no extensions`,
	matching(
		/\d.*\+|\d\D*(?:[,;|&]|\s(?:or|and|oder|und|ou|et|y|e)\s)\D*\d/is,
	)`may hold several numbers
		Enter one number, with digits, spaces, dots, hyphens and brackets`,
	matching(/\p{L}/u)`has letters in it
		Map a field that holds the number and nothing else, e.g. {{ $json.phone }}`,
	matching(BRACKETED_ZERO)`has a (0) in it
		Write the number with a plus sign as it is dialed from abroad, e.g. +44 20 7946 0958`,
];
/** What is left between the digits. */
const LEFT: RejectedPattern[] = [
	matching(/^(?:\+|00)?$/)`has no digits
		${ENTER_OR_MAP}`,
	matching(/^\+?[0-9]+(?:\/[0-9]+)+$/)`has a slash, which may join two numbers
		Enter one number, without a slash`,
	matching(/^(?!\+?[0-9]+$)/)`contains characters that aren't allowed
		Use +, digits, spaces, dots, hyphens or brackets, e.g. +1 (555) 010-0200`,
];

/** `+` and digits, or digits alone, as people of the countries may write them. How many isn't checked yet. */
export function withoutSeparators(value: unknown, countries: CountryCode[] = []): string {
	const isWhole = Number.isSafeInteger(value) && Number(value) >= 0;
	const given = requireText(isWhole ? String(value) : value, 'a phone number', MAP);
	const text = trimmed(unwrapped(given).replace(SCHEME, ''));
	if (text === '') throw new InvalidValue('is empty', ENTER_OR_MAP);
	requireLength(text, LONGEST, 'Map a field that holds one phone number');
	intactValue(text);
	const dialed = withoutBracketedZero(text.replace(DECIMAL, '$1'), countries);
	rejectMatching(dialed, given, UNLIKELY, MAP);
	const number = dialed
		.replace(SEPARATORS, '')
		.replace(/^\++/, '+')
		.replace(CODE_SLASH, '$1')
		.replace(AREA_CODE_SLASH, '$1$2');
	rejectMatching(number, given, LEFT, MAP);
	return number;
}

/**
 * Takes out a bracketed 0 right after a country code whose trunk prefix is 0: those who call from abroad don't dial it. The
 * code may lack its plus sign if it's that of one of the countries. Anywhere else, leaving it out would be a guess.
 */
function withoutBracketedZero(text: string, countries: CountryCode[]): string {
	const [before, after, more] = text.split(BRACKETED_ZERO);
	if (after === undefined || more !== undefined) return text;
	const [given, digits] = [before, after].map((part) =>
		part.replace(SEPARATORS, '').replace('/', ''),
	);
	const isOwnCode = countries.some((country) => getCountryCallingCode(country) === given);
	const code = isOwnCode ? `+${given}` : given.replace(/^00/, '+');
	return dialedFromAbroad(`${code}0${digits}`) === code + digits ? code + after : text;
}
