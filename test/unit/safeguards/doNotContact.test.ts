import { doNotContactList } from '../../../nodes/OutboundMessaging/safeguards/doNotContact';
import { phoneNumber } from '../../../nodes/OutboundMessaging/validation/phone';
import { refusalOf } from '../help';

const list = (value: unknown) => [...doNotContactList(value, (entry) => [phoneNumber(entry)])];

it.each<[string, unknown, string[]]>([
	['a list', ['+15550100200', '+49 170 1234567'], ['+15550100200', '+491701234567']],
	['one per line', '+15550100200\r\n0049 170 1234567\n', ['+15550100200', '+491701234567']],
	['commas', '+1 555 010 0200, +49 170 1234567,', ['+15550100200', '+491701234567']],
	['empty entries', ['', null, undefined, '  ', '+15550100200'], ['+15550100200']],
	['an empty list', [], []],
	['the same number twice', ['+15550100200', '001 555 0100 200'], ['+15550100200']],
])('%s', (_, value, recipients) => {
	expect(list(value)).toEqual(recipients);
});

it('an entry with two readings blocks both', () => {
	const both = doNotContactList([491712345678], (entry) => [`+${entry}`, `+49${entry}`]);
	expect([...both]).toEqual(['+491712345678', '+49491712345678']);
});

it.each<[string, unknown, string]>([
	['nothing found', undefined, 'is empty: the expression found no list'],
	['null', null, 'is empty: the expression found no list'],
	['an empty text', '', 'is empty: the expression found no list'],
	['a space', ' ', 'not a list'],
	['an object', { phones: [] }, 'not a list'],
	['a number', 15550100200, 'not a list'],
	['only empty entries', [null, ''], 'has only empty entries'],
	['only empty text', ' , ', 'has only empty entries'],
	[
		'an entry that is no number',
		['+15550100200', 'Ada'],
		"has an entry that can't be used: entry 2 (the first is 1)",
	],
])('%s is rejected', (_, value, words) => {
	const { message, fix } = refusalOf(() => list(value));
	expect(message).toContain(words);
	expect(fix).toMatch(/\w{3}/);
});
