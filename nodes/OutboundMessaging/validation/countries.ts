import {
	type CountryCode,
	getCountries,
	getCountryCallingCode,
	isSupportedCountry,
} from 'libphonenumber-js/max';

import { invalid, quoteForError, requireText } from './invalidValue';
import { trimmed } from './whitespace';

const names = new Intl.DisplayNames(['en'], { type: 'region' });

/** The English name of a country, e.g. `Germany` for `DE`. */
export function countryName(country: CountryCode): string {
	return names.of(country) ?? country;
}

/** All countries that have phone numbers, by name, e.g. `{ name: 'Germany (+49)', value: 'DE' }`. */
export const countries: Array<{ name: string; value: CountryCode }> = getCountries()
	.map((country) => ({
		name: `${countryName(country)} (+${getCountryCallingCode(country)})`,
		value: country,
	}))
	.sort((one, other) => one.name.localeCompare(other.name, 'en'));

/**
 * A country that was chosen, or that an expression found.
 * @param value a code of ISO 3166-1, e.g. `DE`, or an empty text for none
 * @throws InvalidValue
 */
export function countryCode(value: unknown): CountryCode | undefined {
	const fix = 'Choose from the list, or use an expression that gives a country code such as DE';
	const given = requireText(value, 'a country code', fix);
	const code = trimmed(given).toUpperCase();
	if (code === '') return undefined;
	if (isSupportedCountry(code)) return code;
	throw invalid`is ${quoteForError(given)}, which isn't a country code
		${code === 'UK' ? 'Use GB for the United Kingdom' : fix}`;
}
