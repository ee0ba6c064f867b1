/* eslint-disable @n8n/community-nodes/no-restricted-globals -- a test reads its settings from the environment */
import fc from 'fast-check';

import type { HttpResult } from '../../nodes/OutboundMessaging/service/exchange';
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

/**
 * Something that must hold for every input of a kind: tried with thousands that no one would think of.
 * @param holds neither throws nor gives false
 * @param examples are tried in any case: each of them has broken the claim once
 */
export function claim<T>(
	name: string,
	inputs: fc.Arbitrary<T>,
	holds: (input: T) => boolean | void,
	...examples: T[]
): void {
	const tried = examples.map((each): [T] => [each]);
	test(name, () => fc.assert(fc.property(inputs, holds), { examples: tried }));
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
	...words('+ 00 0 1 5550100200 ١٢٣ １２３ e9 __proto__ constructor null {"1":"Ada"} ["Ada"]'),
	...words('{ } [ ] " \\ , : https:// http: // @ ? # %00 .. 127.0.0.1 [::1] example.com'),
	...words('<b> </b> <script> <title> <!-- &lt;'),
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
	fc.string(),
	fc.double(),
	fc.integer(),
	fc.maxSafeInteger(),
	fc.anything({
		key: fc.oneof(fc.string(), fc.constantFrom('1', '2', '__proto__', 'constructor', 'length')),
		...{ withBigInt: true, withBoxedValues: true, withDate: true, withMap: true, withSet: true },
		...{ withNullPrototype: true, withObjectString: true },
		...{ withSparseArray: true, withTypedArray: true },
	}),
);

const FIELDS = words(`id function_name status message extra success code error detail msg
	__proto__ constructor prototype toString`);
/** Whatever a service can put into a JSON body, dangerous keys included. */
export const json: fc.Arbitrary<unknown> = fc
	.letrec((tie) => ({
		value: fc.oneof(
			{ depthSize: 'small' },
			nasty,
			fc.constantFrom(null, true, false, 0, -0, 1e308, 2 ** 53, ''),
			fc.array(tie('value'), { maxLength: 4 }),
			fc.dictionary(fc.oneof(nasty, fc.constantFrom(...FIELDS)), tie('value'), { maxKeys: 8 }),
		),
	}))
	.value.map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** Mostly as it should be, so that what comes after it is looked at too. */
const mostly = (right: fc.Arbitrary<unknown>, wrong = json) =>
	fc.oneof({ weight: 7, arbitrary: right }, { weight: 1, arbitrary: wrong });

/** A message result record, or nearly one. */
export const recordLike = fc.record(
	{
		id: mostly(fc.uuid()),
		function_name: mostly(fc.constantFrom('send_text_message', 'send_template_message')),
		status: mostly(fc.constantFrom('sent', 'ongoing', 'sent', '')),
		message: nasty,
		extra: mostly(fc.record({ success: mostly(fc.boolean()) })),
	},
	{ requiredKeys: ['id', 'function_name'] },
);

/** A key that a service may quote. */
export const QUOTED = 'live-0123456789abcdef';

export const answer = (status: number, text: string, headers = {}): HttpResult => {
	return { kind: 'answered', status, headers, text };
};

/** The value of a check, or its rejection. */
export function checked<T>(check: () => T): { value: T } | { refusal: InvalidValue } {
	try {
		return { value: check() };
	} catch (error) {
		expect(error).toBeInstanceOf(InvalidValue);
		return { refusal: error as InvalidValue };
	}
}

/** Control and direction marks, line ends, halves of characters: nothing that belongs into an error. */
const UNCLEAN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

export function isCleanLine(text: string, longest: number): boolean {
	return text !== '' && text.length <= longest && !UNCLEAN.test(text);
}

/** A check takes anything: it gives a value of which something holds, or rejects it in words that fit into an error. */
export const gives =
	<I, T>(check: (input: I) => T, holds: (value: T, input: I) => boolean) =>
	(input: I): boolean => {
		const outcome = checked(() => check(input));
		if ('value' in outcome) return holds(outcome.value, input);
		return isCleanLine(outcome.refusal.title, 200) && isCleanLine(outcome.refusal.description, 300);
	};
