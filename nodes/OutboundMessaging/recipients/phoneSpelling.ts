import { type CountryCode, getCountryCallingCode } from 'libphonenumber-js/max';

import {
	requireContent,
	requireLength,
	requireText,
	type RejectedPattern,
	matching,
	rejectMatching,
} from '../validation/invalidValue';
import { NO_RECIPIENT, unwrap } from './cell';
import { exactly, inAnyCase, WHITESPACE } from '../common/text';
import { withoutTrunkDigits } from './nationalNumber';
import { requireIntact } from '../validation/brokenText';

const LONGEST = 64;
/**
 * What people put between digits, apart from dots: white space, invisible marks, brackets, hyphens
 * and their Unicode variants.
 */
const MARKS = `${WHITESPACE}()[\\]\\-\\u2010-\\u2015\\u2212\\uFE58\\uFE63\\uFF0D`;
const SEPARATORS = new RegExp(`[.${MARKS}]`, 'gu');
/** A slash after a country code: no number ends there. */
const CODE_SLASH = exactly`^((?:\+|00)[1-9][0-9]{0,2})/`;
/**
 * A slash after an area code: with fewer digits or a 0 behind it, or too many in all, it may
 * join two numbers.
 */
const AREA_CODE_SLASH = exactly`^(\+?(?=.{1,16}$)[0-9]+)/([1-9][0-9]{4,})$`;
/** What a spreadsheet makes of a number: the end is no digit. */
const DECIMAL = exactly`^(\+?[0-9]+)\.0+$`;
/** `p:` is Facebook's, in the exports of its forms. */
const SCHEME = inAnyCase`^(?:tel|whatsapp|p):`;
/** A zero that is dialed within the country only: `+44 (0)20 7946 0958`. */
const BRACKETED_ZERO = exactly`[([][${WHITESPACE}]*0[${WHITESPACE}]*[)\]]`;
export const REMOVE_CODE = "If 'Customer Phone' has a code before the expression, remove it";
export const CHECK_DIGITS = 'Check the number for missing or extra digits';
const ENTER =
	"Enter the customer's phone number with its country code, e.g. +15550100200, or map " +
	'the field that holds it';

/** What is no phone number, or isn't certain to be one. */
const UNLIKELY: RejectedPattern[] = [
	...NO_RECIPIENT,
	// After the last dot, it's a decimal or the last digit of a switchboard's number.
	matching(
		exactly`\.[${MARKS}]*0[${MARKS}]*$`,
	)`ends in .0, which may be a spreadsheet's decimal or a digit
		Format the column as plain text, then write the number without dots, and with the \
			0 only if it's a digit`,
	matching(exactly`\p{L}`)`has letters in it
		Leave only the number in this cell, or map a field that holds nothing else, \
			e.g. {{ $json.phone }}`,
	matching(BRACKETED_ZERO)`has a (0) in it
		Write the number with a plus sign as it is dialed from abroad, e.g. +44 20 7946 0958`,
	// No country code has one digit, except for 1 and 7.
	matching(
		exactly`^\D*00[2-689]\D+[1-9]`,
	)`begins with 00 and one digit, which may be a carrier's prefix
		Write the number with a plus sign and the country code`,
];
/** What is left between the digits. */
const LEFT: RejectedPattern[] = [
	matching(exactly`^(?:\+|00)?$`)`has no digits`,
	// A country code in front of a number that has its plus sign.
	matching(exactly`^(?:\+|00)[0-9]{1,3}\+`)`has the country code twice
		Leave only the right one. ${REMOVE_CODE}`,
	matching(exactly`[0-9].*\+|[0-9].*[,;|&/].*[0-9]`)`may hold several numbers
		Leave only one number in this cell, or make one item for each number`,
	matching(exactly`^(?!\+?[0-9]+$)`)`contains characters that aren't allowed
		Use +, digits, spaces, dots, hyphens or brackets, e.g. +1 (555) 010-0200`,
	matching(exactly`^\+0`)`has a 0 where the country code starts
		Replace the leading 0 with the country code, e.g. +15550100200`,
];

/**
 * `+` and digits, or digits alone, as people of the countries may write them. How many
 * isn't checked yet.
 */
export function withoutSeparators(value: unknown, countries: CountryCode[] = []): string {
	const isWhole = Number.isSafeInteger(value) && Number(value) >= 0;
	const given = requireText(isWhole ? String(value) : value, 'a phone number', ENTER);
	const text = requireContent(unwrap(given).replace(SCHEME, ''), 'a phone number', ENTER);
	requireLength(text, LONGEST, ENTER);
	requireIntact(text, 'value');
	const dialed = withoutBracketedZero(text.replace(DECIMAL, '$1'), countries);
	rejectMatching(dialed, given, UNLIKELY, ENTER);
	const number = dialed
		.replace(SEPARATORS, '')
		.replace(/^\++/, '+')
		.replace(CODE_SLASH, '$1')
		.replace(AREA_CODE_SLASH, '$1$2');
	rejectMatching(number, given, LEFT, ENTER);
	return number;
}

/**
 * Takes out a bracketed 0 right after a country code whose trunk prefix is 0: those who call from
 * abroad don't dial it. The code may lack its plus sign if it's that of one of the countries.
 * Anywhere else, leaving it out would be a guess.
 */
function withoutBracketedZero(text: string, countries: CountryCode[]) {
	const [before, after, more] = text.split(BRACKETED_ZERO);
	if (after === undefined || more !== undefined) return text;
	const [given, digits] = [before, after].map((part) =>
		part.replace(SEPARATORS, '').replace('/', ''),
	);
	const isOwnCode = countries.some((country) => getCountryCallingCode(country) === given);
	const code = isOwnCode ? `+${given}` : given.replace(/^00/, '+');
	return withoutTrunkDigits(`${code}0${digits}`) === code + digits ? code + after : text;
}
