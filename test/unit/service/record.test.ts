import { isObject } from '../../../nodes/OutboundMessaging/isObject';
import {
	isMarkedFailed,
	isMessageRecord,
	isText,
} from '../../../nodes/OutboundMessaging/service/record';

const record = {
	id: 'msg-1',
	project_id: 7,
	timestamp: '2024-01-01T00:00:00Z',
	function_name: 'send_text_message',
	message: 'ok',
	status: 'sent',
	extra: { customer_id: 42, success: true },
};

describe('a message result record', () => {
	it.each<[string, unknown]>([
		['as the specification shows it', record],
		['with an unknown status', { ...record, status: 'queued' }],
		['with further fields', { ...record, cost: 1 }],
		['without the fields that do not tell', { id: 'a', function_name: 'b', status: 'c' }],
		['that says it failed', { ...record, extra: { success: false } }],
	])('%s', (_, body) => {
		expect(isMessageRecord(body)).toBe(true);
	});

	it.each<[string, unknown]>([
		['nothing', undefined],
		['null', null],
		['an empty text', ''],
		['a page', '<html></html>'],
		['a number', 200],
		['a list of records', [record]],
		['an empty object', {}],
		['a record in a wrapping', { data: record }],
		['no id', { ...record, id: undefined }],
		['an empty id', { ...record, id: '' }],
		['an id that is a number', { ...record, id: 5 }],
		['no function name', { ...record, function_name: undefined }],
		['no status', { ...record, status: undefined }],
		['a status that is a number', { ...record, status: 200 }],
		['an error', { error: 'x', code: 'y', success: false }],
	])('is not: %s', (_, body) => {
		expect(isMessageRecord(body)).toBe(false);
	});
});

it.each<[unknown, boolean]>([
	[{ success: false }, true],
	[{ success: true }, false],
	[{ success: null }, false],
	[{ success: 'false' }, true],
	[{ success: 'False' }, true],
	[{ success: 'no' }, false],
	[{ success: 0 }, false],
	[{}, false],
	[null, false],
	[undefined, false],
	['false', false],
	[[{ success: false }], false],
])('extra %j says failed: %s', (extra, failed) => {
	expect(isMarkedFailed({ ...record, extra })).toBe(failed);
	const isAtTop = isObject(extra) && failed;
	expect(isMarkedFailed(extra)).toBe(isAtTop);
});

it.each<[unknown, boolean, boolean]>([
	[{}, true, false],
	[Object.create(null), true, false],
	[[], false, false],
	[null, false, false],
	[undefined, false, false],
	['', false, false],
	['a', false, true],
	[5, false, false],
])('%#: object %s, text %s', (...row) => {
	const [value, object, text] = row;
	expect([isObject(value), isText(value)]).toEqual([object, text]);
});
