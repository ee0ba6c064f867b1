import fc from 'fast-check';
import ipaddr from 'ipaddr.js';

import {
	attributesFromJson,
	attributesFromList,
} from '../../nodes/OutboundMessaging/validation/attributes';
import { countries } from '../../nodes/OutboundMessaging/validation/countries';
import { identifier } from '../../nodes/OutboundMessaging/validation/identifier';
import { quoteForError } from '../../nodes/OutboundMessaging/validation/invalidValue';
import { mediaUrl } from '../../nodes/OutboundMessaging/validation/media';
import { isPublicAddress } from '../../nodes/OutboundMessaging/validation/publicAddress';
import { phoneNumber } from '../../nodes/OutboundMessaging/validation/phone';
import { isMessageRecord, isMarkedFailed } from '../../nodes/OutboundMessaging/service/record';
import { messageText } from '../../nodes/OutboundMessaging/validation/text';
import {
	SEPARATORS,
	anything,
	checked,
	claim,
	isCleanLine,
	json,
	nasty,
	recordLike,
	refusesInWords,
} from './help';

const digits = fc
	.tuple(fc.integer({ min: 1, max: 9 }), fc.stringMatching(/^[0-9]{6,14}$/))
	.map(([first, rest]) => `${first}${rest}`);
const digitsOfAnyLength = fc.oneof(
	digits,
	fc.stringMatching(/^[0-9]{4,8}$/),
	fc.stringMatching(/^[1-9][0-9]{13,16}$/),
);

/** The characters of a text with separators strewn between them. */
const strewn = (text: string) =>
	fc
		.array(fc.array(fc.constantFrom(...SEPARATORS), { maxLength: 2 }), {
			minLength: text.length + 1,
			maxLength: text.length + 1,
		})
		.map((gaps) => gaps.map((gap, index) => gap.join('') + (text[index] ?? '')).join(''));

/** The one thing between digits that is not taken out: a zero that is dialled within the country only. */
const TRUNK_ZERO =
	/\([\s\p{Default_Ignorable_Code_Point}]*0[\s\p{Default_Ignorable_Code_Point}]*\)/u;

const phoneLike = digitsOfAnyLength.chain((number) =>
	fc.oneof(
		...[`+${number}`, `00${number}`, number, `+0${number}`, `++${number}`, `0${number}`].map(
			strewn,
		),
	),
);

const phone = [
	claim(
		'a phone is taken or rejected in words',
		fc.oneof(phoneLike, anything),
		refusesInWords(phoneNumber),
	),
	claim(
		'a phone that is taken is E.164 and has exactly the digits of the input',
		fc.oneof({ weight: 3, arbitrary: phoneLike }, { weight: 1, arbitrary: anything }),
		(input) => {
			const outcome = checked(() => phoneNumber(input));
			if ('refusal' in outcome) return true;
			const given = String(input).replace(/[^0-9]/g, '');
			const sent = outcome.value.slice(1);
			return (
				/^\+[1-9][0-9]{6,14}$/.test(outcome.value) &&
				(given === sent || given === `00${sent}`) &&
				phoneNumber(outcome.value) === outcome.value
			);
		},
	),
	claim(
		'separators do not count, wherever they are',
		digits.chain((number) =>
			fc.tuple(fc.constant(number), fc.oneof(strewn(`+${number}`), strewn(`00${number}`))),
		),
		([number, input]) =>
			TRUNK_ZERO.test(input)
				? 'refusal' in checked(() => phoneNumber(input))
				: phoneNumber(input) === `+${number}`,
		['10000000', '+1000000(0)0'],
	),
	claim(
		'a number without plus and country code is never guessed at',
		fc.oneof(digits.chain(strewn), digits.map(Number)),
		(input) => 'refusal' in checked(() => phoneNumber(input)),
	),
	claim(
		'with a default country, a number is taken with its last digits, or rejected in words',
		fc.tuple(
			fc.oneof(fc.stringMatching(/^[0-9]{1,18}$/).chain(strewn), fc.maxSafeInteger()),
			fc.constantFrom(...countries.map(({ value }) => value)),
		),
		([input, country]) => {
			const outcome = checked(() => phoneNumber(input, country));
			if ('refusal' in outcome)
				return refusesInWords((value) => phoneNumber(value, country))(input);
			const given = String(input).replace(/[^0-9]/g, '');
			return /^\+[1-9][0-9]{6,14}$/.test(outcome.value) && outcome.value.endsWith(given.slice(-4));
		},
	),
	claim(
		'digits of other scripts are never read as digits',
		fc.tuple(digits, fc.constantFrom(...'٣۴４𝟛')).map(([number, odd]) => `+${number}${odd}`),
		(input) => 'refusal' in checked(() => phoneNumber(input)),
	),
];

const ids = [
	claim('an ID is taken or rejected in words', anything, refusesInWords(identifier)),
	claim(
		'an ID that is taken is a part of the input, without spaces at its ends',
		anything,
		(input) => {
			const outcome = checked(() => identifier(input));
			if ('refusal' in outcome) return true;
			const id = outcome.value;
			return id !== '' && id === id.trim() && String(input).includes(id) && identifier(id) === id;
		},
	),
	claim(
		'a whole number becomes its digits',
		fc.nat(Number.MAX_SAFE_INTEGER),
		(number) => /^[0-9]+$/.test(identifier(number)) && Number(identifier(number)) === number,
	),
	claim(
		'a number that is negative, broken or too large is rejected',
		fc.double().filter((number) => !(Number.isSafeInteger(number) && number >= 0)),
		(number) => 'refusal' in checked(() => identifier(number)),
	),
];

const texts = [
	claim('a text is taken or rejected in words', anything, refusesInWords(messageText)),
	claim('a text is sent untouched', nasty, (input) => {
		const outcome = checked(() => messageText(input));
		return 'refusal' in outcome || outcome.value === input;
	}),
	claim(
		'of numbers and booleans only those become a text that say something',
		anything,
		(input) => {
			const outcome = checked(() => messageText(input));
			return (
				'refusal' in outcome ||
				typeof input === 'string' ||
				typeof input === 'boolean' ||
				Number.isFinite(input)
			);
		},
		NaN,
	),
];

const isGapless = (attributes: Record<string, string> | undefined) =>
	attributes === undefined ||
	(Object.keys(attributes).length > 0 &&
		Object.keys(attributes).every((key, index) => key === String(index + 1)) &&
		Object.values(attributes).every((value) => typeof value === 'string' && value.trim() !== ''));

const attributesLike = fc.oneof(
	anything,
	json,
	fc.array(fc.oneof(fc.string({ minLength: 1 }), fc.integer(), fc.boolean())),
	fc.dictionary(fc.oneof(fc.nat(5).map(String), nasty), fc.string({ minLength: 1 })),
);
const jsonText = fc.oneof(
	nasty,
	attributesLike.map((value) => JSON.stringify(plain(value)) ?? ''),
);

/** JSON cannot hold everything. */
function plain(value: unknown): unknown {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
		? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, String(typeof each)]))
		: String(typeof value);
}

const attributes = [
	claim(
		'attributes are taken or rejected in words',
		fc.oneof(attributesLike, jsonText),
		refusesInWords(attributesFromJson),
	),
	claim(
		'attributes that are taken have no gaps and no empty values',
		fc.oneof(attributesLike, jsonText),
		(input) => {
			const outcome = checked(() => attributesFromJson(input));
			return 'refusal' in outcome || isGapless(outcome.value);
		},
		new Map([[{}, new Set()]]),
	),
	claim('attributes from fields have no gaps and no empty values', fc.array(anything), (input) => {
		const outcome = checked(() => attributesFromList(input));
		return 'refusal' in outcome || isGapless(outcome.value);
	}),
	claim(
		'a list, an object in any order, and their JSON mean the same',
		fc
			.array(
				fc.oneof(
					fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
					fc.integer(),
				),
				{
					minLength: 1,
					maxLength: 12,
				},
			)
			.chain((list) =>
				fc.tuple(
					fc.constant(list),
					fc.shuffledSubarray([...list.keys()], { minLength: list.length }),
				),
			),
		([list, order]) => {
			const object = Object.fromEntries(order.map((index) => [String(index + 1), list[index]]));
			const expected = JSON.stringify(attributesFromList(list));
			return [list, object, JSON.stringify(list), JSON.stringify(object)].every(
				(input) => JSON.stringify(attributesFromJson(input)) === expected,
			);
		},
	),
	claim(
		'a missing position is never closed up',
		fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })),
		([count, gap]) => {
			const entries = Array.from({ length: count + 1 }, (_, index) => [String(index + 1), 'Ada']);
			const holed = Object.fromEntries(
				entries.filter(([key]) => key !== String(Math.min(gap, count))),
			);
			return 'refusal' in checked(() => attributesFromJson(holed));
		},
	),
];

const ipv4 = (...parts: Array<number | [number, number]>) =>
	fc.tuple(
		...parts.map((part) =>
			typeof part === 'number' ? fc.constant(part) : fc.integer({ min: part[0], max: part[1] }),
		),
	);
const BYTE: [number, number] = [0, 255];
const privateIpv4 = fc.oneof(
	ipv4(10, BYTE, BYTE, BYTE),
	ipv4(127, BYTE, BYTE, BYTE),
	ipv4(0, BYTE, BYTE, BYTE),
	ipv4(169, 254, BYTE, BYTE),
	ipv4(172, [16, 31], BYTE, BYTE),
	ipv4(192, 168, BYTE, BYTE),
	ipv4(100, [64, 127], BYTE, BYTE),
	ipv4([224, 255], BYTE, BYTE, BYTE),
);

/** One IP address has many spellings: browsers and libraries read them all. */
const spelling = ([a, b, c, d]: number[]) => {
	const whole = ((a * 256 + b) * 256 + c) * 256 + d;
	return fc.constantFrom(
		`${a}.${b}.${c}.${d}`,
		`${a}.${b}.${c}.${d}.`,
		`${a}.${b}.${c * 256 + d}`,
		`${a}.${(b * 256 + c) * 256 + d}`,
		`${whole}`,
		`0x${whole.toString(16)}`,
		`0${a.toString(8)}.0x${b.toString(16)}.${c}.${d}`,
		`[::ffff:${a}.${b}.${c}.${d}]`,
		`%3${String(a)[0]}${String(a).slice(1)}.${b}.${c}.${d}`,
		`${a}。${b}｡${c}．${d}`,
	);
};
const localName = fc.constantFrom(
	...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'printer.local', 'n8n.internal'],
	...[
		'nas.lan',
		'printer.local.',
		'printer.local.',
		'router.home.arpa',
		'intranet',
		'[::]',
		'[::1]',
		'[fe80::1]',
		'[fd00::1]',
		'[ff02::1]',
	],
);
const insideUrl = fc
	.tuple(
		fc.constantFrom('http://', 'https://', 'HTTPS:', 'https:\\\\', ' \u200bhttps://', 'ht\ntps://'),
		fc.oneof(privateIpv4.chain(spelling), localName),
		fc.constantFrom('', '/', ':8080/file.pdf', '/a?b#c', '\t/'),
	)
	.map((parts) => parts.join(''));
const urlLike = fc.oneof(
	fc.webUrl({ withQueryParameters: true, withFragments: true }),
	fc
		.tuple(fc.constantFrom('ada', 'ada:secret', ':secret', ''), fc.webUrl())
		.map(([user, url]) => url.replace('://', `://${user}@`)),
	insideUrl,
	anything,
);

/** Parts of IP addresses from both sides of where special ranges begin and end. */
const octet = fc.oneof(
	fc.constantFrom(0, 2, 10, 18, 51, 63, 64, 88, 99, 100, 113, 127, 128, 168, 169, 172, 175, 192),
	fc.integer({ min: 0, max: 255 }),
);
const group = fc.oneof(
	fc.constantFrom(0, 0, 0, 0x4, 0x1f, 0x4f, 0x64, 0x112, 0x1ff, 0x200, 0xdb8, 0xfff, 0x1000),
	fc.constantFrom(0x1fff, 0x2000, 0x2001, 0x2002, 0x2620, 0x3fff, 0x4000, 0x8000, 0xff9b, 0xffff),
	fc.integer({ min: 0, max: 0xffff }),
);
const hostOf = (host: string) => new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '');
const address = fc.oneof(
	fc.tuple(octet, octet, octet, octet).map((octets) => hostOf(octets.join('.'))),
	fc.tuple(octet, octet, octet, octet).map((octets) => hostOf(`[::ffff:${octets.join('.')}]`)),
	fc
		.array(group, { minLength: 8, maxLength: 8 })
		.map((groups) => hostOf(`[${groups.map((each) => each.toString(16)).join(':')}]`)),
);

/** Of IPv6, only 2000::/3 is given out. */
function isUnicast(text: string): boolean {
	const parsed = ipaddr.process(text);
	const isGivenOut = parsed.kind() === 'ipv4' || /^[23][0-9a-f]{3}:/.test(text);
	return isGivenOut && parsed.range() === 'unicast';
}

const urls = [
	claim('a URL is taken or rejected in words', urlLike, refusesInWords(mediaUrl)),
	claim(
		'a URL that is taken is http or https, complete and without a password',
		urlLike,
		(input) => {
			const outcome = checked(() => mediaUrl(input));
			if ('refusal' in outcome) return true;
			const url = new URL(outcome.value);
			return (
				['http:', 'https:'].includes(url.protocol) &&
				url.username + url.password === '' &&
				/[.:]/.test(url.hostname) &&
				/^[\x21-\x7e]+$/.test(outcome.value) &&
				mediaUrl(outcome.value) === outcome.value
			);
		},
	),
	claim(
		'a URL into a machine or a network is rejected, however it is written',
		insideUrl,
		(input) => 'refusal' in checked(() => mediaUrl(input)),
	),
	claim(
		'an IP address is public exactly if a library for them says so',
		address,
		(text) => isPublicAddress(text) === isUnicast(text),
		...['2001:1ff:ffff::', '2001:200::', '3fff:fff::', '3fff:1000::', '::ffff:7f00:1'],
	),
];

const values = [
	claim(
		'a value is shown on one short, clean line',
		anything,
		(input) => isCleanLine(quoteForError(input), 64),
		`${'x'.repeat(59)}🎉`,
	),
];

const records = [
	claim(
		'only an object with id, function name and status is a record',
		fc.oneof(recordLike, json, anything),
		(body) => {
			if (!isMessageRecord(body)) return true;
			isMarkedFailed(body);
			return (
				[body.id, body.function_name, body.status].every(
					(field) => typeof field === 'string' && field !== '',
				) && !Array.isArray(body)
			);
		},
	),
	claim(
		'a record is as deep as programs can walk through, or it is none',
		fc.integer({ min: 1, max: 300 }),
		(depth) => {
			let extra: unknown = { success: true };
			for (let level = 2; level < depth; level++) extra = level % 2 ? [extra] : { extra };
			const body = { id: '1', function_name: 'send_text_message', status: 'sent', extra };
			return isMessageRecord(body) === depth < 100;
		},
	),
];

export const messageClaims = [
	...phone,
	...ids,
	...texts,
	...attributes,
	...urls,
	...values,
	...records,
];
