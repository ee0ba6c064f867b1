import { customerId, identifier } from '../../../nodes/OutboundMessaging/validation/identifier';
import { INVISIBLE_MARKS, NOTHING, rejects, rows, SPACES, STORE_AS_TEXT } from '../help';

it('spaces and invisible marks are taken off both ends, and stay in the middle', () => {
	for (const mark of [...SPACES, ...INVISIBLE_MARKS, '\u00ad', '\u061c', '\u3164']) {
		expect(identifier(`${mark}${mark}a${mark}b${mark}${mark}`)).toBe(`a${mark}b`);
	}
});

it.each<[unknown, string]>([
	['0042', '0042'],
	['é😀 ', 'é😀'],
	['__proto__', '__proto__'],
	['9007199254740993', '9007199254740993'],
	[-0, '0'],
	[Number.MAX_SAFE_INTEGER, '9007199254740991'],
	[` ${'x'.repeat(256)}\n`, 'x'.repeat(256)],
])('%p becomes %j', (given, sent) => expect(identifier(given)).toBe(sent));

it.each(rows('4711.0 → 4711; 47.00 → 47; A-47.0 → A-47.0; 47.0.1 → 47.0.1'))(
	'the customer ID %s becomes %s',
	(given, sent) => expect(customerId(given)).toBe(sent),
);

describe('rejected', () => {
	const MAP = 'Map the field that holds the ID';
	it.each`
		message                                                    | fix                                                | values
		${'is empty'}                                              | ${'Enter the ID, or map a field that has a value'} | ${['', SPACES.join(''), INVISIBLE_MARKS.join('')]}
		${'… is longer than 256 characters'}                       | ${`${MAP}, and nothing else`}                      | ${['x'.repeat(257)]}
		${"… isn't a whole number"}                                | ${`${MAP}, as text or as a whole number`}          | ${[47.11, -1, NaN, Infinity]}
		${'… is too large for a number: its last digits are lost'} | ${STORE_AS_TEXT}                                   | ${[2 ** 53, -(2 ** 53), 1e21]}
		${NOTHING.message}                                         | ${NOTHING.fix}                                     | ${NOTHING.values}
		${'is …, not an ID'}                                       | ${MAP}                                             | ${[false, Symbol('4711')]}
		${'received several values at once'}                       | ${MAP}                                             | ${[['4711'], { id: '4711' }, new Date(0)]}
	`('$message', rejects(identifier));
});
