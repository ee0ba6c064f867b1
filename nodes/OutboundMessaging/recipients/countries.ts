import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/max';

import { invalid, quoteForError } from '../validation/invalidValue';
import { requireText } from '../validation/requireText';
import { trimmed } from '../validation/whitespace';

const names = new Intl.DisplayNames(['en'], { type: 'region' });

/** The English name of a country, e.g. `Germany` for `DE`. */
export const countryName = (country: CountryCode): string => names.of(country) ?? country;

/** All countries that have phone numbers, by name, e.g. `{ name: 'Germany (+49)', value: 'DE' }`. */
export const countries: Array<{ name: string; value: CountryCode }> = getCountries()
	.map((country) => ({
		name: `${countryName(country)} (+${getCountryCallingCode(country)})`,
		value: country,
	}))
	.sort((one, other) => one.name.localeCompare(other.name, 'en'));

/** A name without what spellings of it differ in: "St. Lucia" and "Saint Lucia", "Germany (+49)" as the list has it. */
const plain = (name: string) =>
	name
		.normalize('NFD')
		.toLowerCase()
		.replace(/\bsaint\b/, 'st')
		.replace(/\(.*|\b(?:the|and)\b|[^a-z]/g, '');
const OTHER_NAMES =
	'uk=GB,greatbritain=GB,england=GB,usa=US,unitedstatesofamerica=US,uae=AE,el=GR,turkey=TR,czechrepublic=CZ,holland=NL,ivorycoast=CI,russianfederation=RU,republicofkorea=KR,macedonia=MK,hongkong=HK,macau=MO,macao=MO,palestine=PS';
/** By their names in English, and as people, CRMs and the European Union write them. */
const byName = new Map<string, CountryCode>([
	...countries.map(({ name, value }) => [plain(name), value] as const),
	...OTHER_NAMES.split(',').map((name) => name.split('=') as [string, CountryCode]),
]);
/** `de-DE`, `zh_Hant_TW`. */
const LANGUAGE_TAG = /^[a-z]{2,3}(?:[-_][a-z]{4})?[-_]([a-z]{2})$/i;

/** A country: a code of ISO 3166-1, an English name, or a language tag, e.g. `DE`, `Germany`, `de-DE`; empty for none. */
export function countryCode(value: unknown): CountryCode | undefined {
	const fix = 'Write a country such as DE or Germany, or choose one from the list';
	const given = trimmed(requireText(value, 'a country', fix));
	if (given === '') return undefined;
	const code = given.replace(LANGUAGE_TAG, '$1').toUpperCase();
	const country = countries.find(({ value }) => value === code)?.value ?? byName.get(plain(given));
	if (country !== undefined) return country;
	throw invalid`is ${quoteForError(value)}, which isn't a country
		${fix}`;
}
