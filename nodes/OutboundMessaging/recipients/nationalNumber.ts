import type { CountryCode, PhoneNumber } from 'libphonenumber-js/max';
import {
	getCountryCallingCode,
	parsePhoneNumberFromString as parse,
	validatePhoneNumberLength,
} from 'libphonenumber-js/max';

import { maybeSameCustomer, sameCustomer } from './sameCustomer';

/** What digits without a plus sign mean to someone in a country. */
export interface Readings {
	/** E.164 numbers; none if the digits are no valid number. */
	numbers: string[];
	/** The value came as a number, and the country keeps leading zeros: one may be lost. */
	isZeroLost: boolean;
	/** People of the country would have begun this national number with a 0, and these digits don't. */
	isTrunkMissing: boolean;
}

/** What people dial first within their country. The US could write a 1, and doesn't. */
const TRUNK_PREFIXES = ['0', '06', '8'];
/** Countries whose numbering plan has a trunk prefix that people leave out, at least for mobile numbers. */
const TRUNK_PREFIX_UNUSED = new Set<CountryCode>(['BR', 'CN', 'IN']);

/**
 * Reads digits in every way that gives a valid number: as a number of the country, and as an international number that
 * only lacks its plus sign. That one counts where people begin a national number with a trunk prefix (0 in Germany):
 * digits without it are as likely a foreign number. Where they write none, digits that are a valid national number are
 * one; otherwise every tenth number of the US could mean another country.
 * @param digits without plus sign and separators
 * @param isNumber whether the value came as a number, which has no leading zeros
 */
export function readDigits(given: string, country: CountryCode, isNumber: boolean): Readings {
	// Until 2019, Mexicans dialed 044 or 045 before a mobile number.
	const digits = country === 'MX' ? given.replace(/^04[45](?=\d{10}$)/, '') : given;
	// Takes off the country's own prefix for calls abroad: 011 in the US, 0011 in Australia.
	const onPaper = parse(digits, country);
	const valid = ownNumber(digits, onPaper, country);
	const abroad = calledAbroad(digits, valid?.number);
	if (abroad.length > 0) return { numbers: abroad, isZeroLost: false, isTrunkMissing: false };
	const isTrunkMissing =
		valid !== undefined &&
		!TRUNK_PREFIX_UNUSED.has(country) &&
		TRUNK_PREFIXES.some((prefix) => parse(prefix + digits, country)?.number === valid.number);
	const hasCode = digits.startsWith(getCountryCallingCode(country));
	const plus = hasCode || (valid && isTrunkMissing) ? validNumber(`+${digits}`) : undefined;
	// Only the plus sign seems to be missing: that's two readings, unless the national one has the country code twice.
	const national = valid ?? (plus && onPaper?.isValid() ? onPaper : undefined);
	const withZero = isNumber ? parse(`0${digits}`, country) : undefined;
	const isZeroLost = withZero?.isValid() === true && withZero.nationalNumber.startsWith('0');
	const numbers = [
		plus && national && withCodeOnce(national.number) ? undefined : national?.number,
		national && plus,
		isZeroLost ? withZero.number : undefined,
	].filter((each) => each !== undefined);
	// WhatsApp's ID of an old account is no valid number, but the same customer's new one is.
	const [old, today] = [`+${digits}`, sameCustomer(`+${digits}`)];
	if (numbers.length === 0 && hasCode && old !== today && validNumber(today)) numbers.push(old);
	return { numbers: [...new Set(numbers)], isZeroLost, isTrunkMissing };
}

/** Numbers that are valid, and that no customer has. */
const NOT_PERSONAL = new Set<unknown>(['PAGER', 'PREMIUM_RATE', 'VOICEMAIL']);
/** How many digits numbers have in countries whose plan, as the library has it, takes almost any number. */
const LANDLINE_DIGITS: Partial<Record<CountryCode, number>> = { AT: 11, DE: 11 };
const MOBILE_DIGITS: Partial<Record<CountryCode, number>> = { IT: 10 };

/** The number, if it's valid and a customer of the country may have it. */
function ownNumber(digits: string, number: PhoneNumber | undefined, country: CountryCode) {
	if (!number?.isValid() || NOT_PERSONAL.has(number.getType())) return undefined;
	const { nationalNumber, countryCallingCode } = number;
	const { length } = nationalNumber;
	const type = number.getType();
	const isTooLong = type === 'FIXED_LINE' && length > (LANDLINE_DIGITS[country] ?? length);
	const isTooShort = type === 'MOBILE' && length < (MOBILE_DIGITS[country] ?? length);
	// 90 is Brazil's prefix for collect calls, and Turkey's country code.
	if (isTooLong || isTooShort || /^[^018]/.test(digits.slice(0, -length))) return undefined;
	// The islands that share the country code 1 look like other countries: 658 is Jamaica, 65 Singapore.
	const neighbors: unknown[] = ['US', 'CA', 'PR', country];
	const isIsland = countryCallingCode === '1' && !neighbors.includes(number.country);
	return isIsland && digits === nationalNumber ? undefined : number;
}

/**
 * What digits mean that begin with 00, the prefix for calls abroad in most countries.
 * @param own what they mean in the default country, which may have another prefix, such as 0011
 * @returns the number with a plus sign, if its length is possible; or both, if `own` is another one
 */
export function calledAbroad(digits: string, own?: string): string[] {
	const number = digits.replace(/^00/, '+');
	if (number === digits || parse(number)?.isPossible() !== true) return [];
	const valid = validNumber(number);
	if (own === undefined || own === valid) return [number];
	return valid === number ? [own, number] : [own];
}

/** The same number as it's dialed from abroad, if it's valid. */
export function validNumber(e164: string): string | undefined {
	const number = parse(e164);
	return number?.isValid() ? number.number : undefined;
}

/** A number without the digits that only callers within its country dial, as in +49 0151 23456789. */
export const dialedFromAbroad = (e164: string): string => parse(e164)?.number ?? e164;

/** The country of a number, if it isn't shared by several, and whether the library knows it as valid. */
export function numberFacts(e164: string): { country?: CountryCode; isValid: boolean } {
	const numbers = maybeSameCustomer(e164).map((spelling) => parse(spelling));
	const { country } = parse(e164) ?? {};
	return { country, isValid: numbers.some((number) => number?.isValid() === true) };
}

/** Assigned to the Vatican and Kazakhstan, and not in the library. */
const NEW_CODES = /^\+(?:379|997)/;

/** Why no country has such a number, also in an older spelling that WhatsApp still knows. */
export function flawOf(e164: string) {
	const flaws = maybeSameCustomer(e164).map((spelling) => validatePhoneNumberLength(spelling));
	return NEW_CODES.test(e164) || flaws.includes(undefined) ? undefined : flaws[0];
}

/** A number that has its country code twice, with the code once; undefined for any number that may be right as it is. */
export function withCodeOnce(e164: string): string | undefined {
	const whole = parse(sameCustomer(e164));
	const code = whole?.countryCallingCode ?? '';
	const once = e164.replace(`+${code}${code}`, `+${code}`);
	const rest = once === e164 ? undefined : parse(sameCustomer(once));
	if (!whole || !rest?.isValid()) return undefined;
	// The library takes almost any number for a landline in some countries.
	const isNoLandline =
		rest.getType() === 'MOBILE' &&
		whole.nationalNumber.length > (LANDLINE_DIGITS[whole.country ?? 'US'] ?? 10);
	return !whole.isValid() || isNoLandline ? once : undefined;
}

/**
 * The same, also without a 0 that people add where the numbering plan has none, as in +48 0512 345 678. Italy's landlines
 * begin with a 0; one of eleven digits is as likely a mobile number with a 0 in front.
 */
export function withoutTrunkDigits(e164: string): string {
	const number = parse(e164);
	if (!number?.nationalNumber.startsWith('0')) return number?.number ?? e164;
	const other = parse(`+${number.countryCallingCode}${number.nationalNumber.slice(1)}`);
	const isLikely =
		!number.isValid() || (other?.getType() === 'MOBILE' && other.nationalNumber.length === 10);
	return other?.isValid() && isLikely ? other.number : number.number;
}

/** A number called through a carrier, as in 009 1 202 555 0143: the space ends the prefix. With 1 and 7, it's a country code. */
export function calledByCarrier(value: unknown, digits: string): string[] {
	const number = /^\D*00[2-689]\D/.test(String(value)) && validNumber(`+${digits.slice(3)}`);
	return number ? [number] : [];
}
