import {
	type CountryCode,
	getCountryCallingCode,
	validatePhoneNumberLength,
} from 'libphonenumber-js/max';

import { countryName } from './countries';
import { type InvalidValue, checkPart, invalid, quoteForError } from '../validation/invalidValue';
import { exactly } from '../common/text';
import {
	numberFacts,
	readDigits,
	validNumber,
	withCodeOnce,
	withoutTrunkDigits,
} from './nationalNumber';
import { CHECK_DIGITS, REMOVE_CODE, withoutSeparators } from './phoneSpelling';
import { sameCustomer } from './sameCustomer';

/**
 * A customer's phone number in E.164 form (specification 4.1). Never guessed: digits that can be
 * read in two ways are rejected.
 */
export function phoneNumber(value: unknown, defaultCountry?: CountryCode): string {
	const digits = withoutSeparators(value, defaultCountry && [defaultCountry]);
	return checkPart(quoteForError(value), () =>
		digits.startsWith('+')
			? internationalNumber(digits)
			: completeNumber(digits, typeof value === 'number', defaultCountry),
	);
}

function completeNumber(digits: string, isNumber: boolean, defaultCountry?: CountryCode) {
	const candidates = readDigits(digits, isNumber, defaultCountry);
	const numbers = candidates.map(({ number }) => number);
	const readings = candidates.map(({ reading }) => reading);
	const country = defaultCountry && countryName(defaultCountry);
	if (readings.includes('zeroLost')) {
		throw invalid`may have lost a leading zero, because it came as a number
			Format the column as plain text, then enter the number again`;
	}
	const isTrunkMissing = readings.includes('trunkMissing');
	if (isTrunkMissing && DAY.test(digits)) {
		throw invalid`can mean ${numbers[0]} or a date
			Write the number with a plus sign and the country code. If it's a date, map the field that \
				holds the phone number`;
	}
	if (numbers.length > 1) {
		const prefix = `, or with the prefix that people in ${country} dial first, such as 0`;
		throw invalid`can mean ${numbers.join(' or ')}
			Write the number with a plus sign and the country code${isTrunkMissing ? prefix : ''}`;
	}
	if (numbers.length === 1) return internationalNumber(numbers[0], readings[0] !== 'after00');
	if (country === undefined) throw withoutCountryCode(digits);
	throw invalid`isn't a valid phone number in ${country}
		${CHECK_DIGITS}. If it has all of them, or is from another country, write it with a plus \
			sign and its country code`;
}

/**
 * Every customer that a value can mean, for a list of those who must get no message: an ambiguous
 * number blocks both, and digits that may only lack their plus sign block that number, too.
 * @throws InvalidValue if no customer can have any of them: the entry would block no one
 */
export function phoneReadings(value: unknown, countries: CountryCode[]): string[] {
	const digits = withoutSeparators(value, countries);
	// A leading zero may be lost in a text, too.
	const candidates = countries.flatMap((country) => readDigits(digits, true, country));
	// An old spelling is no valid number, but the same customer's new one is.
	const codes = countries.flatMap((country) => ['', getCountryCallingCode(country)]);
	const others = codes.flatMap(
		(code) => validNumber(sameCustomer(`+${code}${digits}`))?.number ?? [],
	);
	const readings = digits.startsWith('+')
		? [digits, withCodeOnce(digits) ?? digits]
		: [...candidates.map(({ number }) => number), ...others];
	const numbers = readings.length > 0 ? readings : [phoneNumber(value, countries[0])];
	const all = [...new Set([...numbers, ...numbers.map(withoutTrunkDigits)].map(sameCustomer))];
	const flaws = all.map(flawOf);
	if (flaws.includes(undefined)) return all;

	return checkPart(quoteForError(value), () => {
		throw flaws[0];
	});
}

const E164 = exactly`^\+[0-9]{7,15}$`;
/** A day as a number: 20261123. */
const DAY = exactly`^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$`;

/**
 * Digits alone. With a plus sign, many national numbers are someone else's in another
 * country, which is named.
 */
function withoutCountryCode(digits: string) {
	const { country, isValid } = numberFacts(`+${digits}`);
	const where = country ? ` in ${countryName(country)}` : '';
	const withPlus =
		`. If it's +${digits}${where}, only the plus sign is missing: put a + in front of the ` +
		'number, or of the expression in this field';
	return invalid`has no plus sign and country code
		Add the country code, e.g. +15550100200, or set 'Default Country' under \
			Options${isValid ? withPlus : ''}`;
}

/**
 * A number with a plus sign: it's complete and some customer may have it, or it's rejected.
 * @param isNational whether it was in national spelling, where no one adds a 0 that the
 *   country doesn't have
 */
function internationalNumber(number: string, isNational = false) {
	const once = withCodeOnce(number);
	if (once !== undefined) {
		throw invalid`has the country code twice
			Write ${once}. ${REMOVE_CODE}`;
	}
	if (!isNational && withoutTrunkDigits(number) !== number) {
		throw invalid`has digits after the country code that are dialed within the country only
			Remove them: write +49 151 23456789 instead of +49 0151 23456789, and +54 9 11 2345 6789 \
				instead of +54 11 15 2345 6789`;
	}
	const flaw = flawOf(number);
	if (flaw) throw flaw;
	return number;
}

/** Why no customer can have a number with a plus sign. */
function flawOf(number: string): InvalidValue | undefined {
	// WhatsApp still knows some numbers in an older spelling.
	const flaw = validatePhoneNumberLength(sameCustomer(number));
	if (flaw === 'INVALID_COUNTRY') {
		return invalid`begins with a country code that doesn't exist
			Check the digits after the plus sign`;
	}
	if (/^\+1[01]/.test(number)) {
		return invalid`has an area code that begins with ${number[2]}; with the \
				country code 1, none does
			${CHECK_DIGITS}`;
	}
	if (flaw !== undefined || !E164.test(number)) {
		return invalid`has too many or too few digits for its country code
			${CHECK_DIGITS}${number.length > 14 ? HIDDEN_ID : ''}`;
	}
	return undefined;
}

const HIDDEN_ID =
	'. In an event from WhatsApp, it may be a hidden user ID, which is no phone number';
