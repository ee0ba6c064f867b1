import { type CountryCode, getCountryCallingCode } from 'libphonenumber-js/max';

import { countryName } from './countries';
import { type InvalidValue, checkPart, invalid, quoteForError } from '../validation/invalidValue';
import {
	calledAbroad,
	calledByCarrier,
	dialedFromAbroad,
	flawOf,
	numberFacts,
	readDigits,
	validNumber,
	withCodeOnce,
	withoutTrunkDigits,
} from './nationalNumber';
import { withoutSeparators } from './phoneSpelling';
import { maybeSameCustomer } from './sameCustomer';

/** A customer's phone number in E.164 form (specification 4.1). Never guessed: digits that can be read in two ways are rejected. */
export function phoneNumber(value: unknown, defaultCountry?: CountryCode): string {
	const digits = withoutSeparators(value, defaultCountry && [defaultCountry]);
	return checkPart(quoteForError(value), () => completeNumber(digits, value, defaultCountry));
}

function completeNumber(digits: string, value: unknown, defaultCountry?: CountryCode): string {
	if (digits.startsWith('+')) return internationalNumber(digits, value);
	if (defaultCountry === undefined) {
		const numbers = calledAbroad(digits);
		if (numbers.length === 0) throw withoutCountryCode(digits);
		return onlyReading(numbers, digits, value);
	}
	const country = countryName(defaultCountry);
	const isNumber = typeof value === 'number';
	const { numbers, isZeroLost, isTrunkMissing } = readDigits(digits, defaultCountry, isNumber);
	if (isZeroLost)
		throw invalid`may have lost a leading zero, because it came as a number
			Store phone numbers as text where they come from, e.g. format the spreadsheet column as plain text`;
	if (isTrunkMissing && DAY.test(digits))
		throw invalid`can mean ${numbers[0]} or a date
			Map the field that holds the phone number. If this is the one, write it with a plus sign and the country code`;
	const otherFix = isTrunkMissing ? `, or with the 0 that people in ${country} dial first` : '';
	if (numbers.length > 0) return onlyReading(numbers, digits, value, otherFix);
	throw invalid`isn't a valid phone number in ${country}
		${LENGTH_FIX}. If it has all of them, or is from another country, write it with a plus sign and its country code`;
}

/**
 * Every customer that a value can mean, for a list of those who must get no message: an ambiguous number blocks both, and
 * digits that may only lack their plus sign block that number, too.
 */
export function phoneReadings(value: unknown, countries: CountryCode[]): string[] {
	const digits = withoutSeparators(value, countries);
	if (digits.startsWith('+')) {
		const number = checkPart(quoteForError(value), () => shapedNumber(digits));
		const spellings = [number, withoutTrunkDigits(number), withCodeOnce(number) ?? number];
		return [...new Set(spellings.flatMap(maybeSameCustomer))];
	}
	if (countries.length === 0) return maybeSameCustomer(phoneNumber(value));
	// A leading zero may be lost in a text, too.
	const readings = countries.flatMap((country) => readDigits(digits, country, true).numbers);
	// An old spelling is no valid number, but the same customer's new one is.
	const codes = ['', ...countries.map((country) => getCountryCallingCode(country))];
	const others = codes.map((code) => `+${code}${digits}`);
	const valid = others.flatMap(maybeSameCustomer).flatMap((number) => validNumber(number) ?? []);
	const dialed = [...readings, ...calledByCarrier(value, digits)].flatMap((number) => [
		dialedFromAbroad(number),
		withoutTrunkDigits(number),
	]);
	const customers = new Set([...dialed, ...valid].flatMap(maybeSameCustomer));
	return customers.size > 0 ? [...customers] : maybeSameCustomer(phoneNumber(value, countries[0]));
}

/** A day as a number: 20261123. */
const DAY = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;
const LENGTH_FIX = 'Check the number for missing or extra digits';

function onlyReading(numbers: string[], digits: string, value: unknown, otherFix = ''): string {
	const readings = [...new Set([...numbers, ...calledByCarrier(value, digits)])];
	if (readings.length === 1) return internationalNumber(readings[0], value);
	throw invalid`can mean ${readings.join(' or ')}
		Write the number with a plus sign and the country code${otherFix}`;
}

/** Digits alone. With a plus sign, many national numbers are someone else's in another country, which is named. */
function withoutCountryCode(digits: string): InvalidValue {
	const number = validNumber(`+${digits}`);
	const country = number && numberFacts(number).country;
	const where = country ? ` in ${countryName(country)}` : '';
	const withPlus = `. If it's ${number}${where}, only the plus sign is missing: put a + in front of the number, or of the expression in this field`;
	return invalid`has no plus sign and country code
		Set 'Default Country' under Options, or write the number with a plus sign and the country code, e.g. +15550100200${number ? withPlus : ''}`;
}

/** A number with a plus sign: it's complete and some customer may have it, or it's rejected. */
function internationalNumber(given: string, value: unknown): string {
	const number = shapedNumber(given);
	const once = withCodeOnce(number);
	if (once !== undefined)
		throw invalid`has the country code twice
			Write ${once}. If 'Customer Phone' has a country code in front of the expression, remove it there`;
	// In national spelling, no one adds a 0 that the country doesn't have.
	const dialed = /^\D*00|\+/.test(String(value)) ? withoutTrunkDigits : dialedFromAbroad;
	if (dialed(number) !== number)
		throw invalid`has digits after the country code that are dialed within the country only
			Remove them, e.g. write +49 151 23456789 instead of +49 0151 23456789`;
	const flaw = flawOf(number);
	if (flaw === 'INVALID_COUNTRY')
		throw invalid`begins with a country code that doesn't exist
			Check the digits after the plus sign`;
	if (/^\+1[01]/.test(number))
		throw invalid`has an area code that begins with ${number[2]}; with the country code 1, none does
			${LENGTH_FIX}`;
	if (flaw !== undefined)
		throw invalid`has too many or too few digits for its country code
			${LENGTH_FIX}${number.length > 14 ? '. In an event from WhatsApp, it may be a hidden ID (LID), which is no phone number' : ''}`;
	return number;
}

/** A number with a plus sign and as many digits as a phone number can have. */
function shapedNumber(number: string): string {
	if (number.startsWith('+0'))
		throw invalid`has a 0 where the country code starts
			Replace the leading 0 with the country code, e.g. +15550100200`;
	const digits = number.length - 1;
	if (digits < 7 || digits > 15)
		throw invalid`has ${digits} ${digits === 1 ? 'digit' : 'digits'}; a phone number has 7 to 15
			${LENGTH_FIX}`;
	return number;
}
