/* eslint-disable @n8n/community-nodes/no-dangerous-functions -- evaluates a fix as n8n would */
import type { CountryCode } from 'libphonenumber-js/min';

import type { CheckFacts } from '../../../nodes/OutboundMessaging/parameters/field';
import { CUSTOMER, PHONE } from '../../../nodes/OutboundMessaging/operations/recipientFields';
import { doNotContactList } from '../../../nodes/OutboundMessaging/safeguards/doNotContact';
import { refusalOf } from '../help';

const list = async (value: unknown, countries: CountryCode[] = []) => [
	...(await doNotContactList(value, { recipientField: PHONE, countries } as CheckFacts)),
];

async function rejection(value: unknown, countries?: CountryCode[]) {
	const error = await list(value, countries).catch((thrown: unknown) => thrown);
	return refusalOf(() => {
		if (error instanceof Error) throw error;
	});
}

it.each<[string, unknown, string[]]>([
	['a list', ['+15550100200', '+49 170 1234567'], ['+15550100200', '+491701234567']],
	['one per line', '+15550100200\r\n \n0049 170 1234567\n', ['+15550100200', '+491701234567']],
	['an empty list in JSON', ' [] ', []],
	['rows of CSV', '"+15550100200"\n\'+49 170 1234567', ['+15550100200', '+491701234567']],
	['JIDs', '4915123456789:3@s.whatsapp.net, wa.me/15550100200', ['+4915123456789', '+15550100200']],
	['cells of a table', '+15550100200\t+491701234567', ['+15550100200', '+491701234567']],
])('%s', async (_, value, recipients) => expect(await list(value)).toEqual(recipients));

it.each<[CountryCode[], unknown, string[]]>([
	[['DE'], '0171 2345678', ['+491712345678']],
	[['AT', 'DE', 'FR'], '0664 123456', ['+43664123456', '+49664123456', '+33664123456']],
	// Digits that may only lack their plus sign.
	[['DE'], '436641234567', ['+436641234567', '+49436641234567']],
	// With and without its country code, and with the leading zero that a number may have lost.
	[['DE'], '48512345678', ['+4948512345678', '+48512345678']],
	[['IT'], '331234567', ['+390331234567', '+39331234567']],
	[['IT'], '312 345 6789', ['+393123456789', '+3903123456789']],
	[['IT'], 3123456789, ['+393123456789', '+3903123456789']],
])('in %s, %j blocks every number that it can mean', async (countries, entry, recipients) => {
	expect(await list([entry], countries)).toEqual(recipients);
});

// An entry that no message can be addressed to blocks no one, whatever was meant.
it.each<[string, CountryCode | undefined, unknown]>([
	['two columns', undefined, '+34612345678\t2026-01-01'],
	['two cells in one entry', undefined, ['+34612345678\t2026-01-01']],
	['a digit too many', undefined, '+346123456789'],
	['a digit too few', undefined, '+34 612 345 67'],
	['a year behind it', undefined, '+34 612 345 678 - 2026'],
	['a year behind it, without a plus sign', 'ES', '34 612 345 678 - 2026'],
	['a year behind it, after 00', 'ES', '0034 612 345 678 - 2026'],
	['a year behind a national number', 'ES', '612 345 678 - 2026'],
	['an extension', undefined, '+1 202 555 0143 - 22'],
	['two numbers', undefined, '+34612345678 34612345679'],
	['a plus sign before a national number', 'ES', '+0612345678'],
	['a country code that does not exist', undefined, '+999 612 345 678'],
	['an area code that does not exist', undefined, '+1 055 501 0020'],
	['the code three times', undefined, '+343434612345678'],
	['a hidden ID', undefined, '+13491208655302741918'],
])('an entry that blocks no one is rejected: %s', async (_, country, value) => {
	const { title, description } = await rejection(value, country && [country]);
	expect(title).toMatch(/^has entries that can't be used: entry \d "/);
	expect(description).toMatch(/\w{3}/);
});

it.each<[string, CountryCode | undefined, string]>([
	['the code twice', undefined, '+34 34 612 345 678'],
	['a 0 that is dialed within the country', undefined, '+49 0151 23456789'],
	['an old account', undefined, '+55 31 8765-4321'],
	['a number that is too new for the library', undefined, '+34 112 345 678'],
	['no plus sign', undefined, '34612345678@c.us'],
	['a national number', 'ES', '612 345 678'],
])('an entry that blocks someone is taken: %s', async (_, country, entry) => {
	expect(await list([entry], country && [country])).not.toEqual([]);
});

it.each(['4711\t2026-01-01', '4711 - 2026', '4711 4712', '4711-', '#4711', '4711\u200b4712'])(
	'a customer ID with a slip is rejected: %j',
	async (entry) => {
		const facts = { recipientField: CUSTOMER, countries: [] as CountryCode[] } as CheckFacts;
		const error: unknown = await doNotContactList([entry], facts).catch((e: unknown) => e);
		expect(String(error)).toContain("has entries that can't be used: entry 1 ");
	},
);

it('every entry that is no recipient is listed, up to ten of them', async () => {
	const entries = ['+15550100200', 'Ada', ...Array.from({ length: 11 }, (_, row) => `x${row}`)];
	const { title } = await rejection(entries);
	const first = 'has entries that can\'t be used: entry 2 "Ada" has letters in it';
	expect(title.startsWith(first)).toBe(true);
	expect(title).toMatch(/; entry 11 "x8"[^"]*; and 2 more$/);
	expect(title).not.toContain('"x9"');
});

it.each<[string, unknown, string, CountryCode?]>([
	['null', null, 'is null, not a list'],
	['an empty text', '', 'has only empty entries'],
	['an object', { phone: '+15550100200' }, 'is an object, not a list'],
	['a list of rows', [{ json: { phone: '+15550100200' } }], 'is a list of rows'],
	['a list of lists', [['+15550100200'], []], 'is a list of lists'],
	['a header', '号\n+15550100200', 'entry 1 "号" looks like the header of a column'],
	['a header in brackets', '(Tel)\n+15550100200', 'entry 1 "(Tel)" looks like the header of a'],
	['a first line with a number', 'tel. 5 b\n+15550100200', 'entry 1 "tel. 5 b" has letters in it'],
	['a word, and nothing else', ['yes'], 'entry 1 "yes" has letters in it\n'],
	['what the item without fields gives', [undefined], 'has only empty entries'],
	['a number without its country', ['491712345678'], 'has no plus sign and country code'],
	['a number that is too short', ['1234'], '"1234" isn\'t a valid phone number', 'AT'],
])('%s is rejected', async (...[, value, text, defaultCountry]) => {
	const { title, description } = await rejection(value, defaultCountry && [defaultCountry]);
	expect(`${title}\n${description}`).toContain(text);
	expect(description).toMatch(/\w{3}/);
});

it('the fix for an empty table tells it from a typo', async () => {
	const { description } = await rejection([undefined]);
	const [, code] = /\{\{(.*)\}\}/.exec(description) ?? [];
	const evaluate = (rows: object[], expression = code) => {
		const all = () => rows.map((json) => ({ json }));
		return new Function('$', `return ${expression}`)(() => ({ all })) as unknown;
	};
	expect(evaluate([{}])).toEqual([]);
	expect(evaluate([{ phone: '+15550100200' }])).toEqual(['+15550100200']);
	const typo = evaluate([{ phone: '+15550100200' }], code.replace('json.phone', 'json.fone'));
	expect((await rejection(typo)).title).toContain('has only empty entries');
});
