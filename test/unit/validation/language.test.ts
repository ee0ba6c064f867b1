import { isRightToLeft, languageTag } from '../../../nodes/OutboundMessaging/validation/language';

it.each([
	['pt-BR', 'pt-BR'],
	[' PT-br ', 'pt-BR'],
	['de', 'de'],
	['zh-Hant-TW', 'zh-Hant-TW'],
	['ar-SA-u-ca-gregory', 'ar-SA-u-ca-gregory'],
	['quc', 'quc'],
])('%j is the language %s', (value, tag) => expect(languageTag(value)).toBe(tag));

it.each([
	'german',
	'Portuguese',
	'pt_BR',
	'jp',
	'xx',
	'x',
	'de-',
	'en us',
	'pt-BR, de',
	'i-klingon',
	7,
])('%j is no language', (value) => {
	expect(() => languageTag(value)).toThrow(`is "${value}", which isn't a language code`);
});

it.each([
	[
		['ar', 'he', 'fa', 'ur', 'ps', 'yi', 'dv', 'ckb', 'ug', 'pa-PK', 'az-IR', 'ff-Adlm', 'nqo'],
		true,
	],
	[['en', 'pt-BR', 'de', 'ja', 'ru', 'tr', 'ku', 'pa', 'az', 'ms', 'fa-Latn', 'quc'], false],
])('%j: written from right to left: %j', (languages, expected) => {
	expect(languages.map(isRightToLeft)).toEqual(languages.map(() => expected));
});
