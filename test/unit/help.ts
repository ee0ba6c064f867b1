/* eslint-disable @n8n/community-nodes/no-hardcoded-secrets -- a made-up key, for a service that is not there */
import { InvalidValue } from '../../nodes/OutboundMessaging/validation/invalidValue';

/** What the user reads when a check rejects a value. */
export function refusalOf(check: () => unknown): { message: string; fix: string } {
	let value: unknown;
	try {
		value = check();
	} catch (error) {
		if (error instanceof InvalidValue) return { message: error.message, fix: error.fix };
		return { message: `Not an InvalidValue: ${String(error)}`, fix: '' };
	}
	throw new Error(`Nothing was rejected, the check gave ${String(value).slice(0, 100)}`);
}

/** The words of a text: the rows of a table that has one column. */
export const words = (text: string): string[] => text.trim().split(/\s+/);

/** A text for the title of a test: what cannot be seen is written out. */
export function visible(value: unknown): string {
	const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
	return text.replace(
		/[^\x20-\x7E]/gu,
		(mark) => `U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
	);
}

/** The marks without width that come with a copied contact. */
export const INVISIBLE_MARKS = [
	...[0x200b, 0x200c, 0x200d, 0x200e, 0x200f],
	...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e],
	...[0x2060, 0x2066, 0x2067, 0x2068, 0x2069, 0xfeff],
].map((code) => String.fromCharCode(code));

/** What counts as a space besides the one of the keyboard. */
export const SPACES = [
	...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0x1680],
	...[0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
	...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
].map((code) => String.fromCharCode(code));

export const MEGABYTE = 1_000_000;

/** The key of the tests. */
export const KEY = 'sk-test-0123456789';
