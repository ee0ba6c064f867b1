import type { IDataObject } from 'n8n-workflow';

import { Memory } from '../../../nodes/OutboundMessaging/delivery/memory';
import type {
	AllowedHours,
	Message,
	PlannedItem,
} from '../../../nodes/OutboundMessaging/delivery/message';
import type { RunRejected } from '../../../nodes/OutboundMessaging/delivery/runRejected';
import { allowedHours } from '../../../nodes/OutboundMessaging/safeguards/allowedHours';
import type { Safeguards } from '../../../nodes/OutboundMessaging/safeguards/applySafeguards';
import { applySafeguards } from '../../../nodes/OutboundMessaging/safeguards/applySafeguards';
import { ExecutionState } from '../../../nodes/OutboundMessaging/safeguards/executionState';
import { words } from '../help';

const EVENING = Date.parse('2026-11-20T22:00:00Z');
const OFF = {
	doNotContact: new Set<string>(),
	repeatedRecipients: 'sendAll',
	maxMessages: 0,
} as const;
beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(EVENING));
afterEach(() => jest.restoreAllMocks());

const message = (itemIndex: number, recipient: string): Message => ({
	itemIndex,
	recipient,
	sendOnceKey: `key ${itemIndex}`,
	request: { url: 'https://api.example.com/text', body: { customer_id: recipient, text: 'Hi' } },
});
const failure = { title: 'x', description: 'y' };
const rejected: PlannedItem = { outcome: { delivery: 'rejected', failure } };

interface Run {
	store?: IDataObject;
	runIndex?: number;
	settled?: number[];
	testRecipient?: string;
	hours?: Array<AllowedHours | undefined>;
}

const RUN = { executionId: '1', isDryRun: false, keepsRecipients: true };
const stateOf = (store: IDataObject, runIndex = 0) =>
	new ExecutionState(store, { ...RUN, runIndex });
const OK = { delivery: 'accepted', record: {} } as const;

/** @param recipients of the items, e.g. `1 2`; one that was rejected is a dash */
async function apply(
	recipients: string,
	safeguards: Partial<Safeguards>,
	{ store = {}, runIndex = 0, settled = [], hours = [] }: Run = {},
): Promise<PlannedItem[]> {
	const items = words(recipients).map((recipient, index): PlannedItem => {
		if (recipient === '-') return rejected;
		const planned = { ...message(index, recipient), allowedHours: hours[index] };
		return { message: planned, settled: settled.includes(index) ? OK : undefined };
	});
	return await applySafeguards(items, {
		...{ ...OFF, ...safeguards },
		state: stateOf(store, runIndex),
		memory: new Memory({}, 0, '1'),
		recipientField: { label: 'Customer ID', body: 'customer_id' },
	});
}

/** What becomes of each item: its recipient, or why it isn't sent. */
const resultsOf = (items: PlannedItem[]) =>
	items.map((item) => {
		if ('message' in item) return item.message.recipient;
		const { outcome } = item;
		if (outcome.delivery === 'skipped') return outcome.reason;
		return 'failure' in outcome ? (outcome.failure.reason ?? outcome.delivery) : 'accepted';
	});

const day = allowedHours({ from: '08:00', until: '20:00' }, 'UTC', () => false);

const MISCONFIGURED = { cause: 'configuration-invalid' };
const BLOCKED = { doNotContact: new Set(['1']) };
const FIRST = { repeatedRecipients: 'sendFirst' } as const;
/** The first item was sent by an earlier try. */
const SENT = { settled: [0], hours: [day], store: { sent: 0 } };

describe('what would be sent', () => {
	it.each<[string, Partial<Safeguards>, string, Run?]>([
		['1 1 2', {}, '1 1 2'],
		['1 2 1', BLOCKED, 'doNotContact 2 doNotContact'],
		['1 2 1 1', FIRST, '1 2 repeatedRecipient repeatedRecipient'],
		['- 1 1', FIRST, 'rejected 1 repeatedRecipient'],
		['1 1', { repeatedRecipients: 'reject' }, '1 repeatedRecipient'],
		['1 2', {}, 'outsideAllowedHours 2', { hours: [day, undefined] }],
		['1 1 2', { ...BLOCKED, ...FIRST }, 'doNotContact doNotContact 2'],
		['1 2', { ...BLOCKED, maxMessages: 1 }, '1 2', SENT],
		['2 1 3 4 5', { ...BLOCKED, testRecipient: '99' }, '99 doNotContact 99 99 testRun'],
	])('of %s with %j: %s', async (recipients, safeguards, results, run = {}) => {
		expect(resultsOf(await apply(recipients, safeguards, run))).toEqual(words(results));
	});

	it('says which item has the same recipient, and when the hours begin', async () => {
		const [, second] = await apply('1 1', FIRST);
		expect(second).toMatchObject({ outcome: { details: { recipient: '1', firstItemIndex: 0 } } });
		const store: IDataObject = {};
		stateOf(store).count(OK, message(0, '1'));
		const [skipped] = await apply('1', FIRST, { store, runIndex: 1 });
		const details = { recipient: '1', firstItemIndex: 0, firstRunIndex: 0 };
		expect(skipped).toMatchObject({ outcome: { details } });
		const [late] = await apply('1', {}, { hours: [day] });
		const sendAfter = '2026-11-21T08:00:00.000Z';
		expect(late).toMatchObject({ outcome: { failure: { sendAfter } } });
	});
});

const AFTER_FOUR =
	"'Max Messages' is 5, and this step would send up to 2 after 4 that were sent earlier in this execution";
it.each<[string, number, string, Run?]>([
	['1 2', 2, '1 2'],
	['1 2 3', 2, "'Max Messages' is 2, and this step would send up to 3"],
	// Only what would be sent counts.
	['0 1 2', 2, 'doNotContact 1 2'],
	['1 2', 5, AFTER_FOUR, { store: { sent: 4, runIndex: 0, executionId: '1' }, runIndex: 1 }],
	// The test recipient gets three of them, without keys.
	['1 2 3 4', 3, '99 99 99 testRun', { testRecipient: '99' }],
	['1 2 3 4', 2, "'Max Messages' is 2, and this step would send 3", { testRecipient: '99' }],
	// A retry with nothing left to send.
	['1', 1, '1', { settled: [0], store: { sent: 2 } }],
])('Max Messages, of %s at most %i: %s', async (recipients, maxMessages, result, run = {}) => {
	const { testRecipient } = run;
	const safeguards = { maxMessages, doNotContact: new Set(['0']), testRecipient };
	const applied = await apply(recipients, safeguards, run).then(resultsOf, (error: RunRejected) => {
		expect(error).toMatchObject({ failure: { reason: 'maxMessages', n8nCause: MISCONFIGURED } });
		return [error.failure.title];
	});
	expect(applied.join(' ')).toBe(result);
});

it('a recipient who got a message in an earlier run of a loop is a repeated one', async () => {
	const store: IDataObject = {};
	const first = stateOf(store);
	first.count(OK, message(3, '1'));
	first.count(OK, message(4, '__proto__'));
	const stored = JSON.parse(JSON.stringify(store)) as IDataObject;
	const results = await apply('1 __proto__ constructor', FIRST, { store: stored, runIndex: 1 });
	expect(resultsOf(results)).toEqual(['repeatedRecipient', 'repeatedRecipient', 'constructor']);
	// The item itself, sent again by choice, is no repetition of itself.
	expect(resultsOf(await apply('0 0 0 1', FIRST, { store }))[3]).toBe('1');
	expect(resultsOf(await apply('1', FIRST, { store }))).toEqual(['repeatedRecipient']);
});
