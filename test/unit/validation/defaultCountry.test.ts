import type { CountryCode } from 'libphonenumber-js/min';
import { parsePhoneNumberWithError } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/examples.mobile.json';

import { countries, countryCode } from '../../../nodes/OutboundMessaging/validation/countries';
import { phoneNumber } from '../../../nodes/OutboundMessaging/validation/phone';
import { refusalOf } from '../help';

/** The library's example of a mobile number for each country, in E.164 form and as people write it there. */
const EXAMPLES = countries.map(({ value: country }) => {
	const number = parsePhoneNumberWithError((examples as Record<string, string>)[country], country);
	return { country, e164: number.number, national: number.formatNational() };
});

it('there is an example for each country', () => expect(EXAMPLES).toHaveLength(245));

it.each(EXAMPLES)('$country: $national becomes $e164', ({ country, e164, national }) => {
	expect(phoneNumber(national, country)).toBe(e164);
	expect(phoneNumber(e164, country)).toBe(e164);
	expect(phoneNumber(e164.replace('+', '00'), country)).toBe(e164);
});

it('with the country code and without a plus sign, only three countries have two readings', () => {
	const readings = EXAMPLES.map(({ country, e164 }) => {
		try {
			return [country, phoneNumber(e164.slice(1), country) === e164];
		} catch {
			return [country, refusalOf(() => phoneNumber(e164.slice(1), country)).message];
		}
	});
	expect(readings.filter(([, isRead]) => isRead !== true)).toEqual([
		['DE', '"4915123456789" can mean +494915123456789 or +4915123456789'],
		['ID', '"62812345678" can mean +6262812345678 or +62812345678'],
		['XK', '"38343201234" can mean +38338343201234 or +38343201234'],
	]);
});

describe('as the numbering plans of the countries say', () => {
	it.each<[CountryCode, unknown, string]>([
		['DE', '0151 23456789', '+4915123456789'],
		['DE', '(030) 123456-78', '+493012345678'],
		['DE', '030/12345678', '+493012345678'],
		['DE', 15123456789, '+4915123456789'],
		['GB', '07911 123456', '+447911123456'],
		['GB', '447911123456', '+447911123456'],
		['FR', '06.12.34.56.78', '+33612345678'],
		['FR', 612345678, '+33612345678'],
		// Italy keeps the zero of its area codes; mobile numbers have none.
		['IT', '06 1234 5678', '+390612345678'],
		['IT', '312 345 6789', '+393123456789'],
		['SM', '0549 886377', '+3780549886377'],
		['CI', '07 12 34 56 78', '+2250712345678'],
		// Brazil: with the carrier that is dialed before the area code, too.
		['BR', '(11) 91234-5678', '+5511912345678'],
		['BR', '011 91234-5678', '+5511912345678'],
		['BR', '0 15 11 91234-5678', '+5511912345678'],
		['MX', '55 1234 5678', '+525512345678'],
		['MX', '52 55 1234 5678', '+525512345678'],
		// Argentina: 15 after the area code marks a mobile number at home, 9 after the country code abroad.
		['AR', '011 15 2345-6789', '+5491123456789'],
		['AR', '0343 15 555 1212', '+5493435551212'],
		['AR', '011 4345-6789', '+541143456789'],
		['US', '(202) 555-0143', '+12025550143'],
		['US', '1 202 555 0143', '+12025550143'],
		['US', 2025550143, '+12025550143'],
		['CA', '416-555-0123', '+14165550123'],
		['CA', '202 555 0143', '+12025550143'],
		['BS', '242 359 1234', '+12423591234'],
		['JM', '876 210 1234', '+18762101234'],
		['RU', '8 (912) 345-67-89', '+79123456789'],
		['RU', '912 345-67-89', '+79123456789'],
		['KZ', '8 701 123 4567', '+77011234567'],
		['BY', '8 029 123-45-67', '+375291234567'],
		['HU', '06 20 123 4567', '+36201234567'],
		['AU', '0412 345 678', '+61412345678'],
		['NZ', '021 123 4567', '+64211234567'],
		['JP', '090-1234-5678', '+819012345678'],
		['KR', '010-2000-0000', '+821020000000'],
		['IN', '098123 45678', '+919812345678'],
		['SG', '8123 4567', '+6581234567'],
		['ES', '612 34 56 78', '+34612345678'],
		['CH', '078 123 45 67', '+41781234567'],
		['NL', '06 12345678', '+31612345678'],
		['IL', '050-234-5678', '+972502345678'],
		['TR', '0501 234 56 78', '+905012345678'],
		['ZA', '071 123 4567', '+27711234567'],
		['UY', '094 231 234', '+59894231234'],
	])('%s: %j becomes %s', (country, given, e164) => {
		expect(phoneNumber(given, country)).toBe(e164);
	});

	const COMPLETE =
		'Check the number for missing or extra digits. Write a number of another country with a plus sign and its country code';
	const AS_TEXT =
		'Store phone numbers as text where they come from, e.g. format the spreadsheet column as plain text';
	const notPossible = (shown: string, country: string) =>
		`"${shown}" isn't a phone number that is possible in ${country}`;
	const lostZero = (shown: string) =>
		`"${shown}" may have lost a leading zero, because it came as a number`;

	it.each<[CountryCode, unknown, string, string]>([
		['DE', '110', notPossible('110', 'Germany'), COMPLETE],
		['DE', '1', notPossible('1', 'Germany'), COMPLETE],
		['US', '555 0143', notPossible('555 0143', 'United States'), COMPLETE],
		['FR', '06 12 34 56 7', notPossible('06 12 34 56 7', 'France'), COMPLETE],
		['FR', '06 12 34 56 78 9', notPossible('06 12 34 56 78 9', 'France'), COMPLETE],
		['FR', '9'.repeat(40), notPossible('9'.repeat(40), 'France'), COMPLETE],
		['MX', '521 55 1234 5678', notPossible('521 55 1234 5678', 'Mexico'), COMPLETE],
		[
			'GB',
			'+44 7911',
			'"+44 7911" has 6 digits; a phone number has 7 to 15',
			'Check the number for missing or extra digits',
		],
		[
			'DE',
			'(0) 151 23456789',
			'"(0) 151 23456789" has a (0) in it',
			"Remove the (0): it's dialed within the country only, and not after a country code",
		],
		['IT', 612345678, lostZero('612345678'), AS_TEXT],
		['IT', 3123456789, lostZero('3123456789'), AS_TEXT],
		['SM', 549886377, lostZero('549886377'), AS_TEXT],
		['CI', 712345678, lostZero('712345678'), AS_TEXT],
	])('%s: %j is rejected', (country, given, message, fix) => {
		expect(refusalOf(() => phoneNumber(given, country))).toEqual({ message, fix });
	});
});

it('the list has names and calling codes, sorted by name', () => {
	expect(countries).toContainEqual({ name: 'Germany (+49)', value: 'DE' });
	expect(countries).toContainEqual({ name: 'Kosovo (+383)', value: 'XK' });
	expect(new Set(countries.map(({ value }) => value)).size).toBe(countries.length);
	const names = countries.map(({ name }) => name);
	expect(names).toEqual([...names].sort((one, other) => one.localeCompare(other, 'en')));
});

describe('the country that was chosen', () => {
	it.each(countries.map(({ value }) => value))('%s', (code) =>
		expect(countryCode(code)).toBe(code),
	);

	it('none', () => expect(countryCode('')).toBeUndefined());

	it.each<[unknown, string]>([
		['de', 'is "de", which isn\'t a country code'],
		['Germany', 'is "Germany", which isn\'t a country code'],
		['001', 'is "001", which isn\'t a country code'],
		['constructor', 'is "constructor", which isn\'t a country code'],
		[49, 'is "49", not a country code'],
		[['DE'], 'received several values at once'],
	])('rejects %j', (value, message) => {
		expect(refusalOf(() => countryCode(value))).toEqual({
			message,
			fix: 'Choose from the list, or use an expression that yields a country code such as DE',
		});
	});
});
