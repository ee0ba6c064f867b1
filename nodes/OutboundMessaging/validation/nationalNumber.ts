import type { CountryCode, PhoneNumber } from 'libphonenumber-js/max';
import { getCountryCallingCode, parsePhoneNumberFromString as parse } from 'libphonenumber-js/max';

/** What digits without a plus sign mean to someone in a country. */
export interface Readings {
	/** E.164 numbers; none if the digits are no valid number. */
	numbers: string[];
	/** The value came as a number, and the country keeps leading zeros: one may be lost. */
	isZeroLost: boolean;
	/** People of the country would have begun this national number with a 0, and these digits don't. */
	isTrunkMissing: boolean;
}

const TRUNK_PREFIXES = ['0', '06', '8'];
/** Countries whose numbering plan has a trunk prefix that people leave out, at least for mobile numbers. */
const TRUNK_PREFIX_UNUSED = new Set<CountryCode>(['BR', 'CN', 'IN']);

/**
 * Reads digits in every way that gives a valid number: as a number of the country, with its prefix for calls abroad,
 * and as an international number that only lacks its plus sign. That last one counts where people begin a national
 * number with a trunk prefix (0 in Germany): digits without it are as likely a foreign number. Where they write none,
 * digits that are a valid national number are one; otherwise every tenth number of the US could mean another country.
 * @param digits without plus sign and separators
 * @param isNumber whether the value came as a number, which has no leading zeros
 */
export function readDigits(digits: string, country: CountryCode, isNumber: boolean): Readings {
	const code = getCountryCallingCode(country);
	// Takes off the country's own prefix for calls abroad: 011 in the US, 0011 in Australia.
	const number = parse(digits, country);
	const valid = number?.isValid() ? number : undefined;
	const isTrunkMissing =
		valid?.countryCallingCode === code && lacksTrunkPrefix(digits, country, valid);
	const mayLackPlus = valid && (isTrunkMissing || digits.startsWith(code));
	const withZero = isNumber ? parse(`0${digits}`, country) : undefined;
	const isZeroLost = withZero?.isValid() === true && withZero.nationalNumber.startsWith('0');
	const numbers = [
		valid?.number,
		mayLackPlus ? withPlus(digits) : undefined,
		isZeroLost ? withZero.number : undefined,
		calledAbroad(digits),
	].filter((each) => each !== undefined);
	return { numbers: [...new Set(numbers)], isZeroLost, isTrunkMissing };
}

/** Digits with a plus sign in front, in E.164 form; undefined if that isn't a valid number. */
export function withPlus(digits: string): string | undefined {
	const number = parse(`+${digits}`);
	return number?.isValid() ? number.number : undefined;
}

/** A number that begins with 00, the prefix for calls abroad in most countries, if its length is possible. */
export function calledAbroad(digits: string): string | undefined {
	if (!digits.startsWith('00')) return undefined;
	const number = digits.replace('00', '+');
	return parse(number)?.isPossible() ? number : undefined;
}

/**
 * Whether a number has a 0 after its country code that is dialed within the country only, as in +49 0151 23456789.
 * @returns the number without it
 */
export function withoutTrunkZero(e164: string): string | undefined {
	if (!/^\+[0-9]{1,3}0/.test(e164)) return undefined;
	const { countryCallingCode: code, nationalNumber } = parse(e164) ?? {};
	return e164 === `+${code}0${nationalNumber}` ? `+${code}${nationalNumber}` : undefined;
}

/**
 * Whether people would have begun this national number with a trunk prefix, and these digits don't. The US could write a
 * 1, and doesn't.
 */
function lacksTrunkPrefix(digits: string, country: CountryCode, national: PhoneNumber): boolean {
	return (
		digits === national.nationalNumber &&
		!TRUNK_PREFIX_UNUSED.has(country) &&
		TRUNK_PREFIXES.some((prefix) => parse(prefix + digits, country)?.number === national.number)
	);
}
