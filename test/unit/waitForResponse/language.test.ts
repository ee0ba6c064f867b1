import { isRightToLeft } from '../../../nodes/OutboundMessaging/waitForResponse/page';
import { languageTag } from '../../../nodes/OutboundMessaging/waitForResponse/responsePage';

it.each([
	['pt_BR', 'pt-BR'],
	['de', 'de'],
	['zh-Hant-TW', 'zh-Hant-TW'],
	['quc', 'quc'],
	['ayh', 'ayh'],
	[' PT-br ', 'pt-BR'],
	['ar-SA-u-ca-gregory', 'ar-SA-u-ca-gregory'],
])('%j is the language %s', (value, tag) => expect(languageTag(value)).toBe(tag));

it.each([
	'german',
	'Portuguese',
	'pt_',
	'jp',
	'xx',
	'x',
	'de-',
	'i-klingon',
	'en us',
	'pt-BR, de',
	7,
])('%j is no language', (value) =>
	expect(() => languageTag(value)).toThrow(`is "${value}", which isn't a language code`),
);

it.each([
	'ar',
	'he',
	'fa',
	'ur',
	'ps',
	'yi',
	'dv',
	'ckb',
	'ug',
	'pa-PK',
	'az-IR',
	'ff-Adlm',
	'nqo',
])('%s is written from right to left', (language) => expect(isRightToLeft(language)).toBe(true));

it.each(['en', 'pt-BR', 'de', 'ja', 'ru', 'tr', 'ku', 'pa', 'az', 'ms', 'fa-Latn', 'quc'])(
	'%s is written from left to right',
	(language) => expect(isRightToLeft(language)).toBe(false),
);
