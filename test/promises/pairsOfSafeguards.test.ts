/** No safeguard makes another one drop a customer who should get a message. */
import type { IDataObject } from 'n8n-workflow';

import { engine } from './help';
import { CONTINUE, cuts, toSend } from '../engine/workflows';

/** Outside the hours of a row, on any day. */
const CLOSED = { from: '10:00', until: '11:00', days: [], timezone: 'UTC' };
const OPEN = { from: '00:00', until: '24:00', days: [], timezone: 'UTC' };
const HOURS_OF_ROW = {
	window: { from: '={{ $json.from }}', until: '={{ $json.until }}', days: [], timezone: 'UTC' },
};
const row = (customer: string, text: string, hours = OPEN): IDataObject => {
	return { customer, text, from: hours.from, until: hours.until };
};

interface Pair {
	pair: string;
	safeguards: IDataObject;
	rows: IDataObject[];
	/** By customer: what should be received. */
	received: string[];
}

it.each<Pair>([
	{
		pair: 'Allowed Hours and Send First: a row outside its hours is not the first one',
		safeguards: { allowedHours: HOURS_OF_ROW, repeatedRecipients: 'sendFirst' },
		rows: [row('1', 'closed', CLOSED), row('1', 'open')],
		received: ['1'],
	},
	{
		pair: 'Allowed Hours and Reject: nor is it repeated',
		safeguards: { allowedHours: HOURS_OF_ROW, repeatedRecipients: 'reject' },
		rows: [row('1', 'closed', CLOSED), row('1', 'open')],
		received: ['1'],
	},
	{
		pair: 'Allowed Hours, Send First and keys',
		safeguards: {
			allowedHours: HOURS_OF_ROW,
			repeatedRecipients: 'sendFirst',
			sendOnceKey: '={{ $json.text }}',
		},
		rows: [row('1', 'closed', CLOSED), row('1', 'open')],
		received: ['1'],
	},
	{
		pair: 'Allowed Hours and Max Messages: what is outside its hours takes no place',
		safeguards: { allowedHours: HOURS_OF_ROW, maxMessages: 1 },
		rows: [row('1', 'closed', CLOSED), row('2', 'open')],
		received: ['2'],
	},
	{
		pair: 'Allowed Hours, Max Messages and keys',
		safeguards: { allowedHours: HOURS_OF_ROW, maxMessages: 1, sendOnceKey: '={{ $json.text }}' },
		rows: [row('1', 'closed', CLOSED), row('2', 'open')],
		received: ['2'],
	},
	{
		pair: 'Do Not Contact and Max Messages',
		safeguards: { doNotContact: '1', maxMessages: 1 },
		rows: [row('1', 'a'), row('2', 'b')],
		received: ['2'],
	},
	{
		pair: 'Do Not Contact and Send First',
		safeguards: { doNotContact: '1', repeatedRecipients: 'sendFirst' },
		rows: [row('1', 'a'), row('2', 'b'), row('2', 'c')],
		received: ['2'],
	},
	{
		pair: 'Send First and Max Messages: what is skipped takes no place',
		safeguards: { repeatedRecipients: 'sendFirst', maxMessages: 2 },
		rows: [row('1', 'a'), row('1', 'b'), row('2', 'c')],
		received: ['1', '2'],
	},
	{
		pair: 'Send First, Max Messages and keys',
		safeguards: {
			repeatedRecipients: 'sendFirst',
			maxMessages: 2,
			sendOnceKey: '={{ $json.text }}',
		},
		rows: [row('1', 'a'), row('1', 'b'), row('2', 'c')],
		received: ['1', '2'],
	},
])('$pair', async ({ safeguards, rows, received }) => {
	await engine.run(toSend({ ...CONTINUE, safeguards }), rows);
	expect(engine.accepted().sort()).toEqual(received);
});

it(
	'Send First and If Delivery Is Uncertain: ' +
		'a row that may have been sent is not the first one',
	async () => {
		const details = { delivery: 'uncertain', recipient: '1' };
		const rows = [{ ...row('1', 'a'), details }, row('1', 'b'), row('2', 'c')];
		const safeguards = { repeatedRecipients: 'sendFirst' };
		await engine.run(toSend({ ...CONTINUE, safeguards }), rows);
		expect(engine.accepted().sort()).toEqual(['1', '2']);
	},
);

it('Max Messages with keys: a place that a rejected message had is the next one’s', async () => {
	engine.faults({ what: 'status', status: 400, when: { nth: 1 } });
	const safeguards = { maxMessages: 1, sendOnceKey: '={{ $json.text }}' };
	const spec = { ...CONTINUE, safeguards, options: { maxConcurrency: 1 } };
	await engine.run(toSend(spec), [row('1', 'a'), row('2', 'b')]);
	expect(engine.accepted()).toEqual(['2']);
});

it('an uncertain message uses a place of Max Messages, since it may have arrived', async () => {
	engine.faults(cuts({ nth: 1 }));
	const safeguards = { maxMessages: 1, sendOnceKey: '={{ $json.text }}' };
	const spec = { ...CONTINUE, safeguards, options: { maxConcurrency: 1 } };
	await engine.run(toSend(spec), [row('1', 'a'), row('2', 'b')]);
	expect(engine.received()).toEqual(['1']);
});

const FIRST_WITH_KEYS = { repeatedRecipients: 'sendFirst', sendOnceKey: '={{ $json.text }}' };

it(
	'Send First and keys: a row that an earlier execution left uncertain is not the first one, and ' +
		'keeps no later row back for good',
	async () => {
		engine.faults(cuts({ nth: 1 }));
		const flow = toSend({ ...CONTINUE, safeguards: FIRST_WITH_KEYS });
		await engine.run(flow, [row('1', 'a')]);
		engine.faults();
		engine.ledger.clear();
		const execution = await engine.run(flow, [row('1', 'a'), row('1', 'b'), row('1', 'c')]);
		expect(execution.deliveries()).toEqual(['uncertain', 'accepted', 'skipped']);
		expect(engine.received()).toEqual(['1']);
	},
);

it('Send First and keys: a row that this execution left uncertain is the first one', async () => {
	engine.faults(cuts({ nth: 1 }));
	const flow = toSend({ ...CONTINUE, safeguards: FIRST_WITH_KEYS });
	const execution = await engine.run(flow, [row('1', 'a'), row('1', 'b')]);
	expect(execution.deliveries()).toEqual(['uncertain', 'skipped']);
});

it('Send First and keys: after a row that the service rejected, the next one goes', async () => {
	engine.faults({ what: 'status', status: 400, when: { nth: 1 } });
	const flow = toSend({ ...CONTINUE, safeguards: FIRST_WITH_KEYS });
	const execution = await engine.run(flow, [row('1', 'a'), row('1', 'b'), row('1', 'c')]);
	expect(execution.deliveries()).toEqual(['rejected', 'accepted', 'skipped']);
});
