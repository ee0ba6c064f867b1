/* eslint-disable @n8n/community-nodes/no-restricted-globals,
	@n8n/community-nodes/no-restricted-imports -- a test reads its settings from the environment */
/**
 * Whom a message goes to, and whatever a service answers: tried with inputs that no one would think
 * of. What single values and answers mean is in test/unit.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { getCountryCallingCode, parsePhoneNumberFromString as parse } from 'libphonenumber-js/max';

import { classifyResponse } from '../../nodes/OutboundMessaging/service/classifyResponse';
import { isMarkedFailed, isMessageRecord } from '../../nodes/OutboundMessaging/service/record';
import { redactor } from '../../nodes/OutboundMessaging/service/redact';
import { parseJson } from '../../nodes/OutboundMessaging/service/serviceError';
import { countries } from '../../nodes/OutboundMessaging/recipients/countries';
import { InvalidValue } from '../../nodes/OutboundMessaging/validation/invalidValue';
import { withoutTrunkDigits } from '../../nodes/OutboundMessaging/recipients/nationalNumber';
import { phoneNumber } from '../../nodes/OutboundMessaging/recipients/phone';
import { INVISIBLE_MARKS, SPACES } from '../unit/help';
import { SEED } from './seed';

/** How many inputs each claim is tried with. */
const { FUZZ_RUNS = '220' } = process.env;
fc.configureGlobal({ numRuns: Number(FUZZ_RUNS), seed: SEED });
jest.setTimeout(15 * 60_000);

/** Something that must hold for every input of a kind: it neither throws nor gives false. */
const claim = <T>(name: string, inputs: fc.Arbitrary<T>, holds: (input: T) => boolean | void) =>
	test(name, () => expect(() => fc.assert(fc.property(inputs, holds))).not.toThrow());

const characters = (...codes: number[]) => codes.map((each) => String.fromCodePoint(each));
/** What people and programs put between the characters that count. */
const SEPARATORS = [
	...[...SPACES, ...INVISIBLE_MARKS, ...'.()-'],
	...characters(0xad, 0x2010, 0x2011, 0x2013, 0x2212, 0xff0d),
];
/** Pieces that have confused programs before. */
const PIECES = [
	...SEPARATORS,
	'+',
	'00',
	'0',
	'1',
	'5550100200',
	'١٢٣',
	'１２３',
	'e9',
	'__proto__',
	'null',
	'"',
	'\\',
	':',
	'<b>',
	'<script>',
	'<title>',
	'<!--',
	'&lt;',
	...characters(0, 7, 8, 0x1b, 0x7f, 0x85, 0x9b, 0x2028, 0x2029, 0xd800, 0xdfff, 0x1f389),
	...['\u001b[31m', '\u001b[0m', '\u001b]8;;http://evil.example\u0007'],
];
const piece = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.string({ unit: 'grapheme' }),
	fc.constantFrom(...PIECES),
);
const nasty = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

/**
 * Without control and direction marks, line ends, halves of characters: nothing that
 * belongs into an error.
 */
const isCleanLine = (text: string, longest: number) =>
	text !== '' && text.length <= longest && !/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(text);

/**
 * A check takes anything: it gives a value of which something holds, or rejects it in words that
 * fit into an error.
 */
const gives =
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

const E164 = /^\+[1-9][0-9]{6,14}$/;
const digitsOf = (input: unknown) => String(input).replace(/[^0-9]/g, '');
const digits = fc.stringMatching(/^[1-9][0-9]{6,14}$|^[0-9]{4,8}$|^[1-9][0-9]{13,16}$/);
const separators = fc.array(fc.constantFrom(...SEPARATORS), { maxLength: 2 });
/** The characters of a text with separators strewn between them. */
const strewn = (text: string) =>
	fc
		.array(separators, { minLength: text.length + 1, maxLength: text.length + 1 })
		.map((gaps) => gaps.map((gap, index) => gap.join('') + (text[index] ?? '')).join(''));
/** What is not taken out from between digits: a zero that is dialed within the country only. */
const TRUNK_ZERO =
	/\([\s\p{Default_Ignorable_Code_Point}]*0[\s\p{Default_Ignorable_Code_Point}]*\)/u;
/** What may be a spreadsheet's decimal. */
const DECIMAL = /\.[^0-9]*0+[^0-9]*$/;
const phoneLike = digits.chain((number) =>
	fc.oneof(...['+', '00', '', '+0', '++', '0'].map((prefix) => strewn(prefix + number))),
);

claim(
	'a phone that is taken is E.164 and has exactly the digits of the input',
	fc.oneof({ weight: 6, arbitrary: phoneLike }, nasty, fc.anything({ withBigInt: true })),
	gives(phoneNumber, (value, input) => {
		const [sent, given] = [value.slice(1), digitsOf(input)];
		// A spreadsheet's decimals are no digits, and neither is a bracketed 0 after a country
		// code: none is added.
		const lost = DECIMAL.test(String(input)) || TRUNK_ZERO.test(String(input));
		const isSame = [sent, `00${sent}`].includes(given) || (lost && sent.length < given.length);
		return E164.test(value) && isSame && phoneNumber(value) === value;
	}),
);

const country = fc.constantFrom(...countries.map(({ value }) => value));

claim(
	'a valid number of any country is taken',
	fc.tuple(country, fc.stringMatching(/^[1-9][0-9]{3,12}$/)),
	([code, rest]) => {
		const number = `+${getCountryCallingCode(code)}${rest}`;
		const isValid = parse(number)?.isValid() === true && withoutTrunkDigits(number) === number;
		return !isValid || phoneNumber(number) === number;
	},
);

const national = fc.oneof(fc.stringMatching(/^[0-9]{1,18}$/).chain(strewn), fc.maxSafeInteger());
claim(
	'with a default country, a number is taken with its last digits',
	fc.tuple(national, country),
	gives(
		([input, code]) => phoneNumber(input, code),
		(value, [input]) => E164.test(value) && value.endsWith(digitsOf(input).slice(-4)),
	),
);

/** Keys as services give them, and some with characters that mean something in patterns. */
const key = fc.oneof(
	fc.stringMatching(/^[A-Za-z0-9_-]{16,40}$/),
	fc.constantFrom('sk_live_$&$1.*+?^${}()|[]', 'a/b+c==0123456789', '"quoted\\key"12345'),
);

const NAMES = [
	'id',
	'function_name',
	'status',
	'extra',
	'success',
	'code',
	'error',
	'detail',
	'__proto__',
	'constructor',
];
/**
 * Whatever a service can put into a JSON body: dangerous names, and the API key
 * between other things.
 */
const json = (secret: string) => {
	const quoted = fc.tuple(nasty, nasty).map(([before, after]) => before + secret + after);
	const others = fc.constantFrom(null, true, false, 0, -0, 1e308, 2 ** 53, '');
	const names = fc.oneof(nasty, fc.constantFrom(...NAMES));
	return fc
		.anything({ key: names, values: [nasty, others, quoted] })
		.map((value) => JSON.parse(JSON.stringify(value)) as unknown);
};
/** A message result record, or nearly one. */
const recordLike = (secret: string) =>
	fc.record(
		{
			id: fc.oneof(fc.uuid(), json(secret)),
			function_name: fc.constant('send_text_message'),
			status: fc.constantFrom('sent', 'ongoing', ''),
			extra: fc.oneof(json(secret), fc.record({ success: fc.oneof(fc.boolean(), json(secret)) })),
		},
		{ requiredKeys: ['id', 'function_name'] },
	);
/** JSON, or a page. */
const textOf = (body: unknown) =>
	typeof body === 'string' ? `<html><p class="a">${body}</p></html>` : JSON.stringify(body);

const answered = (secret: string) =>
	fc.record({
		kind: fc.constant('answered' as const),
		status: fc.oneof(
			fc.constantFrom(200, 200, 201, 204, 301, 307, 400, 401, 403, 404, 413, 429, 500, 502, 503),
			fc.nat(999),
		),
		headers: fc.record(
			{ 'retry-after': nasty, location: fc.oneof(nasty, fc.constant(`https://${secret}/`)) },
			{ requiredKeys: [] },
		),
		text: fc.oneof(json(secret), recordLike(secret)).map(textOf),
	});
type Answered = { status: number; text: string };

/** Whether nothing says what became of a message that may have arrived. */
function isOpen({ status, text }: Answered): boolean {
	if (status >= 500) return status !== 503;
	const body = parseJson(text);
	return status === 200 && !isMessageRecord(body) && !isMarkedFailed(body);
}

const isRecordOf2xx = ({ status, text }: Answered, record: Record<string, unknown>) =>
	Math.floor(status / 100) === 2 &&
	isMessageRecord(record) &&
	isDeepStrictEqual(record, parseJson(text)) &&
	(record.extra as { success?: unknown } | undefined)?.success !== false;

claim(
	'only the record of a 2xx is accepted, what may have arrived is uncertain, and what is said ' +
		'is clean and without the key',
	key.chain((secret) => fc.tuple(fc.constant(secret), answered(secret))),
	([secret, answer]) => {
		const verdict = classifyResponse(answer, redactor(secret));
		const fresh = {} as Record<string, unknown>;
		expect([Object.keys(fresh), fresh.success, fresh.id]).toEqual([[], undefined, undefined]);
		if (verdict.delivery === 'accepted') {
			// A key that it repeats is taken out: see test/unit.
			return redactor(secret)(answer.text) !== answer.text || isRecordOf2xx(answer, verdict.record);
		}
		if (isOpen(answer) && verdict.delivery !== 'uncertain') return false;
		const { title, description, code = '-' } = verdict.failure;
		const shown = `${title} ${description} ${code}`;
		const isClean = isCleanLine(shown, 1300) && !/<[a-z!/?]/i.test(shown);
		// Neither the key nor a telling part of it.
		const parts = [secret.slice(0, 12), secret.slice(-12)];
		return isClean && !parts.some((part) => shown.includes(part));
	},
);
