/* eslint-disable @n8n/community-nodes/no-hardcoded-secrets -- a made-up key, for a service that is not there */
import { InvalidValue, quoteForError } from '../../nodes/OutboundMessaging/validation/invalidValue';

/** What the user reads when a check rejects a value. */
export function refusalOf(check: () => unknown): { title: string; description: string } {
	let value: unknown;
	try {
		value = check();
	} catch (error) {
		if (error instanceof InvalidValue)
			return { title: error.title, description: error.description };
		return { title: `Not an InvalidValue: ${String(error)}`, description: '' };
	}
	throw new Error(`Nothing was rejected, the check gave ${String(value).slice(0, 100)}`);
}

/** What a check says, with … for the value as errors show it, how to fix it, and the values that it says this about. */
export interface Rejection {
	title: string;
	description: string;
	values: unknown[];
}

/** The test for a row of a table: the check rejects the values in these words, and no others. */
export const rejects =
	(check: (value: unknown) => unknown) =>
	({ title, description, values }: Rejection) => {
		for (const value of values) {
			const text = title.replace('…', () => quoteForError(value));
			const refusal = refusalOf(() => check(value));
			expect({ value, ...refusal }).toEqual({ value, title: text, description });
		}
	};

/** What every check says about an expression that finds nothing. */
export const NOTHING: Rejection = {
	title: 'is empty: the expression found no value',
	description: 'Check that the input item has that field',
	values: [null, undefined],
};

/** How to fix a number that has lost digits. */
export const STORE_AS_TEXT =
	'Store it as text where it comes from, e.g. format the spreadsheet column as plain text';

/** The words of a text: the rows of a table that has one column. */
export const words = (text: string): string[] => text.trim().split(/\s+/);

/** The rows of a table in a text: `given → made; given → made`, or with one column, `given; given`. */
export const rows = <Row extends string[] = [string, string]>(text: string): Row[] =>
	text.split(';').map((row) => row.split('→').map((cell) => cell.trim()) as Row);

/** Expressions, each a row with one column. */
export const expressions = (text: string): string[] => rows(text).map(([each]) => `={{ ${each} }}`);

/** The marks without width that come with a copied contact. */
export const INVISIBLE_MARKS = [
	...'\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff',
];

/** What counts as a space, the one of the keyboard included. */
export const SPACES = [
	...'\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
	...'\u2028\u2029\u202f\u205f\u3000',
];

/** The key of the tests. */
export const KEY = 'sk-test-0123456789';
