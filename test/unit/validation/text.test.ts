import { tryToParseDateTime } from 'n8n-workflow';

import { messageText } from '../../../nodes/OutboundMessaging/validation/text';
import { INVISIBLE_MARKS, itRejects, NO_SINGLE_VALUE, SPACES } from '../help';

it.each<unknown>([
	'  two spaces before, a line break after\n',
	'\u200eleft to right',
	'Family: 👨‍👩‍👧, 👍🏽, café, ﷽',
	'{ 1 } <b>&amp;</b> \\n "quoted"',
	'\u001b.\u00ad',
	...[0, -1.5, 9007199254740991, true, false],
])('%p is sent untouched', (given) => expect(messageText(given)).toBe(String(given)));

const MARKS = [INVISIBLE_MARKS.join(''), '\ufe0f\u034f\u061c\u180e\u{e0020}', '\u0000\u001b\u007f'];
MARKS.push('\u3164', '\u115f\u1160 \uffa0', '\u00ad\u00ad', '\u2800\n\u2800');
itRejects(messageText, {
	'is empty': ['', SPACES.join('')],
	'is empty: it has only invisible characters': MARKS,
	'is …, not text': [NaN, Infinity, -Infinity],
	'… is too large for a number: its last digits are lost': [2 ** 53, -1e21],
	'is …, not text\nEnter one text in this row, or map one field, e.g. {{ $json.text }}': [10n],
	// The last one is what n8n's isolate leaves of the one before, which another node
	// put into an item.
	'is a date and time, not text': [new Date(0), tryToParseDateTime(0), { isLuxonDateTime: true }],
	...NO_SINGLE_VALUE,
});
