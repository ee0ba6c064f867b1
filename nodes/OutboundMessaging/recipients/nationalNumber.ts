import {
	type CountryCode,
	type PhoneNumber,
	getCountryCallingCode,
	parsePhoneNumberFromString as parse,
} from 'libphonenumber-js/max';

import { exactly } from '../common/text';
import { sameCustomer } from './sameCustomer';

/**
 * What makes a number of digits without a plus sign:
 * - national: people of the country write their own numbers like this (015123456789 in Germany)
 * - trunkMissing: the same, but without the 0 or another trunk prefix that they dial first
 *   (15123456789, which may also lack a plus sign, and be a number in the US)
 * - plusMissing: an international number that only lacks its plus sign (4915123456789)
 * - zeroLost: a national number that keeps its leading 0 from abroad, and came as a
 *   number, which has none (612345678 in Italy)
 * - after00: an international number after 00, the prefix for calls abroad in most countries
 * - oldAccount: WhatsApp's ID of an old account is no valid number, but the same
 *   customer's new one is (553187654321 in Brazil)
 */
type Reading = 'national' | 'trunkMissing' | 'plusMissing' | 'zeroLost' | 'after00' | 'oldAccount';

/** A number with plus sign and country code that digits can mean, and why. */
type Candidate = { number: string; reading: Reading };

/** What people dial first within their country. The US could write a 1, and doesn't. */
const TRUNK_PREFIXES = ['0', '06', '8'];
/**
 * Countries whose numbering plan has a trunk prefix that people leave out, at least for mobile
 * numbers. As in the US, where people write none, some of the digits are also a number of another
 * country: one in ten of Turkey's mobile numbers.
 */
const TRUNK_PREFIX_UNUSED = new Set<CountryCode>(['BR', 'CN', 'IN', 'TR']);
/** Until 2019, Mexicans dialed 01 before an area code, and 044 or 045 before a mobile number. */
const MEXICAN_PREFIX = exactly`^(\+52)?0(?:1|4[45])(?=\d{10}$)`;

/**
 * Reads digits in every way that gives a number: several candidates are an ambiguous number.
 * @param given without plus sign and separators
 * @param isNumber whether the value came as a number, which has no leading zeros
 * @param country without one, only international numbers are read
 */
export function readDigits(given: string, isNumber: boolean, country?: CountryCode): Candidate[] {
	if (country === undefined) return readAfter00(given);
	const digits = country === 'MX' ? given.replace(MEXICAN_PREFIX, '') : given;
	const national = nationalNumber(digits, country);
	const after00 = readAfter00(digits, national);
	if (after00.length > 0) return after00;

	const isTrunkMissing = national !== undefined && lacksTrunkPrefix(digits, national, country);
	const hasOwnCode = digits.startsWith(getCountryCallingCode(country));
	// Digits that lack a trunk prefix are as likely a foreign number. Where people write none, a
	// valid national number is just that: otherwise, every tenth number of the US could mean
	// another country.
	const mayLackPlus = hasOwnCode || isTrunkMissing;
	const withPlus = mayLackPlus ? validNumber(`+${digits}`)?.number : undefined;
	const isOnlyPlusMissing = withPlus && national && withCodeOnce(national) !== undefined;

	const candidates: Candidate[] = [];
	if (national && !isOnlyPlusMissing) {
		candidates.push({ number: national, reading: isTrunkMissing ? 'trunkMissing' : 'national' });
	}
	if (withPlus && withPlus !== national) {
		candidates.push({ number: withPlus, reading: 'plusMissing' });
	}
	const withZero = isNumber ? withLeadingZero(digits, country) : undefined;
	if (withZero) candidates.push({ number: withZero, reading: 'zeroLost' });

	return candidates.length === 0 && hasOwnCode ? readOldAccount(digits) : candidates;
}

/** The number with its leading 0, where it keeps that from abroad. */
function withLeadingZero(digits: string, country: CountryCode): string | undefined {
	const number = validNumber(`0${digits}`, country);
	return number?.nationalNumber.startsWith('0') ? number.number : undefined;
}

/** What digits mean that begin with their country code, if they're no valid number. */
function readOldAccount(digits: string): Candidate[] {
	const today = sameCustomer(`+${digits}`);
	return validNumber(today)?.number === today
		? [{ number: `+${digits}`, reading: 'oldAccount' }]
		: [];
}

/** The number that people of a country mean by digits, if a customer may have it. */
function nationalNumber(digits: string, country: CountryCode): string | undefined {
	// Takes off the country's own prefix for calls abroad: 011 in the US, 0011 in Australia.
	const number = validNumber(digits, country);
	return number && !isUnlikely(number, digits, country) ? number.number : undefined;
}

const lacksTrunkPrefix = (digits: string, national: string, country: CountryCode) =>
	!TRUNK_PREFIX_UNUSED.has(country) &&
	TRUNK_PREFIXES.some((prefix) => parse(prefix + digits, country)?.number === national);

/**
 * What digits mean that begin with 00; nothing if they don't, or if too few or too many follow.
 * @param national what they mean in a country that may have another prefix for calls
 *   abroad, such as 0011
 */
function readAfter00(digits: string, national?: string): Candidate[] {
	const number = digits.replace(/^00/, '+');
	if (parse(number)?.isPossible() !== true) return [];
	const after00: Candidate = { number, reading: 'after00' };
	const valid = validNumber(number)?.number;
	if (national === undefined || national === valid) return [after00];
	return valid === number ? [{ number: national, reading: 'national' }, after00] : [];
}

/** Numbers that are valid, and that no customer has. */
const NOT_PERSONAL = new Set<unknown>(['PAGER', 'PREMIUM_RATE', 'VOICEMAIL']);
/**
 * How many digits numbers have in countries whose plan, as the library has it, takes
 * almost any number.
 */
const LANDLINE_DIGITS: Partial<Record<CountryCode, number>> = { AT: 11, DE: 11 };

/** Whether digits are a valid number of the country by chance only. */
function isUnlikely(number: PhoneNumber, digits: string, country: CountryCode) {
	const type = number.getType();
	const { length } = number.nationalNumber;
	const isLongLandline = type === 'FIXED_LINE' && length > (LANDLINE_DIGITS[country] ?? length);
	const isShortMobile = type === 'MOBILE' && country === 'IT' && length < 10;
	// 90 is Brazil's prefix for collect calls, and Turkey's country code.
	const isCollectCall = /^[^018]/.test(digits.slice(0, -length));
	// The islands that share the country code 1 look like other countries: 658 is
	// Jamaica, 65 Singapore.
	const neighbors: unknown[] = ['US', 'CA', 'PR', country];
	const isIsland = number.countryCallingCode === '1' && !neighbors.includes(number.country);
	const isOtherIsland = isIsland && digits === number.nationalNumber;
	const isOdd = isLongLandline || isShortMobile || isCollectCall || isOtherIsland;
	return isOdd || NOT_PERSONAL.has(type);
}

/** A number as the library reads it, if it's valid; without a country, one with a plus sign. */
export function validNumber(digits: string, country?: CountryCode): PhoneNumber | undefined {
	const number = parse(digits, country);
	return number?.isValid() ? number : undefined;
}

/**
 * The country of a number, if it isn't shared by several, and whether the library
 * knows it as valid.
 */
export function numberFacts(e164: string): { country?: CountryCode; isValid: boolean } {
	const number = parse(sameCustomer(e164));
	return { country: number?.country, isValid: number?.isValid() === true };
}

/**
 * A number that has its country code twice, with the code once; undefined for any number that may
 * be right as it is.
 */
export function withCodeOnce(e164: string): string | undefined {
	const whole = parse(sameCustomer(e164));
	const code = whole?.countryCallingCode ?? '';
	const once = e164.replace(`+${code}${code}`, `+${code}`);
	const rest = once === e164 ? undefined : validNumber(sameCustomer(once));
	if (!whole || !rest) return undefined;
	// The library takes almost any number for a landline in some countries.
	const longest = LANDLINE_DIGITS[whole.country ?? 'US'] ?? 10;
	const isTooLong = rest.getType() === 'MOBILE' && whole.nationalNumber.length > longest;
	return whole.isValid() && !isTooLong ? undefined : once;
}

/**
 * A number without the digits that only callers within its country dial, as in +49 0151 23456789,
 * and without a 0 that people add where the numbering plan has none, as in +48 0512 345 678.
 * Italy's landlines begin with a 0; one of eleven digits is as likely a mobile number
 * with a 0 in front.
 */
export function withoutTrunkDigits(e164: string): string {
	const number = parse(e164.replace(MEXICAN_PREFIX, '$1'));
	if (!number?.nationalNumber.startsWith('0')) return number?.number ?? e164;
	const other = validNumber(`+${number.countryCallingCode}${number.nationalNumber.slice(1)}`);
	const isMobile = other?.getType() === 'MOBILE' && other.nationalNumber.length === 10;
	return other && (isMobile || !number.isValid()) ? other.number : number.number;
}
