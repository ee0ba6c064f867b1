import { trimmed } from '../../../nodes/OutboundMessaging/validation/whitespace';
import { SPACES, INVISIBLE_MARKS, MEGABYTE, visible } from '../help';

it.each([...SPACES, ...INVISIBLE_MARKS].map((mark) => [visible(mark), mark]))(
	'%s is taken off both ends and kept in the middle',
	(_, mark) => {
		expect(trimmed(`${mark}${mark}a${mark}b${mark}${mark}`)).toBe(`a${mark}b`);
	},
);

it.each([
	['', ''],
	[' ', ''],
	['a', 'a'],
	[' \u200b \ufeff', ''],
	['\u00ad\u061ca\u00adb\u3164', 'a\u00adb'],
	['😀 ', '😀'],
])('%j becomes %j', (given, kept) => {
	expect(trimmed(given)).toBe(kept);
});

it.each([
	['spaces', ' '.repeat(MEGABYTE), ''],
	['spaces between two letters', `a${' '.repeat(MEGABYTE)}b`, `a${' '.repeat(MEGABYTE)}b`],
	['spaces around a letter', `${' '.repeat(MEGABYTE)}b${'\u200b'.repeat(MEGABYTE)}`, 'b'],
])('a megabyte of %s', (...row) => {
	const [, given, kept] = row;
	expect(trimmed(given) === kept).toBe(true);
});
