/* eslint-disable @n8n/community-nodes/no-hardcoded-secrets -- a made-up key, for a service
	that is not there */
import { InvalidValue, quoteForError } from '../../nodes/OutboundMessaging/validation/invalidValue';

/**
 * What the user reads when a check rejects a value.
 * @param otherwise what comes of a value that isn't rejected
 */
export function refusalOf(check: () => unknown, otherwise = 'the check gave') {
	let value: unknown;
	try {
		value = check();
	} catch (error) {
		if (error instanceof InvalidValue)
			return { title: error.title, description: error.description };
		return { title: `Not an InvalidValue: ${String(error)}`, description: '' };
	}
	const given = typeof value === 'object' ? JSON.stringify(value) : String(value);
	throw new Error(`Nothing was rejected, ${otherwise}: ${given.slice(0, 100)}`);
}

/**
 * A test for each title: the check rejects these values with it. A second line of a title is the
 * fix; without one, any fix will do, since `test/docs` shows that each title has its own.
 * @param rejections the values by title, in which … is the value as errors show it
 * @param otherwise as in `refusalOf`
 */
export function itRejects(
	check: (value: unknown) => unknown,
	rejections: Record<string, unknown[]>,
	otherwise?: string,
): void {
	it.each(Object.entries(rejections))('rejected: %s', (text, values) => {
		expect(values).not.toEqual([]);
		for (const value of values) {
			const anyFix = expect.stringMatching(/^[A-Z].{9,}[^.]$/) as string;
			const shown = text.replace('…', () => quoteForError(value));
			const [title, description = anyFix] = shown.split('\n');
			const refusal = refusalOf(() => check(value), otherwise);
			expect({ value, ...refusal }).toEqual({ value, title, description });
		}
	});
}

/** What every check says about an expression that finds nothing. */
export const NOTHING = { 'is empty: the expression found no value': [null, undefined] };
/** What every check of one value says. */
export const NO_SINGLE_VALUE = {
	...NOTHING,
	'received several values at once': [['4711'], { toString: () => '4711' }],
};

/** The marks without width that come with a copied contact. */
export const INVISIBLE_MARKS = [
	...('\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069' +
		'\ufeff'),
];

/** What counts as a space, the one of the keyboard included. */
export const SPACES = [
	...'\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
	...'\u2028\u2029\u202f\u205f\u3000',
];

/** The key of the tests. */
export const KEY = 'sk-test-0123456789';
