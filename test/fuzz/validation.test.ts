import fc from 'fast-check';
import ipaddr from 'ipaddr.js';

import {
	attributesFromJson,
	attributesFromList,
} from '../../nodes/OutboundMessaging/validation/attributes';
import { countries } from '../../nodes/OutboundMessaging/validation/countries';
import { identifier } from '../../nodes/OutboundMessaging/validation/identifier';
import { quoteForError } from '../../nodes/OutboundMessaging/validation/invalidValue';
import { mediaUrl as urlOf } from '../../nodes/OutboundMessaging/validation/media';
import { withoutTrunkDigits } from '../../nodes/OutboundMessaging/validation/nationalNumber';
import { isPublicAddress } from '../../nodes/OutboundMessaging/validation/publicAddress';
import { phoneNumber } from '../../nodes/OutboundMessaging/validation/phone';
import { messageText } from '../../nodes/OutboundMessaging/validation/text';
import { words } from '../unit/help';
import { SEPARATORS, anything, claim, gives, isCleanLine, isRefused, json, nasty } from './help';

const E164 = /^\+[1-9][0-9]{6,14}$/;
const digitsOf = (input: unknown) => String(input).replace(/[^0-9]/g, '');
const digits = fc.stringMatching(/^[1-9][0-9]{6,14}$/);
const digitsOfAnyLength = fc.oneof(digits, fc.stringMatching(/^[0-9]{4,8}$|^[1-9][0-9]{13,16}$/));
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
const phoneLike = digitsOfAnyLength.chain((number) =>
	fc.oneof(...['+', '00', '', '+0', '++', '0'].map((prefix) => strewn(prefix + number))),
);

claim(
	'a phone that is taken is E.164 and has exactly the digits of the input',
	fc.oneof({ weight: 3, arbitrary: phoneLike }, { weight: 1, arbitrary: anything }),
	gives(phoneNumber, (value, input) => {
		const [sent, given] = [value.slice(1), digitsOf(input)];
		// A spreadsheet's decimals are no digits, and neither is a bracketed 0 after a country code: none is added.
		const lost = DECIMAL.test(String(input)) || TRUNK_ZERO.test(String(input));
		const isSame = lost ? sent.length < given.length : [sent, `00${sent}`].includes(given);
		return E164.test(value) && isSame && phoneNumber(value) === value;
	}),
);

claim(
	'separators do not count, wherever they are',
	digits.chain((number) =>
		fc.tuple(fc.constant(number), fc.oneof(strewn(`+${number}`), strewn(`00${number}`))),
	),
	([number, input]) =>
		TRUNK_ZERO.test(input) ||
		DECIMAL.test(input) ||
		(withoutTrunkDigits(`+${number}`) !== `+${number}` && isRefused(() => phoneNumber(input))) ||
		(!input.includes('+') && isRefused(() => phoneNumber(input))) ||
		phoneNumber(input) === `+${number}`,
	['10000000', '+1000000(0)0'],
);

claim(
	'neither a number without plus and country code nor digits of other scripts are guessed at',
	fc.oneof(
		digits.chain(strewn),
		digits.map(Number),
		fc.tuple(digits, fc.constantFrom(...'٣۴４𝟛')).map(([number, odd]) => `+${number}${odd}`),
	),
	(input) => isRefused(() => phoneNumber(input)),
);

claim(
	'with a default country, a number is taken with its last digits',
	fc.tuple(
		fc.oneof(fc.stringMatching(/^[0-9]{1,18}$/).chain(strewn), fc.maxSafeInteger()),
		fc.constantFrom(...countries.map(({ value }) => value)),
	),
	gives(
		([input, country]) => phoneNumber(input, country),
		(value, [input]) => E164.test(value) && value.endsWith(digitsOf(input).slice(-4)),
	),
);

claim(
	'an ID is a part of the input, without spaces at its ends; of numbers, only whole ones have a meaning',
	fc.oneof(anything, fc.nat(Number.MAX_SAFE_INTEGER), fc.double()),
	gives(identifier, (id, input) => {
		const isPart = id !== '' && id === id.trim() && String(input).includes(id);
		const isWhole = Number.isSafeInteger(input) && Number(input) >= 0 && Number(id) === input;
		return isPart && identifier(id) === id && (typeof input !== 'number' || isWhole);
	}),
);

claim(
	'a text is sent untouched; of numbers and booleans only those become one that say something',
	anything,
	gives(
		messageText,
		(text, input) => text === input || typeof input === 'boolean' || Number.isFinite(input),
	),
	NaN,
);

claim(
	'a value is shown on one short, clean line',
	anything,
	(input) => isCleanLine(quoteForError(input), 64),
	`${'x'.repeat(59)}🎉`,
);

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
/** Not everything that expressions yield can be JSON. */
const jsonText = json.map((value) => JSON.stringify(value));
const readable = fc.oneof(
	fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
	fc.integer(),
);
const shuffled = fc
	.array(readable, { minLength: 1, maxLength: 12 })
	.chain((list) =>
		fc.tuple(fc.constant(list), fc.shuffledSubarray([...list.keys()], { minLength: list.length })),
	);

claim(
	'attributes have no gaps and no empty values',
	fc.oneof(attributesLike, nasty, jsonText),
	gives(attributesFromJson, isGapless),
	new Map([[{}, new Set()]]),
);

claim(
	'attributes from fields have no gaps and no empty values',
	fc.array(anything),
	gives(attributesFromList, isGapless),
);

claim(
	'a list, an object in any order, and their JSON mean the same; a missing position is never closed up',
	shuffled,
	([list, order]) => {
		const object = Object.fromEntries(order.map((index) => [String(index + 1), list[index]]));
		const expected = JSON.stringify(attributesFromList(list));
		const inputs = [list, object, JSON.stringify(list), JSON.stringify(object)];
		for (const input of inputs) {
			expect(JSON.stringify(attributesFromJson(input))).toBe(expected);
		}
		const gap = String(order[0] + 1);
		const holed = { ...object, [String(list.length + 1)]: 'Ada' };
		delete holed[gap];
		expect(isRefused(() => attributesFromJson(holed))).toBe(true);
	},
);

const BYTE = fc.nat(255);
const ipv4 = (...parts: Array<number | fc.Arbitrary<number>>) =>
	fc.tuple(...parts.map((part) => (typeof part === 'number' ? fc.constant(part) : part)));
const privateIpv4 = fc.oneof(
	...[10, 127, 0, fc.integer({ min: 224, max: 255 })].map((first) => ipv4(first, BYTE, BYTE, BYTE)),
	ipv4(169, 254, BYTE, BYTE),
	ipv4(172, fc.integer({ min: 16, max: 31 }), BYTE, BYTE),
	ipv4(192, 168, BYTE, BYTE),
	ipv4(100, fc.integer({ min: 64, max: 127 }), BYTE, BYTE),
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
	...words(`localhost LOCALHOST localhost. a.localhost printer.local printer.local. n8n.internal
		nas.lan router.home.arpa intranet [::] [::1] [fe80::1] [fd00::1] [ff02::1]`),
);
const insideUrl = fc
	.tuple(
		fc.constantFrom('http://', 'https://', 'HTTPS:', 'https:\\\\', ' \u200bhttps://', 'ht\ntps://'),
		fc.oneof(privateIpv4.chain(spelling), localName),
		fc.constantFrom('', '/', ':8080/file.pdf', '/a?b#c', '\t/'),
	)
	.map((parts) => parts.join(''));
const signedUrl = fc
	.tuple(fc.constantFrom('ada', 'ada:secret', ':secret', ''), fc.webUrl())
	.map(([user, url]) => url.replace('://', `://${user}@`));
const webUrl = fc.webUrl({ withQueryParameters: true, withFragments: true });

/** Parts of IP addresses from both sides of where special ranges begin and end. */
const octet = fc.oneof(
	fc.constantFrom(0, 2, 10, 18, 51, 63, 64, 88, 99, 100, 113, 127, 128, 168, 169, 172, 175, 192),
	BYTE,
);
const group = fc.oneof(
	fc.constantFrom(0, 0, 0, 0x4, 0x1f, 0x4f, 0x64, 0x112, 0x1ff, 0x200, 0xdb8, 0xfff, 0x1000),
	fc.constantFrom(0x1fff, 0x2000, 0x2001, 0x2002, 0x2620, 0x3fff, 0x4000, 0x8000, 0xff9b, 0xffff),
	fc.nat(0xffff),
);
const hostOf = (host: string) => new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '');
const octets = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'));
const address = fc.oneof(
	octets.map(hostOf),
	octets.map((mapped) => hostOf(`[::ffff:${mapped}]`)),
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

const mediaUrl = (value: unknown) => urlOf(value, 'document');

claim(
	'a URL that is taken is http or https, complete and without a password',
	fc.oneof(webUrl, signedUrl, insideUrl, anything),
	gives(mediaUrl, (value) => {
		const { protocol, username, password, hostname } = new URL(value);
		return (
			['http:', 'https:'].includes(protocol) &&
			username + password === '' &&
			/[.:]/.test(hostname) &&
			/^[\x21-\x7e]+$/.test(value) &&
			mediaUrl(value) === value
		);
	}),
);

claim('a URL into a network is rejected, however it is written', insideUrl, (input) =>
	isRefused(() => mediaUrl(input)),
);

claim(
	'an IP address is public exactly if a library for them says so',
	address,
	(text) => isPublicAddress(text) === isUnicast(text),
	...words('2001:1ff:ffff:: 2001:200:: 3fff:fff:: 3fff:1000:: ::ffff:7f00:1'),
);
