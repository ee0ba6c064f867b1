/** Whom a message goes to. What single values mean, and URLs, are in test/unit/validation. */
import fc from 'fast-check';
import { getCountryCallingCode, parsePhoneNumberFromString as parse } from 'libphonenumber-js/max';

import { countries } from '../../nodes/OutboundMessaging/validation/countries';
import { withoutTrunkDigits } from '../../nodes/OutboundMessaging/validation/nationalNumber';
import { phoneNumber } from '../../nodes/OutboundMessaging/validation/phone';
import { SEPARATORS, anything, claim, gives } from './help';

const E164 = /^\+[1-9][0-9]{6,14}$/;
const digitsOf = (input: unknown) => String(input).replace(/[^0-9]/g, '');
const digits = fc.stringMatching(/^[1-9][0-9]{6,14}$/);
const digitsOfAnyLength = fc.oneof(digits, fc.stringMatching(/^[0-9]{4,8}$|^[1-9][0-9]{13,16}$/));
const separators = fc.array(fc.constantFrom(...SEPARATORS), { maxLength: 2 });
/** The characters of a text with separators strewn between them. */
const strewn = (text: string) =>
	fc
		.array(separators, { minLength: text.length + 1, maxLength: text.length + 1 })
		.map((gaps) => gaps.map((gap, index) => gap.join('') + (text[index] ?? '')).join(''));
/** What is not taken out from between digits: a zero that is dialed within the country only. */
const TRUNK_ZERO =
	/\([\s\p{Default_Ignorable_Code_Point}]*0[\s\p{Default_Ignorable_Code_Point}]*\)/u;
/** What may be a spreadsheet's decimal. */
const DECIMAL = /\.[^0-9]*0+[^0-9]*$/;
const phoneLike = digitsOfAnyLength.chain((number) =>
	fc.oneof(...['+', '00', '', '+0', '++', '0'].map((prefix) => strewn(prefix + number))),
);

claim(
	'a phone that is taken is E.164 and has exactly the digits of the input',
	fc.oneof({ weight: 3, arbitrary: phoneLike }, { weight: 1, arbitrary: anything }),
	gives(phoneNumber, (value, input) => {
		const [sent, given] = [value.slice(1), digitsOf(input)];
		// A spreadsheet's decimals are no digits, and neither is a bracketed 0 after a country code: none is added.
		const lost = DECIMAL.test(String(input)) || TRUNK_ZERO.test(String(input));
		const isSame = [sent, `00${sent}`].includes(given) || (lost && sent.length < given.length);
		return E164.test(value) && isSame && phoneNumber(value) === value;
	}),
);

claim(
	'a valid number of any country is taken',
	fc
		.tuple(
			fc.constantFrom(...countries.map(({ value }) => getCountryCallingCode(value))),
			fc.stringMatching(/^[1-9][0-9]{3,12}$/),
		)
		.map(([code, number]) => `+${code}${number}`),
	(number) =>
		parse(number)?.isValid() !== true ||
		withoutTrunkDigits(number) !== number ||
		phoneNumber(number) === number,
);

claim(
	'with a default country, a number is taken with its last digits',
	fc.tuple(
		fc.oneof(fc.stringMatching(/^[0-9]{1,18}$/).chain(strewn), fc.maxSafeInteger()),
		fc.constantFrom(...countries.map(({ value }) => value)),
	),
	gives(
		([input, country]) => phoneNumber(input, country),
		(value, [input]) => E164.test(value) && value.endsWith(digitsOf(input).slice(-4)),
	),
);
