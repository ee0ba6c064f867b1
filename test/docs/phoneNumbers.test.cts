/** The table of spellings, and the fixes of numbers: the owner of a sheet relies on both. */
import type { CountryCode } from 'libphonenumber-js/max';
import { phoneNumber } from '../../nodes/OutboundMessaging/recipients/phone';
import { filesBelow, readMarkdown, source } from './markdown.cts';

const [{ rows }] = readMarkdown('docs/phone-numbers.md').tables;
const spellings = rows.flatMap(([country, list, result]) =>
	list.split(', ').map((spelling) => [country, spelling.replaceAll('`', ''), result]),
);

test.each(spellings)('%s: %s: %s', (named, spelling, result) => {
	const country = named.slice(-3, -1) as CountryCode;
	const read = () => phoneNumber(/^\d+$/.test(spelling) ? Number(spelling) : spelling, country);
	const [, why] = /^Rejected: (.*)/.exec(result) ?? [];
	if (why === undefined) expect(read()).toBe(result.replaceAll('`', ''));
	else expect(read).toThrow(`"${spelling}" ${why}`);
});

const fixes = filesBelow('nodes/OutboundMessaging/recipients').flatMap((file) =>
	[...source(file).matchAll(/(?:invalid|\))`[^`]*(?<!\\)\n\t+([A-Z][^`]*)`/g)].map(
		([, fix]) => fix,
	),
);
test.each(fixes)('what to do with the number comes first: %s', (fix) =>
	expect(fix).toMatch(/^(?:Add|Check|Enter|Format|Leave|Remove|Replace|Use|Write) /),
);
