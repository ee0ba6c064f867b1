import type { CountryCode } from 'libphonenumber-js/max';

import { countryName } from './countries';
import { invalid, quoteForError } from './invalidValue';
import {
	calledAbroad,
	calledByCarrier,
	dialedFromAbroad,
	isDigitOff,
	readDigits,
	validNumber,
	withCountryCode,
	withoutTrunkDigits,
} from './nationalNumber';
import { withoutSeparators } from './phoneSpelling';
import { sameCustomer } from './sameCustomer';

const E164 = /^\+[1-9][0-9]{6,14}$/;

/**
 * A customer's phone number as the service wants it (specification 4.1): a plus sign and 7 to 15 digits.
 * Digits are never guessed: a number that can be read in two ways is rejected.
 * @param value text or number, as a sheet, a CRM or a copied contact gives it
 * @param defaultCountry where numbers without a country code belong; without it, they are rejected
 * @returns the number in E.164 form, e.g. `+15550100200`
 * @throws InvalidValue
 */
export function phoneNumber(value: unknown, defaultCountry?: CountryCode): string {
	const digits = withoutSeparators(value);
	if (digits.startsWith('+')) {
		const number = internationalNumber(digits, value);
		// WhatsApp knows some accounts by an older number of another length.
		if (!isDigitOff(sameCustomer(number))) return number;
		throw invalid`${quoteForError(value)} has a digit too many or too few for its country code
			${LENGTH_FIX}`;
	}
	if (defaultCountry === undefined) {
		const [number] = calledAbroad(digits);
		if (number !== undefined) return onlyReading([number], value);
		throw invalid`${quoteForError(value)} has no plus sign and country code
			Write the number with a plus sign and the country code in front, e.g. +15550100200. If only the plus sign is missing, write +{{ $json.phone }}. If the numbers are in national spelling, set 'Default Country' under Options`;
	}
	const country = countryName(defaultCountry);
	const isNumber = typeof value === 'number';
	const { numbers, isZeroLost, isTrunkMissing } = readDigits(digits, defaultCountry, isNumber);
	if (isZeroLost) {
		throw invalid`${quoteForError(value)} may have lost a leading zero, because it came as a number
			Store phone numbers as text where they come from, e.g. format the spreadsheet column as plain text`;
	}
	const otherFix = isTrunkMissing ? `, or with the 0 that people in ${country} dial first` : '';
	if (isNumber && isTrunkMissing && DAY.test(digits)) {
		throw invalid`${quoteForError(value)} is a number that can mean ${numbers[0]} or a date
			Map the field that holds the phone number. If this is the one, store phone numbers as text where they come from, with a plus sign and the country code`;
	}
	if (numbers.length > 0) return onlyReading(numbers, value, otherFix);
	throw invalid`${quoteForError(value)} isn't a valid phone number in ${country}
			Check the number for missing or extra digits. If it has all of them, or is from another country, write it with a plus sign and its country code`;
}

/**
 * Every customer that a value can mean, for a list of those who must get no message: an ambiguous number blocks both, and
 * digits that may only lack their plus sign block that number, too.
 * @param countries where numbers without a country code may belong
 * @throws InvalidValue when it can't be understood
 */
export function phoneReadings(value: unknown, countries: CountryCode[]): string[] {
	const digits = withoutSeparators(value);
	if (digits.startsWith('+')) return [sameCustomer(internationalNumber(digits, value))];
	if (countries.length === 0) return [sameCustomer(phoneNumber(value))];
	// A leading zero may be lost in a text, too.
	const readings = countries.flatMap((country) => readDigits(digits, country, true).numbers);
	// An old spelling is no valid number, but the same customer's new one is.
	const others = [`+${digits}`, ...countries.map((country) => withCountryCode(digits, country))];
	const valid = others.flatMap((number) => validNumber(sameCustomer(number)) ?? []);
	const dialed = readings
		.concat(calledByCarrier(value, digits) ?? [])
		.flatMap((number) => [dialedFromAbroad(number), withoutTrunkDigits(number)]);
	const customers = new Set([...dialed, ...valid].map(sameCustomer));
	return customers.size > 0 ? [...customers] : [sameCustomer(phoneNumber(value, countries[0]))];
}

/** A day as a number: 20261123. */
const DAY = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;
const LENGTH_FIX = 'Check the number for missing or extra digits';

/** A value with two readings is rejected. */
function onlyReading(numbers: string[], value: unknown, otherFix = ''): string {
	const byCarrier = calledByCarrier(value, withoutSeparators(value));
	const readings = new Set([...numbers, ...(byCarrier ? [byCarrier] : [])]);
	if (readings.size === 1) return internationalNumber(numbers[0], value);
	throw invalid`${quoteForError(value)} can mean ${[...readings].join(' or ')}
		Write the number with a plus sign and the country code${otherFix}`;
}

/** A number with a plus sign: it's complete, or it's rejected. */
function internationalNumber(number: string, value: unknown): string {
	if (E164.test(number)) {
		// In national spelling, no one adds a 0 that the country doesn't have.
		const dialed = /^\D*00|\+/.test(String(value)) ? withoutTrunkDigits : dialedFromAbroad;
		if (dialed(number) === number) return number;
		throw invalid`${quoteForError(value)} has digits after the country code that are dialed within the country only
			Remove them, e.g. write +49 151 2345678 instead of +49 0151 2345678`;
	}
	if (number.startsWith('+0')) {
		throw invalid`${quoteForError(value)} has a 0 where the country code starts
			Replace the leading 0 with the country code, e.g. +15550100200`;
	}
	const digits = number.length - 1;
	throw invalid`${quoteForError(value)} has ${digits} ${digits === 1 ? 'digit' : 'digits'}; a phone number has 7 to 15
		${LENGTH_FIX}`;
}
