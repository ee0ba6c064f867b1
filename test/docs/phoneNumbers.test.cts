/** The table of spellings: the owner of a sheet relies on it. */
import type { CountryCode } from 'libphonenumber-js/max';
import { phoneNumber } from '../../nodes/OutboundMessaging/validation/phone';
import { readMarkdown } from './markdown.cts';

const [{ rows }] = readMarkdown('docs/phone-numbers.md').tables;

test('it has fifteen countries or more', () => {
	expect(new Set(rows.map(([country]) => country)).size).toBeGreaterThanOrEqual(15);
});

test.each(rows)('%s (%s): %s as %s: %s', (_, country, spelling, type, result) => {
	const written = spelling.replaceAll('`', '');
	const value = type === 'Number' ? Number(written) : written;
	const read = () => phoneNumber(value, country as CountryCode);
	const [, why] = /^Rejected: (.*)/.exec(result) ?? [];
	if (why === undefined) expect(read()).toBe(result.replaceAll('`', ''));
	else expect(read).toThrow(`"${written}" ${why}`);
});
