import { trimmed } from '../../../nodes/OutboundMessaging/validation/whitespace';
import { INVISIBLE_MARKS, SPACES } from '../help';

it('spaces and invisible marks are taken off both ends, and stay in the middle', () => {
	for (const mark of [...SPACES, ...INVISIBLE_MARKS]) {
		expect(trimmed(`${mark}${mark}a${mark}b${mark}${mark}`)).toBe(`a${mark}b`);
	}
});

it.each([
	['', ''],
	[' \u200b \ufeff', ''],
	['\u00ad\u061ca\u00adb\u3164', 'a\u00adb'],
	['😀 ', '😀'],
])('%j becomes %j', (given, kept) => {
	expect(trimmed(given)).toBe(kept);
});
