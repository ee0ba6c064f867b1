import type { CountryCode, PhoneNumber } from 'libphonenumber-js/min';
import { getCountryCallingCode, parsePhoneNumberFromString as parse } from 'libphonenumber-js/min';

/** What digits without a country code mean in a country. */
export interface NationalReadings {
	/** E.164 numbers, the one that the country's numbering plan suggests first; none if the length isn't possible there. */
	numbers: string[];
	/** The value came as a number, and the country keeps leading zeros: one may be lost. */
	isZeroLost: boolean;
}

/**
 * Reads digits as people of a country write them: the national prefix is taken off, the country calling code put in front.
 * @param digits without plus sign and separators
 * @param isNumber whether the value came as a number, which has no leading zeros
 */
export function readNationalNumber(
	digits: string,
	country: CountryCode,
	isNumber: boolean,
): NationalReadings {
	const national = parse(digits, country);
	const withZero = isNumber ? parse(`0${digits}`, country) : undefined;
	const isZeroLost = withZero?.isValid() === true && keepsZero(withZero);
	// Without its plus sign, an international number can look like a national one: 491712345678 in Germany.
	const international = digits.startsWith(getCountryCallingCode(country))
		? withPlus(digits)
		: undefined;
	const numbers = [
		national && isPlausible(national) ? national.number : undefined,
		national?.isValid() ? international : undefined,
		isZeroLost ? withZero.number : undefined,
	].filter((number) => number !== undefined);
	return { numbers: [...new Set(numbers)], isZeroLost };
}

/** Digits with a plus sign in front, in E.164 form; undefined if that isn't a valid number. */
export function withPlus(digits: string): string | undefined {
	const number = parse(`+${digits}`);
	return number?.isValid() ? number.number : undefined;
}

/** Whether a number has a 0 after its country code that is dialed within the country only, as in +49 0151 23456789. */
export function hasTrunkZero(e164: string): boolean {
	if (!/^\+[0-9]{1,3}0/.test(e164)) return false;
	const number = parse(e164);
	return number !== undefined && e164 === `+${number.countryCallingCode}0${number.nationalNumber}`;
}

/**
 * The length decides, since the library doesn't know the newest ranges. A zero in front is different: if the number isn't
 * valid with it, it's the national prefix of a number that is too short.
 */
function isPlausible(number: PhoneNumber): boolean {
	return number.isPossible() && (!keepsZero(number) || number.isValid());
}

function keepsZero({ nationalNumber }: PhoneNumber): boolean {
	return nationalNumber.startsWith('0');
}
