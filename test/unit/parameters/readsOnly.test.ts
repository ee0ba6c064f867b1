import { readsOnly } from '../../../nodes/OutboundMessaging/parameters/readsOnly';

describe('an expression that only reads', () => {
	it.each([
		'$json.text',
		"$('Order').item.json.order_id",
		'$json["first name"].trim().toUpperCase()',
		"$json.a === 1 ? 'yes' : 'no'",
		'$json.a >= 2 && $json.b <= 3 || $json.c != 4',
		"$json.name ?? 'nobody'",
		"$now.plus(1, 'day').toFormat('dd LLL')",
		'($json.a + 1).toFixed(2)',
		"{ 1: $json.name, 2: $json.text.replace('a', () => 'b') }",
	])('%s', (code) => expect(readsOnly(code)).toBe(true));
});

describe('an expression that changes something, or may', () => {
	it.each([
		'$json.list.sort()[0]',
		'$json.list.reverse ( )',
		'$json.list.pop()',
		'$json.list["sort"]()',
		'$json.list.sort?.()',
		'$json.list.sort/* */()',
		'$json.list.sort // \n ()',
		'$json.list.s\\u006frt()',
		'($json.list.sort)()',
		'$json.list.sort`x`',
		'$json.list.map(each => each)',
		'$json.a = 1',
		'$json.a += 1',
		'$json.a >>= 1',
		'$json.a <<= 1',
		'$json.a **= 2',
		'$json.a ||= 1',
		'$json.a++',
		'--$json.a',
		'delete $json.a',
		'new Thing',
		'Object.assign($json, {})',
		'(() => { return $json.list })()',
	])('%s', (code) => expect(readsOnly(code)).toBe(false));
});
