/* eslint-disable @n8n/community-nodes/no-restricted-globals -- a test reads its settings from the environment */
import fc from 'fast-check';

import { InvalidValue } from '../../nodes/OutboundMessaging/validation/invalidValue';
import { INVISIBLE_MARKS, SPACES, words } from '../unit/help';

/**
 * FUZZ_RUNS says how many inputs each claim is tried with. They're always the same in `npm test`, so that it fails for a
 * change and not for luck; with FUZZ_SEED=random they're new, and the number of a failure brings it back.
 */
const { FUZZ_RUNS = '220', FUZZ_SEED = '1' } = process.env;
const seed = FUZZ_SEED === 'random' ? {} : { seed: Number(FUZZ_SEED) };
fc.configureGlobal({ numRuns: Number(FUZZ_RUNS), ...seed });

jest.setTimeout(15 * 60_000);

/** Something that must hold for every input of a kind: it neither throws nor gives false. */
export function claim<T>(
	name: string,
	inputs: fc.Arbitrary<T>,
	holds: (input: T) => boolean | void,
): void {
	test(name, () => fc.assert(fc.property(inputs, holds)));
}

const characters = (...codes: number[]) => codes.map((each) => String.fromCodePoint(each));

/** What people and programs put between the characters that count. */
export const SEPARATORS = [
	...[...SPACES, ...INVISIBLE_MARKS, ...'.()-'],
	...characters(0xad, 0x2010, 0x2011, 0x2013, 0x2212, 0xff0d),
];

/** Pieces that have confused programs before. */
const PIECES = [
	...SEPARATORS,
	...words(
		'+ 00 0 1 5550100200 ١٢٣ １２３ e9 __proto__ null " \\ : <b> <script> <title> <!-- &lt;',
	),
	...characters(0, 7, 8, 0x1b, 0x7f, 0x85, 0x9b, 0x2028, 0x2029, 0xd800, 0xdfff, 0x1f389),
	...['\u001b[31m', '\u001b[0m', '\u001b]8;;http://evil.example\u0007'],
];
const piece = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.string({ unit: 'grapheme' }),
	fc.constantFrom(...PIECES),
);
export const nasty = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

/** Anything an expression can yield. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
	nasty,
	fc.double(),
	fc.maxSafeInteger(),
	fc.anything({
		...{ withBigInt: true, withBoxedValues: true, withDate: true, withMap: true, withSet: true },
		...{ withNullPrototype: true, withSparseArray: true, withTypedArray: true },
	}),
);

export const answer = (status: number, text: string, headers: Record<string, unknown> = {}) => {
	return { kind: 'answered' as const, status, headers, text };
};

/** Control and direction marks, line ends, halves of characters: nothing that belongs into an error. */
const UNCLEAN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

export function isCleanLine(text: string, longest: number): boolean {
	return text !== '' && text.length <= longest && !UNCLEAN.test(text);
}

/** A check takes anything: it gives a value of which something holds, or rejects it in words that fit into an error. */
export const gives =
	<I, T>(check: (input: I) => T, holds: (value: T, input: I) => boolean) =>
	(input: I): boolean => {
		let value: T;
		try {
			value = check(input);
		} catch (error) {
			const { title, description } = error as InvalidValue;
			const isFit = isCleanLine(title, 200) && isCleanLine(description, 300);
			return error instanceof InvalidValue && isFit;
		}
		return holds(value, input);
	};
