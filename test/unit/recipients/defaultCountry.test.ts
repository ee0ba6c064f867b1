import type { CountryCode } from 'libphonenumber-js/min';
import { parsePhoneNumberWithError } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/examples.mobile.json';

import { countries, countryCode } from '../../../nodes/OutboundMessaging/recipients/countries';
import { readDigits } from '../../../nodes/OutboundMessaging/recipients/nationalNumber';
import { phoneNumber } from '../../../nodes/OutboundMessaging/recipients/phone';
import { itRejects, NO_SINGLE_VALUE } from '../help';

/**
 * The library's example of a mobile number for each country, in E.164 form and as
 * people write it there.
 */
const EXAMPLES = countries.map(({ value: country }) => {
	const number = parsePhoneNumberWithError((examples as Record<string, string>)[country], country);
	return { country, e164: number.number, national: number.formatNational() };
});

it('there is an example for each country', () => expect(EXAMPLES).toHaveLength(245));

it.each(EXAMPLES)('$country: $national becomes $e164', ({ country, e164, national }) => {
	// The plus sign may be missing.
	for (const given of [national, e164, e164.replace('+', '00'), e164.slice(1)])
		expect(phoneNumber(given, country)).toBe(e164);
});

// What the examples don't have: landlines, carriers, numbers of a neighbor, and values that
// came as a number.
it.each<[CountryCode, unknown, string]>([
	['DE', 20261323, '+4920261323'],
	// Where people dial no 0 first, digits that look like a day are a number like any other.
	['DK', 20261123, '+4520261123'],
	// The other reading would have the country code twice.
	['DE', '491712345678', '+491712345678'],
	['DE', '49 1520 1234567', '+4915201234567'],
	// Keyboards of East Asia have signs of their own, too.
	['JP', '＋８１（９０）１２３４－５６７８', '+819012345678'],
	// 8- is not the end of a carrier's prefix here.
	['DE', '0174 312008-7', '+491743120087'],
	['DE', '(030) 123456-78', '+493012345678'],
	['DE', '030/12345678', '+493012345678'],
	['DE', '03012345678.0', '+493012345678'],
	['AT', '06641234567.0', '+436641234567'],
	['AT', '0660 144975947', '+43660144975947'],
	['JP', '90-1234-5678', '+819012345678'],
	// A bracketed 0 after the country code, though its plus sign is missing.
	['DE', '49 (0)151 23456789', '+4915123456789'],
	['DE', '0049 (0)151 23456789', '+4915123456789'],
	['AT', '43(0)664/1234567', '+436641234567'],
	['AT', '0043/664/1234567', '+436641234567'],
	// Prefixes for calls abroad are the country's.
	['AU', '0011 44 20 7946 0958', '+442079460958'],
	['AU', '0011 43 1 5123456', '+4315123456'],
	['US', '011 44 20 7946 0958', '+442079460958'],
	['US', '0044 20 7946 0958', '+442079460958'],
	// Carriers have prefixes of their own there: 0021 and a country code, or 00 and 212, where only
	// one is a number.
	['BR', '00 212 650 123456', '+212650123456'],
	['BR', '0021 44 20 7946 0958', '+442079460958'],
	['RU', '8 10 44 20 7946 0958', '+442079460958'],
	['CO', '007 3211234567', '+3211234567'],
	['SG', '011 1 868 291 1234', '+18682911234'],
	// Italy keeps the zero of its area codes; mobile numbers have none. Brazil: with the carrier that
	// is dialed before the area code, too. Argentina: 15 after the area code marks a mobile number at
	// home, 9 after the country code abroad.
	['IT', '06 1234 5678', '+390612345678'],
	['IT', '06 0711', '+39060711'],
	['IT', '0312 3456789', '+3903123456789'],
	['IT', '312 345 6789', '+393123456789'],
	['SM', '0549 886377', '+3780549886377'],
	['BR', '011 91234-5678', '+5511912345678'],
	['BR', '0 15 11 91234-5678', '+5511912345678'],
	['AR', '0343 15 555 1212', '+5493435551212'],
	['AR', '011 4345-6789', '+541143456789'],
	['MX', '52 55 1234 5678', '+525512345678'],
	['MX', '044 55 1234 5678', '+525512345678'],
	['CA', '202 555 0143', '+12025550143'],
	['US', '506 234 5678', '+15062345678'],
	['US', '787 234 5678', '+17872345678'],
	['RU', '912 345-67-89', '+79123456789'],
])('%s: %j becomes %s', (country, given, e164) => expect(phoneNumber(given, country)).toBe(e164));

// As a sheet's owner writes them, and as digits in a cell that holds a number, which has
// no leading zero.
it.each<[CountryCode, string, string]>([
	['DE', '030 12345678', '+493012345678'],
	['AT', '01 5123456', '+4315123456'],
	['CH', '044 668 18 00', '+41446681800'],
	['FR', '01 42 68 53 00', '+33142685300'],
	['GB', '020 7946 0958', '+442079460958'],
	['NL', '06 12345678', '+31612345678'],
	['NL', '020 123 4567', '+31201234567'],
	['AU', '0412 345 678', '+61412345678'],
	['AU', '02 9374 4000', '+61293744000'],
	['JP', '090-1234-5678', '+819012345678'],
	['JP', '03-1234-5678', '+81312345678'],
	['ZA', '071 123 4567', '+27711234567'],
	['ZA', '011 123 4567', '+27111234567'],
	['ES', '91 123 45 67', '+34911234567'],
	['PL', '512 345 678', '+48512345678'],
	['PL', '22 123 45 67', '+48221234567'],
	['US', '1 212 555 0100', '+12125550100'],
	['BR', '(011) 2345-6789', '+551123456789'],
	['MX', '55 1234 5678', '+525512345678'],
	['MX', '33 3123 4567', '+523331234567'],
	['IN', '098123 45678', '+919812345678'],
	['IN', '011 2345 6789', '+911123456789'],
	['TR', '322 412 34 56', '+903224123456'],
	['TR', '535 123 45 67', '+905351234567'],
])('%s: %s becomes %s, as a number, too', (country, written, e164) => {
	for (const given of [written, Number(written.replace(/\D/g, ''))])
		expect(phoneNumber(given, country)).toBe(e164);
});

// WhatsApp's IDs of old accounts are in the spelling of then.
it.each<[CountryCode, string, string]>([
	['DE', '491712345678', '+491712345678 plusMissing'],
	['HU', '508650895', '+36508650895 trunkMissing +508650895 plusMissing'],
	['RU', '9674322958', '+79674322958 trunkMissing +9674322958 plusMissing'],
	['IT', '612345678', '+390612345678 zeroLost'],
	['SG', '0034612345678', '+4612345678 national +34612345678 after00'],
	['MX', '5215512345678', '+5215512345678 oldAccount'],
	['BR', '553187654321', '+553187654321 oldAccount'],
	['CI', '22507080910', '+22507080910 oldAccount'],
])('in %s, %s can mean %s', (country, digits, meant) =>
	expect(readDigits(digits, true, country).flatMap(Object.values).join(' ')).toBe(meant),
);

const WITH_PLUS = 'Write the number with a plus sign and the country code';
const OR_PREFIX = ', or with the prefix that people in Germany dial first, such as 0';
const DIALED = '… has digits after the country code that are dialed within the country only';
const DIALED_WITHIN = ['0049 0151 23456789', '+49 0151 23456789'];
const NO_NUMBER_IN = "… isn't a valid phone number in";
describe.each<[CountryCode, string, unknown[]]>([
	['DE', `… can mean +4948512345678 or +48512345678\n${WITH_PLUS}${OR_PREFIX}`, ['48512345678']],
	// A digit is missing, a 0 of 0049 is lost, no customer has such a number, or two share a cell.
	['DE', `${NO_NUMBER_IN} Germany`, ['491511234567', '04915123456789', '0900 1234567', '110', '1']],
	[
		'DE',
		`${NO_NUMBER_IN} Germany`,
		['0164 1234567', '12025550101', '31612345678', '0221 31651 / 95210'],
	],
	['AT', `${NO_NUMBER_IN} Austria`, ['0316 8435/449666', '01 3137 - 0664 2972', '1234']],
	// Numbers of France, Turkey and Singapore: voice mail in Italy, a collect call in
	// Brazil, and Jamaica.
	['IT', `${NO_NUMBER_IN} Italy`, ['33612345678', '347 123 4567 8', '331234567']],
	[
		'BR',
		`${NO_NUMBER_IN} Brazil`,
		['98765-4321', '905321234567', '90 532 123 45 67', '5504 7967-8766'],
	],
	['US', `${NO_NUMBER_IN} United States`, ['6582345678', '555 0143']],
	['FR', `${NO_NUMBER_IN} France`, ['06 12 34 56 7', '06 12 34 56 78 9', '9'.repeat(40)]],
	['MX', `${NO_NUMBER_IN} Mexico`, ['521 55 1234 567', '1 55 1234 5678']],
	['DE', DIALED, DIALED_WITHIN],
	['AU', DIALED, DIALED_WITHIN],
	['JP', '… has too many or too few digits for its country code', ['0037 7061 2347 065']],
	['DE', '… has a (0) in it', ['44 (0)20 7946 0958', '4 (0)9 1512345678']],
	['IT', '… has a (0) in it', ['39 (0)6 12345678', '49 (0)151 23456789']],
	['DE', '… can mean +4920261123 or a date', [20261123, '20261123', '2026 1123']],
	['IT', '… may have lost a leading zero, because it came as a number', [612345678, 3123456789]],
])('in %s', (country, title, values) =>
	itRejects((value) => phoneNumber(value, country), { [title]: values }),
);

// cspell:disable
/**
 * Codes and names of ISO 3166-1: the short name, and the official and the common ones
 * where they differ.
 */
const ISO_3166 = `AW ABW Aruba
AF AFG Afghanistan | Islamic Republic of Afghanistan
AO AGO Angola | Republic of Angola
AI AIA Anguilla
AX ALA Åland Islands
AL ALB Albania | Republic of Albania
AD AND Andorra | Principality of Andorra
AE ARE United Arab Emirates
AR ARG Argentina | Argentine Republic
AM ARM Armenia | Republic of Armenia
AS ASM American Samoa
AG ATG Antigua and Barbuda
AU AUS Australia
AT AUT Austria | Republic of Austria
AZ AZE Azerbaijan | Republic of Azerbaijan
BI BDI Burundi | Republic of Burundi
BE BEL Belgium | Kingdom of Belgium
BJ BEN Benin | Republic of Benin
BQ BES Bonaire, Sint Eustatius and Saba
BF BFA Burkina Faso
BD BGD Bangladesh | People's Republic of Bangladesh
BG BGR Bulgaria | Republic of Bulgaria
BH BHR Bahrain | Kingdom of Bahrain
BS BHS Bahamas | Commonwealth of the Bahamas
BA BIH Bosnia and Herzegovina | Republic of Bosnia and Herzegovina
BL BLM Saint Barthélemy
BY BLR Belarus | Republic of Belarus
BZ BLZ Belize
BM BMU Bermuda
BO BOL Bolivia, Plurinational State of | Plurinational State of Bolivia | Bolivia
BR BRA Brazil | Federative Republic of Brazil
BB BRB Barbados
BN BRN Brunei Darussalam
BT BTN Bhutan | Kingdom of Bhutan
BW BWA Botswana | Republic of Botswana
CF CAF Central African Republic
CA CAN Canada
CC CCK Cocos (Keeling) Islands
CH CHE Switzerland | Swiss Confederation
CL CHL Chile | Republic of Chile
CN CHN China | People's Republic of China
CI CIV Côte d'Ivoire | Republic of Côte d'Ivoire
CM CMR Cameroon | Republic of Cameroon
CD COD Congo, The Democratic Republic of the
CG COG Congo | Republic of the Congo
CK COK Cook Islands
CO COL Colombia | Republic of Colombia
KM COM Comoros | Union of the Comoros
CV CPV Cabo Verde | Republic of Cabo Verde
CR CRI Costa Rica | Republic of Costa Rica
CU CUB Cuba | Republic of Cuba
CW CUW Curaçao
CX CXR Christmas Island
KY CYM Cayman Islands
CY CYP Cyprus | Republic of Cyprus
CZ CZE Czechia | Czech Republic
DE DEU Germany | Federal Republic of Germany
DJ DJI Djibouti | Republic of Djibouti
DM DMA Dominica | Commonwealth of Dominica
DK DNK Denmark | Kingdom of Denmark
DO DOM Dominican Republic
DZ DZA Algeria | People's Democratic Republic of Algeria
EC ECU Ecuador | Republic of Ecuador
EG EGY Egypt | Arab Republic of Egypt
ER ERI Eritrea | the State of Eritrea
EH ESH Western Sahara
ES ESP Spain | Kingdom of Spain
EE EST Estonia | Republic of Estonia
ET ETH Ethiopia | Federal Democratic Republic of Ethiopia
FI FIN Finland | Republic of Finland
FJ FJI Fiji | Republic of Fiji
FK FLK Falkland Islands (Malvinas)
FR FRA France | French Republic
FO FRO Faroe Islands
FM FSM Micronesia, Federated States of | Federated States of Micronesia
GA GAB Gabon | Gabonese Republic
GB GBR United Kingdom | United Kingdom of Great Britain and Northern Ireland
GE GEO Georgia
GG GGY Guernsey
GH GHA Ghana | Republic of Ghana
GI GIB Gibraltar
GN GIN Guinea | Republic of Guinea
GP GLP Guadeloupe
GM GMB Gambia | Republic of the Gambia
GW GNB Guinea-Bissau | Republic of Guinea-Bissau
GQ GNQ Equatorial Guinea | Republic of Equatorial Guinea
GR GRC Greece | Hellenic Republic
GD GRD Grenada
GL GRL Greenland
GT GTM Guatemala | Republic of Guatemala
GF GUF French Guiana
GU GUM Guam
GY GUY Guyana | Republic of Guyana
HK HKG Hong Kong | Hong Kong Special Administrative Region of China
HN HND Honduras | Republic of Honduras
HR HRV Croatia | Republic of Croatia
HT HTI Haiti | Republic of Haiti
HU HUN Hungary
ID IDN Indonesia | Republic of Indonesia
IM IMN Isle of Man
IN IND India | Republic of India
IO IOT British Indian Ocean Territory
IE IRL Ireland
IR IRN Iran, Islamic Republic of | Islamic Republic of Iran | Iran
IQ IRQ Iraq | Republic of Iraq
IS ISL Iceland | Republic of Iceland
IL ISR Israel | State of Israel
IT ITA Italy | Italian Republic
JM JAM Jamaica
JE JEY Jersey
JO JOR Jordan | Hashemite Kingdom of Jordan
JP JPN Japan
KZ KAZ Kazakhstan | Republic of Kazakhstan
KE KEN Kenya | Republic of Kenya
KG KGZ Kyrgyzstan | Kyrgyz Republic
KH KHM Cambodia | Kingdom of Cambodia
KI KIR Kiribati | Republic of Kiribati
KN KNA Saint Kitts and Nevis
KR KOR Korea, Republic of | South Korea
KW KWT Kuwait | State of Kuwait
LA LAO Lao People's Democratic Republic | Laos
LB LBN Lebanon | Lebanese Republic
LR LBR Liberia | Republic of Liberia
LY LBY Libya
LC LCA Saint Lucia
LI LIE Liechtenstein | Principality of Liechtenstein
LK LKA Sri Lanka | Democratic Socialist Republic of Sri Lanka
LS LSO Lesotho | Kingdom of Lesotho
LT LTU Lithuania | Republic of Lithuania
LU LUX Luxembourg | Grand Duchy of Luxembourg
LV LVA Latvia | Republic of Latvia
MO MAC Macao | Macao Special Administrative Region of China
MF MAF Saint Martin (French part)
MA MAR Morocco | Kingdom of Morocco
MC MCO Monaco | Principality of Monaco
MD MDA Moldova, Republic of | Republic of Moldova | Moldova
MG MDG Madagascar | Republic of Madagascar
MV MDV Maldives | Republic of Maldives
MX MEX Mexico | United Mexican States
MH MHL Marshall Islands | Republic of the Marshall Islands
MK MKD North Macedonia | Republic of North Macedonia
ML MLI Mali | Republic of Mali
MT MLT Malta | Republic of Malta
MM MMR Myanmar | Republic of Myanmar
ME MNE Montenegro
MN MNG Mongolia
MP MNP Northern Mariana Islands | Commonwealth of the Northern Mariana Islands
MZ MOZ Mozambique | Republic of Mozambique
MR MRT Mauritania | Islamic Republic of Mauritania
MS MSR Montserrat
MQ MTQ Martinique
MU MUS Mauritius | Republic of Mauritius
MW MWI Malawi | Republic of Malawi
MY MYS Malaysia
YT MYT Mayotte
NA NAM Namibia | Republic of Namibia
NC NCL New Caledonia
NE NER Niger | Republic of the Niger
NF NFK Norfolk Island
NG NGA Nigeria | Federal Republic of Nigeria
NI NIC Nicaragua | Republic of Nicaragua
NU NIU Niue
NL NLD Netherlands | Kingdom of the Netherlands
NO NOR Norway | Kingdom of Norway
NP NPL Nepal | Federal Democratic Republic of Nepal
NR NRU Nauru | Republic of Nauru
NZ NZL New Zealand
OM OMN Oman | Sultanate of Oman
PK PAK Pakistan | Islamic Republic of Pakistan
PA PAN Panama | Republic of Panama
PE PER Peru | Republic of Peru
PH PHL Philippines | Republic of the Philippines
PW PLW Palau | Republic of Palau
PG PNG Papua New Guinea | Independent State of Papua New Guinea
PL POL Poland | Republic of Poland
PR PRI Puerto Rico
KP PRK Korea, Democratic People's Republic of | Democratic People's Republic of Korea | North Korea
PT PRT Portugal | Portuguese Republic
PY PRY Paraguay | Republic of Paraguay
PS PSE Palestine, State of | the State of Palestine
PF PYF French Polynesia
QA QAT Qatar | State of Qatar
RE REU Réunion
RO ROU Romania
RU RUS Russian Federation
RW RWA Rwanda | Rwandese Republic
SA SAU Saudi Arabia | Kingdom of Saudi Arabia
SD SDN Sudan | Republic of the Sudan
SN SEN Senegal | Republic of Senegal
SG SGP Singapore | Republic of Singapore
SH SHN Saint Helena, Ascension and Tristan da Cunha
SJ SJM Svalbard and Jan Mayen
SB SLB Solomon Islands
SL SLE Sierra Leone | Republic of Sierra Leone
SV SLV El Salvador | Republic of El Salvador
SM SMR San Marino | Republic of San Marino
SO SOM Somalia | Federal Republic of Somalia
PM SPM Saint Pierre and Miquelon
RS SRB Serbia | Republic of Serbia
SS SSD South Sudan | Republic of South Sudan
ST STP Sao Tome and Principe | Democratic Republic of Sao Tome and Principe
SR SUR Suriname | Republic of Suriname
SK SVK Slovakia | Slovak Republic
SI SVN Slovenia | Republic of Slovenia
SE SWE Sweden | Kingdom of Sweden
SZ SWZ Eswatini | Kingdom of Eswatini
SX SXM Sint Maarten (Dutch part)
SC SYC Seychelles | Republic of Seychelles
SY SYR Syrian Arab Republic | Syria
TC TCA Turks and Caicos Islands
TD TCD Chad | Republic of Chad
TG TGO Togo | Togolese Republic
TH THA Thailand | Kingdom of Thailand
TJ TJK Tajikistan | Republic of Tajikistan
TK TKL Tokelau
TM TKM Turkmenistan
TL TLS Timor-Leste | Democratic Republic of Timor-Leste
TO TON Tonga | Kingdom of Tonga
TT TTO Trinidad and Tobago | Republic of Trinidad and Tobago
TN TUN Tunisia | Republic of Tunisia
TR TUR Türkiye | Republic of Türkiye
TV TUV Tuvalu
TW TWN Taiwan, Province of China | Taiwan
TZ TZA Tanzania, United Republic of | United Republic of Tanzania | Tanzania
UG UGA Uganda | Republic of Uganda
UA UKR Ukraine
UY URY Uruguay | Eastern Republic of Uruguay
US USA United States | United States of America
UZ UZB Uzbekistan | Republic of Uzbekistan
VA VAT Holy See (Vatican City State)
VC VCT Saint Vincent and the Grenadines
VE VEN Venezuela, Bolivarian Republic of | Bolivarian Republic of Venezuela | Venezuela
VG VGB Virgin Islands, British | British Virgin Islands
VI VIR Virgin Islands, U.S. | Virgin Islands of the United States
VN VNM Viet Nam | Socialist Republic of Viet Nam | Vietnam
VU VUT Vanuatu | Republic of Vanuatu
WF WLF Wallis and Futuna
WS WSM Samoa | Independent State of Samoa
YE YEM Yemen | Republic of Yemen
ZA ZAF South Africa | Republic of South Africa
ZM ZMB Zambia | Republic of Zambia
ZW ZWE Zimbabwe | Republic of Zimbabwe`
	.split('\n')
	.map((row) => /^(\w{2}) (\w{3}) (.+)$/.exec(row)!.slice(1) as [string, string, string]);
// cspell:enable

describe('the country that was chosen', () => {
	it('is one of the list, by its code or its name in English, or none', () => {
		for (const { name, value } of countries) {
			const inCapitals = name.replace(/ \(\+\d+\)$/, '').toUpperCase();
			expect([value, name, inCapitals].map(countryCode)).toEqual([value, value, value]);
		}
		expect(['', ' de '].map(countryCode)).toEqual([undefined, 'DE']);
	});

	it.each([
		['UK', 'GB'],
		['uk', 'GB'],
		['USA', 'US'],
		['EL', 'GR'],
		['de-DE', 'DE'],
		['en_us', 'US'],
		['zh-Hant-TW', 'TW'],
		['germany', 'DE'],
		['United kingdom', 'GB'],
		['the Netherlands', 'NL'],
		["Cote d'Ivoire", 'CI'],
		['Côte d’Ivoire', 'CI'],
		['Curacao', 'CW'],
		['Trinidad and Tobago', 'TT'],
		['Trinidad & Tobago', 'TT'],
		['Saint Lucia', 'LC'],
		['St. Lucia', 'LC'],
		['Hong Kong', 'HK'],
		['Kosovo', 'XK'],
		['South Korea', 'KR'],
		['UAE', 'AE'],
		['Turkey', 'TR'],
		['Türkiye', 'TR'],
		['Czech Republic', 'CZ'],
		['Great Britain', 'GB'],
		['United States of America', 'US'],
		['U.S.A.', 'US'],
		['Russian Federation', 'RU'],
		['Ivory Coast', 'CI'],
	])('%s is %s', (given, code) => expect(countryCode(given)).toBe(code));

	it.each([
		['Sudan (South)', 'SS'],
		['Samoa (American)', 'AS'],
		['Saint Martin (Dutch part)', 'SX'],
		['Korea (South)', 'KR'],
		['Virgin Islands (U.S.)', 'VI'],
		['Congo (Kinshasa)', 'CD'],
		['Congo (DRC)', 'CD'],
		['DR Congo', 'CD'],
		['Republic of Congo', 'CG'],
		['Netherlands (Holland)', 'NL'],
		['USA (United States)', 'US'],
		['DE - Germany', 'DE'],
		['DE-Germany', 'DE'],
		['Germany, DE', 'DE'],
		['Germany (DE)', 'DE'],
		['Germany (+49)', 'DE'],
		['Germany +49', 'DE'],
		['DE (49)', 'DE'],
		['Kingdom of Spain', 'ES'],
		['Ireland, Republic of', 'IE'],
		['Islamic Republic of Iran', 'IR'],
		['Federal Republic of Germany', 'DE'],
		['AND', 'AD'],
		['Republic of China', 'TW'],
		['the UK', 'GB'],
		['U.S.', 'US'],
		['XKX', 'XK'],
		['sv', 'SV'],
		['sl', 'SL'],
		['et', 'ET'],
		['ar', 'AR'],
		['ca', 'CA'],
	])('what is in brackets, and before or after a comma, counts: %s is %s', (given, code) =>
		expect(countryCode(given)).toBe(code),
	);

	const inISO = ISO_3166.filter(([code]) => countries.some(({ value }) => value === code));
	it.each(inISO)("%s is found by ISO's codes and names: %s, %s", (code, three, names) => {
		const [name, ...others] = names.split(' | ');
		const given = [
			three,
			three.toLowerCase(),
			name,
			...others,
			`${code} - ${name}`,
			`${name} (${code})`,
		];
		// Two countries are Congo for people, and one of them for ISO.
		const found = given.filter((each) => !/^Congo$|Congo \(|- Congo$/.test(each)).map(countryCode);
		expect(new Set(found)).toEqual(new Set([code]));
	});

	itRejects(countryCode, {
		"is …, which isn't a country": [
			'Georgia (US)',
			'Georgia, USA',
			'State of Georgia',
			'Congo',
			'Korea',
			'Virgin Islands',
			'China (mainland)',
			'Ireland (Northern)',
			'Germany / Austria',
			'Jersey, UK',
			'London, UK',
			'France (Guadeloupe)',
			'New Mexico',
			'Jersey (New)',
			'Mexico (New)',
			'Republic',
			'Kingdom',
			'Saint',
			'da',
			'GER',
			'ZZ',
			'Republic of Dominica',
			'Deutschland',
			'Germany '.repeat(100_000),
		],
	});

	itRejects(countryCode, {
		"is …, which isn't a country": ['Germanistan', '001', 'constructor', 'en', 'en-001', '+49'],
		'is …, not a country': [49],
		...NO_SINGLE_VALUE,
	});
});
