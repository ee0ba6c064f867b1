import { twoLines } from '../../../nodes/OutboundMessaging/common/failure';
import { quoteForError } from '../../../nodes/OutboundMessaging/validation/invalidValue';

it.each<[unknown, string]>([
	['', '""'],
	['say "hi"', '"say "hi""'],
	[42, '"42"'],
	[null, 'null'],
	[undefined, 'undefined'],
	[[1, 2], 'a list'],
	[{ toString: () => 'secret' }, 'an object'],
	[Object.create(null), 'an object'],
	['one\ntwo\r\nthree\tfour', '"one·two··three·four"'],
	['\u001b[31mred\u001b[0m', '"·[31mred·[0m"'],
	['\u202eabc\u200b\u2066\ufeff\u00ad', '"·abc····"'],
	['line\u2028paragraph\u2029next\u0085', '"line·paragraph·next·"'],
	['< <<a href="https://evil.example">+1</a>', '"‹ ‹‹a href="https://evil.example">+1‹/a>"'],
	['x'.repeat(60), `"${'x'.repeat(60)}"`],
	['\n'.repeat(61), `"${'·'.repeat(60)}…"`],
])('%p is shown as %s', (value, text) => expect(quoteForError(value)).toBe(text));

it('the lines of a template are two, whatever is in its values', () => {
	const text = twoLines`Node ${'a\0b\n\tc'} failed
		Rename ${'a\0b'}`;
	expect(text).toEqual({ title: 'Node a·b\n\tc failed', description: 'Rename a·b' });
});

it('a line that ends in a backslash goes on in the next one', () => {
	const text = twoLines`Two nodes \
		failed
		Rename \
		${'one\t'} of \
		them`;
	expect(text).toEqual({ title: 'Two nodes failed', description: 'Rename one\t of them' });
});
