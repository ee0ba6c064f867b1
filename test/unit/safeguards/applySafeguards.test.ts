import type { IDataObject } from 'n8n-workflow';

import type { Message, PlannedItem } from '../../../nodes/OutboundMessaging/delivery/message';
import { RunRejected } from '../../../nodes/OutboundMessaging/delivery/runRejected';
import type { AllowedHours } from '../../../nodes/OutboundMessaging/safeguards/allowedHours';
import { allowedHours } from '../../../nodes/OutboundMessaging/safeguards/allowedHours';
import type { Safeguards } from '../../../nodes/OutboundMessaging/safeguards/applySafeguards';
import { applySafeguards } from '../../../nodes/OutboundMessaging/safeguards/applySafeguards';
import { ExecutionState } from '../../../nodes/OutboundMessaging/safeguards/executionState';

const EVENING = Date.parse('2026-11-20T22:00:00Z');
const OFF: Safeguards = {
	doNotContact: new Set(),
	repeatedRecipients: 'sendAll',
	maxMessages: 0,
};
const message = (itemIndex: number, recipient: string): Message => ({
	itemIndex,
	recipient,
	sendOnceKey: `key ${itemIndex}`,
	request: { url: 'https://api.example.com/text', body: { customer_id: recipient, text: 'Hi' } },
});
const itemsTo = (...recipients: string[]): PlannedItem[] =>
	recipients.map((recipient, index) => ({ message: message(index, recipient) }));
const rejected: PlannedItem = {
	outcome: { delivery: 'rejected', failure: { title: 'x', description: 'y' } },
};

interface Run {
	store?: IDataObject;
	runIndex?: number;
	settled?: number[];
	hours?: Array<AllowedHours | undefined>;
}

function apply(
	items: PlannedItem[],
	safeguards: Partial<Safeguards>,
	{ store = {}, runIndex = 0, settled = [], hours = [] }: Run = {},
): PlannedItem[] {
	return applySafeguards(items, {
		safeguards: { ...OFF, ...safeguards },
		state: new ExecutionState(store, { runIndex, executionId: '1' }),
		isSettled: ({ itemIndex }) => settled.includes(itemIndex),
		earlierOutcome: () => undefined,
		recipientField: { label: 'Customer ID', body: 'customer_id' },
		allowedHours: hours,
		now: EVENING,
	});
}

/** What becomes of each item: its recipient, or why it isn't sent. */
const resultsOf = (items: PlannedItem[]) =>
	items.map((item) => {
		if ('message' in item) return item.message.recipient;
		const { outcome } = item;
		if (outcome.delivery === 'skipped') return outcome.reason;
		return outcome.delivery === 'accepted'
			? 'accepted'
			: (outcome.failure.code ?? outcome.delivery);
	});

const day = allowedHours({ from: '08:00', until: '20:00' }, 'UTC');

describe('what would be sent', () => {
	it.each<[string, PlannedItem[], Partial<Safeguards>, Run, string[]]>([
		['without safeguards', itemsTo('1', '1', '2'), {}, {}, ['1', '1', '2']],
		[
			'Do Not Contact',
			itemsTo('1', '2', '1'),
			{ doNotContact: new Set(['1']) },
			{},
			['doNotContact', '2', 'doNotContact'],
		],
		[
			'Repeated Recipients: the first one is sent',
			itemsTo('1', '2', '1', '1'),
			{ repeatedRecipients: 'sendFirst' },
			{},
			['1', '2', 'repeatedRecipient', 'repeatedRecipient'],
		],
		[
			'Repeated Recipients: the first valid one',
			[rejected, ...itemsTo('0', '1', '1').slice(1)],
			{ repeatedRecipients: 'sendFirst' },
			{},
			['rejected', '1', 'repeatedRecipient'],
		],
		[
			'Repeated Recipients: rejected',
			itemsTo('1', '1'),
			{ repeatedRecipients: 'reject' },
			{},
			['1', 'repeatedRecipient'],
		],
		[
			'Allowed Hours, per item',
			itemsTo('1', '2'),
			{},
			{ hours: [day, undefined] },
			['outsideAllowedHours', '2'],
		],
		[
			'one who must not be contacted is not the first of the repeated ones',
			itemsTo('1', '1', '2'),
			{ doNotContact: new Set(['1']), repeatedRecipients: 'sendFirst' },
			{},
			['doNotContact', 'doNotContact', '2'],
		],
		[
			'what an earlier try sent stays, whatever they say',
			itemsTo('1', '2'),
			{ doNotContact: new Set(['1']), maxMessages: 1 },
			{ settled: [0], hours: [day], store: { sent: 0 } },
			['1', '2'],
		],
		[
			'Test Recipient: three messages go there',
			itemsTo('1', '2', '3', '4', '5'),
			{ testRecipient: '99', doNotContact: new Set(['2']) },
			{},
			['99', 'doNotContact', '99', '99', 'testRun'],
		],
	])('%s', (...row) => {
		const [, items, safeguards, run, results] = row;
		expect(resultsOf(apply(items, safeguards, run))).toEqual(results);
	});

	it('a test message claims no key', () => {
		const [item] = apply(itemsTo('1'), { testRecipient: '99' });
		expect(item).toMatchObject({
			message: {
				recipient: '99',
				sendOnceKey: undefined,
				request: { body: { customer_id: '99', text: 'Hi' } },
			},
		});
	});

	it('says which item has the same recipient, and when the hours begin', () => {
		const [, second] = apply(itemsTo('1', '1'), { repeatedRecipients: 'sendFirst' });
		expect(second).toMatchObject({ outcome: { details: { recipient: '1', firstItemIndex: 0 } } });
		const [late] = apply(itemsTo('1'), {}, { hours: [day] });
		expect(JSON.stringify(late)).toContain('Saturday 2026-11-21 08:00 (UTC)');
	});
});

describe('Max Messages', () => {
	const rejection = (items: PlannedItem[], maxMessages: number, run: Run = {}) => {
		try {
			return resultsOf(apply(items, { maxMessages, doNotContact: new Set(['0']) }, run));
		} catch (error) {
			return error instanceof RunRejected ? error.failure.title : error;
		}
	};

	it.each<[string, PlannedItem[], number, Run, unknown]>([
		['exactly as many', itemsTo('1', '2'), 2, {}, ['1', '2']],
		[
			'one too many',
			itemsTo('1', '2', '3'),
			2,
			{},
			"'Max Messages' is 2, and this run would send 3",
		],
		['only what would be sent counts', itemsTo('0', '1', '2'), 2, {}, ['doNotContact', '1', '2']],
		[
			'earlier runs of the execution count',
			itemsTo('1', '2'),
			5,
			{ store: { sent: 4, runIndex: 0, executionId: '1' }, runIndex: 1 },
			"'Max Messages' is 5, and this run would send 2 after 4 that were sent earlier in this execution",
		],
		[
			'a retry with nothing left to send',
			itemsTo('1'),
			1,
			{ settled: [0], store: { sent: 1 } },
			['1'],
		],
	])('%s', (...row) => {
		const [, items, max, run, result] = row;
		expect(rejection(items, max, run)).toEqual(result);
	});
});

describe('over a whole execution', () => {
	it('a recipient who got a message in an earlier run of a loop is a repeated one', () => {
		const store: IDataObject = {};
		const first = new ExecutionState(store, { runIndex: 0, executionId: '1' });
		first.rememberRecipient('1', 3);
		first.rememberRecipient('__proto__', 4);
		const stored = JSON.parse(JSON.stringify(store)) as IDataObject;
		const results = apply(
			itemsTo('1', '__proto__', 'constructor'),
			{ repeatedRecipients: 'sendFirst' },
			{ store: stored, runIndex: 1 },
		);
		expect(resultsOf(results)).toEqual(['repeatedRecipient', 'repeatedRecipient', 'constructor']);
		// The item itself, sent again by choice, is no repetition of itself.
		expect(
			resultsOf(
				apply(itemsTo('0', '0', '0', '1'), { repeatedRecipients: 'sendFirst' }, { store }),
			)[3],
		).toBe('1');
	});

	it('three messages in total go to the test recipient', () => {
		const store: IDataObject = {};
		const run = (runIndex: number) => {
			const items = apply(itemsTo('1', '2'), { testRecipient: '99' }, { store, runIndex });
			const state = new ExecutionState(store, { runIndex, executionId: '1' });
			for (const item of items) {
				if (!('message' in item)) continue;
				const counting = { remembersRecipient: false, isTest: true };
				state.countSent(item.message, counting);
			}
			return resultsOf(items);
		};
		expect([run(0), run(1), run(2)].flat()).toEqual([
			'99',
			'99',
			'99',
			'testRun',
			'testRun',
			'testRun',
		]);
	});
});
