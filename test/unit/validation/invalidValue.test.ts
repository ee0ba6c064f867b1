import {
	InvalidValue,
	quoteForError,
} from '../../../nodes/OutboundMessaging/validation/invalidValue';
import { MEGABYTE } from '../help';

it.each<[unknown, string]>([
	['Ada', '"Ada"'],
	['', '""'],
	['say "hi"', '"say "hi""'],
	[42, '"42"'],
	[true, '"true"'],
	[null, 'null'],
	[undefined, 'undefined'],
	[[1, 2], 'a list'],
	[{ apiKey: 'secret' }, 'an object'],
	[new Date(0), 'an object'],
	[Object.create(null), 'an object'],
	[{ toString: () => 'secret' }, 'an object'],
	['one\ntwo\r\nthree\tfour', '"one·two··three·four"'],
	['\u001b[31mred\u001b[0m', '"·[31mred·[0m"'],
	['\u202eabc\u200b\u2066\ufeff\u00ad', '"·abc····"'],
	['line\u2028paragraph\u2029next\u0085', '"line·paragraph·next·"'],
	['<a href="https://evil.example">+1</a>', '"‹a href="https://evil.example">+1‹/a>"'],
	['< <<b', '"‹ ‹‹b"'],
	['x'.repeat(60), `"${'x'.repeat(60)}"`],
	['x'.repeat(61), `"${'x'.repeat(60)}…"`],
	['x'.repeat(MEGABYTE), `"${'x'.repeat(60)}…"`],
	['\n'.repeat(MEGABYTE), `"${'·'.repeat(60)}…"`],
])('row %#', (...row) => {
	const [value, text] = row;
	expect(quoteForError(value)).toBe(text);
});

it('says what is wrong and how to fix it', () => {
	const error = new InvalidValue('is empty', 'Enter it');
	expect(error).toMatchObject({ name: 'InvalidValue', message: 'is empty', fix: 'Enter it' });
	expect(error).toBeInstanceOf(Error);
});
