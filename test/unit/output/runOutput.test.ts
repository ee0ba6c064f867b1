/** What a user reads above the output, in the error and in the items of a run. */
import type { IExecuteFunctions, INode, NodeExecutionHint } from 'n8n-workflow';

import type {
	EndedItem,
	Message,
	Failed,
	Outcome,
} from '../../../nodes/OutboundMessaging/delivery/message';
import * as errors from '../../../nodes/OutboundMessaging/output/errors';
import * as hints from '../../../nodes/OutboundMessaging/output/hints';
import { progressLog } from '../../../nodes/OutboundMessaging/output/progress';
import { outputItem } from '../../../nodes/OutboundMessaging/output/items';
import { sameCustomer } from '../../../nodes/OutboundMessaging/recipients/sameCustomer';

const node = { name: 'Send', type: 'test', typeVersion: 1, parameters: {} } as unknown as INode;
const NO: Failed = { delivery: 'rejected', failure: { title: 'No', description: 'Fix No' } };
const ENDED = [{ outcome: NO }];

/** The hints that are added, as `info: …`. */
async function hintsOf(add: (context: IExecuteFunctions) => unknown): Promise<string[]> {
	const added: string[] = [];
	const addExecutionHints = ({ message, type }: NodeExecutionHint) => {
		added.push(`${type}: ${message}`);
	};
	const context = { addExecutionHints, getNode: () => node, getNodeParameter: () => '' };
	await add(context as unknown as IExecuteFunctions);
	return added;
}

const ALONE = { othersSend: false };
const EARLIER = { ...ALONE, inExecution: 2, hasKeys: false };

it('an error has the status that the service responded with, and the cause as n8n calls it', () => {
	const n8nCause = { cause: 'rate-limited', retryAfterMs: 1000 } as const;
	const failure = { ...NO.failure, statusCode: 429, n8nCause };
	const error = errors.runError(node, [{ outcome: { ...NO, failure } }], EARLIER, false);
	const shown = { name: 'NodeApiError', message: 'No', httpCode: '429', failure: n8nCause };
	expect(error).toMatchObject(shown);
});

const failed = (title: string, more: Partial<Failed> = {}): Failed => {
	return { ...NO, failure: { title, description: 'Fix it' }, ...more };
};
const OUTCOMES: Record<string, Outcome> = {
	later: failed('later', { delivery: 'notAttempted' }),
	no: failed('no'),
	before: failed('before', { origin: 'earlierTry' }),
	key: failed('key', { isFatal: true }),
	other: failed('other'),
	list: { delivery: 'skipped', why: { forPeople: 'on the list' }, details: {} } as never,
};
/** By these names, or accepted with a status. */
const itemsOf = (ended: string[]): EndedItem[] =>
	ended.map((each) => {
		return { outcome: OUTCOMES[each] ?? { delivery: 'accepted', record: { status: each } } };
	});

it.each<[string[], string]>([
	[['later'], 'later'],
	[['later', 'no'], 'no'],
	[['before', 'no'], 'no'],
	[['later', 'before'], 'before'],
	[['before', 'later'], 'before'],
	[['no', 'key'], 'key'],
	[['later', 'key', 'no'], 'key'],
])('of %j, the error is about %s', (ended, message) => {
	const error = errors.runError(node, itemsOf(ended), EARLIER, false);
	expect(error).toMatchObject({ message, name: 'NodeOperationError' });
});

it.each<[string[], string]>([
	[['sent', 'ongoing'], ''],
	[['failed'], 'warning: 1 accepted message with an unusual status: "failed" (1). See '],
	[
		['x', 'a', 'sent', 'a', '<b>', 'c'],
		'warning: 5 accepted messages with an unusual status: "a" (2), "x" (1), "‹b>"',
	],
	[['sent', 'list'], 'info: 1 of 2 messages accepted, 1 skipped (1 on the list)'],
	[
		['sent', 'no', 'no', 'key'],
		'warning: 1 of 4 messages accepted, 3 rejected. Why: no (2) · key (1)',
	],
	[['no', 'key', 'before', 'other'], '. Why: no (1) · key (1) · before (1) · and 1 other reason'],
])('%j: %j', async (ended, hint) => {
	const items = itemsOf(ended);
	const [said = ''] = await hintsOf((context) => hints.addOutcomeHints(context, items));
	expect(said).toMatch(hint || /^$/);
});

const ANOTHER =
	"warning: The service's record names another customer than the one the message was for: item 1 " +
	"(n8n counts items from 0). Check the service's dashboard";
it.each([
	['4711', '{"customer_id":4712}', 'other'],
	['+4915123456789', '{"customer_phone":"+49 151 234-56788"}', 'other'],
	['4711', '{"customer_id":"004711 ","customer_phone":"+4712"}', ''],
	['4711', '{}', ''],
	['4711', 'null', ''],
	['4711', '{"customer_id":{"toString":1}}', ''],
	['12345678901234567890', '{"customer_id":12345678901234567890}', ''],
	['4711', '"4712"', ''],
	['4711', '[4712]', ''],
	['+4915123456789', '{"customer_phone":"0049 151 234-56789","customer_id":5}', ''],
	['+5511987654321', '{"customer_phone":551187654321}', ''],
	['+4930', '{"customer_phone":""}', ''],
	['+22520212223', '{"customer_phone":"+2252720212223"}', ''],
	['+4930', '{"customer_phone":"+49*31"}', ''],
])('to %s, the record says %s: %s', async (recipient, extra, other) => {
	const message = { recipient: sameCustomer(recipient) } as Message;
	const record = { status: 'sent', extra: JSON.parse(extra) as never };
	const items = [...ENDED, { message, outcome: { delivery: 'accepted', record } as Outcome }];
	const [, said] = await hintsOf((context) => hints.addOutcomeHints(context, items));
	expect(said).toBe(other ? ANOTHER : undefined);
});

it('an error of n8n says what n8n said, and what to check where n8n did not', () => {
	const error = Object.assign(new Error('No'), { description: 'Do' });
	expect(errors.failureOfRun(error)).toMatchObject({ title: 'No', description: 'Do' });
	expect(errors.failureOfRun(new Error('No')).description).toMatch(/^Check the node's parameters/);
});

it("n8n's log has a line after each tenth of a run, and at most one in five seconds", () => {
	jest.useFakeTimers();
	const lines: string[] = [];
	const log = progressLog({ info: (line: string) => lines.push(line) } as never, 'Send', 60);
	for (let done = 1; done <= 60; done++) {
		jest.advanceTimersByTime(done <= 30 ? 100 : 1000);
		log(OUTCOMES.no);
	}
	jest.useRealTimers();
	expect(lines.map((line) => parseInt(line.slice(6)))).toEqual([32, 38, 44, 50, 56]);
	expect(lines[0]).toBe('Send: 32 of 60 messages done: 32 rejected');
});

const TO_PHONES = [
	'+4915123456789',
	'+4915123456788',
	'+20225550143',
	'+33700123456',
	'+15550100200',
];
const BY_COUNTRY = 'info: Recipients by country: Germany 2, Egypt 1, France 1, unknown 1';
const ODD_PHONE =
	"warning: Phone numbers that may not exist: 1, e.g. +33700123456. They aren't rejected, since " +
	'a numbering plan can be newer than this node';
const ODD_ID =
	'warning: Customer IDs that may be phone numbers: 2, e.g. 12025550143. This operation needs ' +
	'the IDs that the service gives its customers';
const MAP_IT = 'If each item has its own recipient, map it from the item';
/** A list that sends some messages to each of a few numbers, and one to each of the others. */
const listOf = (length: number, ...counts: number[]): string[] => {
	const some = counts.flatMap((count, index) => Array<string>(count).fill(`${index + 1}`));
	return [...some, ...Array.from({ length: length - some.length }, (_, index) => `9${index}`)];
};
it.each([
	[['1', '1', '1'], false, []],
	[['1', '1', '1', '1'], false, [`warning: 4 of 4 messages go to 1. ${MAP_IT}`]],
	[listOf(10, 5), false, [`warning: 5 of 10 messages go to 1. ${MAP_IT}`]],
	[
		listOf(10, 4, 4),
		false,
		[`warning: 4 of 10 messages go to 1, 4 of 10 messages go to 2. ${MAP_IT}`],
	],
	[listOf(400, 20), false, [`warning: 20 of 400 messages go to 1. ${MAP_IT}`]],
	// A family, and a company among many customers.
	[listOf(4, 2, 2), false, []],
	[listOf(6, 3, 2), false, []],
	[listOf(100, 9), false, []],
	[listOf(400, 19, 19), false, []],
	[TO_PHONES, true, [BY_COUNTRY, ODD_PHONE]],
	[[...TO_PHONES, ...TO_PHONES], false, [ODD_PHONE]],
	[['+4915123456789'], false, []],
	// Older spellings of an account, and numbers that are made up.
	[['+553187654321', '+5215512345678', '+22507010203', '+15550100200', '+447700900461'], false, []],
	[['12025550143', '4915123456789', '4711', '45123456'], true, [ODD_ID]],
	[['4711', '9007199254740993', '46701740'], false, []],
	[[], true, []],
])('to %j, dry run %j: %j', async (recipients, isDryRun, added) => {
	const messages = recipients.map((recipient) => {
		const field = recipient.startsWith('+') ? 'customer_phone' : 'customer_id';
		return { recipient, request: { body: { [field]: recipient } } } as unknown as Message;
	});
	const found = hintsOf(
		async (context) => await hints.addMessageHints(context, messages, isDryRun),
	);
	expect(await found).toEqual(added);
});

it('a URL that ends within an hour is a hint: the service fetches the file later', async () => {
	const url = (minutes: number) =>
		`https://a.example/a.png?signature=a&expires=${Math.round(Date.now() / 1000) + minutes * 60}`;
	const bodies = [
		{ customer_id: '1', attachment_url: url(30) },
		{ customer_phone: '+4915123456789', attachment: { image: url(50) } },
		{ customer_id: '2', attachment_url: url(90) },
		{ customer_id: '3', attachment_url: 'https://a.example/a.png' },
		{ customer_id: '4', text: url(5) },
	];
	const messages = bodies.map((body, itemIndex) => {
		return { itemIndex, recipient: `${itemIndex}`, request: { body } } as unknown as Message;
	});
	const found = hintsOf(async (context) => await hints.addMessageHints(context, messages, false));
	expect(await found).toEqual([
		'warning: 2 URLs of files that end within an hour, so the service may come too late. See ' +
			'items 0, 1 (n8n counts items from 0)',
	]);
});

it('an item for the error output has the error that n8n up to 2.32 wants', () => {
	const item = outputItem({ ...node, onError: 'continueErrorOutput' }, ENDED[0], 0);
	expect(item.error?.message).toBe('No. Fix No');
	expect(Object.keys(item)).toEqual(['json', 'pairedItem']);
	// As those releases do.
	expect(Object.assign(item, { error: undefined }).error).toBeUndefined();
	const regular = outputItem({ ...node, onError: 'continueRegularOutput' }, ENDED[0], 0);
	expect(regular.error).toBeUndefined();
});
