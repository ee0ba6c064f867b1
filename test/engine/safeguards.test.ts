import type { IDataObject } from 'n8n-workflow';

import { useEngine } from './engine';
import { time } from './virtualTime';
import type { Sending } from './workflows';
import { customer, customers, FAILED, looped, sending, toSend } from './workflows';

const engine = useEngine();
beforeEach(() => time.setDate('2026-11-23T03:00:00Z'));

const CONTINUE: Sending = { onError: 'continueRegularOutput' };
const guarded = (safeguards: IDataObject, spec: Sending = {}) => toSend({ ...spec, safeguards });
const to = (...indexes: number[]) => indexes.map((index) => customers(index + 1)[index]);
const closed = { window: { from: '08:00', until: '20:00', timezone: 'UTC' } };
const KEY = { sendOnceKey: '={{ $itemIndex }}' };

describe('what becomes of five messages, two of them to one customer, and what the hint above the output says', () => {
	const [sent, shown, test] = ['accepted', 'dryRun', 'testRun'];

	it.each<[IDataObject, string[], string]>([
		[
			{ doNotContact: "={{ ['1001', ' 1003 '] }}" },
			[sent, 'doNotContact', sent, sent, 'doNotContact'],
			"3 of 5 messages accepted, 2 skipped (2 on 'Do Not Contact')",
		],
		[
			{ repeatedRecipients: 'sendFirst' },
			[sent, sent, 'repeatedRecipient', sent, sent],
			'4 of 5 messages accepted, 1 skipped (1 repeated',
		],
		[
			{ repeatedRecipients: 'reject' },
			[sent, sent, 'rejected', sent, sent],
			"1 rejected. Why: 'Customer ID' is 1000, the same as in item 0",
		],
		[
			{ allowedHours: closed },
			new Array<string>(5).fill('notAttempted'),
			"5 not attempted. Why: This message wasn't sent: it's outside",
		],
		[
			{ maxMessages: 4 },
			new Array<string>(5).fill('rejected'),
			"5 rejected. Why: 'Max Messages' is 4, and this run would send 5",
		],
		[{ testRecipient: '99' }, [sent, sent, sent, test, test], '2 skipped (2 test run)'],
		[
			{ dryRun: true, doNotContact: '1001', testRecipient: '99' },
			[shown, 'doNotContact', shown, shown, test],
			'Dry run: 3 of 5 messages would be sent, 2 sk',
		],
		[
			{ dryRun: true, allowedHours: closed },
			new Array<string>(5).fill('notAttempted'),
			'Dry run: 0 of 5 messages would be sent, 5 not att',
		],
		[
			{ dryRun: true, ...KEY },
			new Array<string>(5).fill(shown),
			"Dry run: send-once keys aren't looked up",
		],
	])('%j', async (safeguards, ends, hint) => {
		const execution = await engine.run(guarded(safeguards, CONTINUE), to(0, 1, 0, 2, 3));
		const ended = execution.deliveries().map((each, index) => {
			const { reason, recipient } = execution.json()[index];
			if (each === 'skipped') expect(recipient).toBe(to(0, 1, 0, 2, 3)[index].customer);
			return each === 'skipped' ? reason : each;
		});
		expect(ended).toEqual(ends);
		expect(engine.received()).toHaveLength(ends.filter((end) => end === sent).length);
		expect(execution.hints()).toEqual([expect.stringContaining(hint)]);
	});
});

it('a second message to a customer who was skipped fails, and says why', async () => {
	const parameters = { customerId: '={{ $json.extra.customer_id }}' };
	const second = sending({ ...CONTINUE, name: 'Second', parameters });
	const flow = toSend({ safeguards: { doNotContact: customer(0) } }, [second]);
	const fix = expect.stringContaining('so it has no customer ID') as string;
	const [item] = (await engine.run(flow, customers(1))).json(0, 'Second');
	expect(item).toMatchObject({ details: { fix } });
	expect(engine.received()).toEqual([]);
});

describe('Repeated Recipients', () => {
	it('Send First, switched on for a retry, sees what the first try sent', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 2 } }]);
		const failed = await engine.run(toSend(), to(0, 0));
		const retried = await failed.retry(guarded({ repeatedRecipients: 'sendFirst' }));
		expect(retried.status).toBe('success');
		expect(engine.accepted()).toHaveLength(1);
	});
});

describe('Allowed Hours', () => {
	it('the error output says when they begin again', async () => {
		const spec = { onError: 'continueErrorOutput' } as const;
		const execution = await engine.run(guarded({ allowedHours: closed }, spec), customers(1));
		expect(execution.json(0, FAILED)).toMatchObject([
			{
				error: expect.stringContaining('begin again on Monday 2026-11-23 08:00') as string,
				details: { delivery: 'notAttempted', code: 'outsideAllowedHours' },
			},
		]);
	});

	it.each<[IDataObject, boolean]>([
		[{}, true],
		[{ days: '={{ $json.other }}' }, false],
		[{ days: '={{ $json.all }}' }, true],
		[{ days: '={{ $json.missing }}' }, false],
		[{ timezone: '={{ $json.missing }}' }, false],
		[{ from: "={{ $itemIndex === 0 ? '02:00' : '04:00' }}" }, true],
		[{ from: "={{ $itemIndex === 0 ? '04:00' : '02:00' }}" }, false],
	])('with %j on a Monday it is sent: %s', async (fields, isSent) => {
		const items = customers(1).map((item) => ({
			...item,
			other: 'thursday',
			all: 'sunday, monday, tuesday, wednesday, thursday, friday, saturday',
		}));
		const window = { from: '00:00', until: '24:00', timezone: 'UTC', ...fields };
		await engine.run(guarded({ allowedHours: { window } }), items);
		expect(engine.received()).toHaveLength(isSent ? 1 : 0);
	});
});

it('Max Messages counts a dry run as if it sent, and a retry that sends not', async () => {
	const dry = await engine.run(
		looped({ safeguards: { maxMessages: 5, dryRun: true } }, 2),
		customers(8),
	);
	expect(dry.words).toContain("'Max Messages' is 5, and this run would send 2 after 4");
	const retried = await dry.retry(looped({ safeguards: { maxMessages: 8 } }, 2));
	expect(retried.status).toBe('success');
});

describe('Test Recipient', () => {
	it('a failed test is a failed run, with Retry On Fail too', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400 }]);
		const flow = guarded({ testRecipient: '99' }, { tries: 3 });
		expect((await engine.run(flow, customers(5))).status).toBe('error');
	});
});

describe('Stop After Failures', () => {
	beforeEach(() => engine.sandbox.faults.set([{ what: 'status', status: 400 }]));

	it('a dead template costs no more than the limit', async () => {
		const spec = { onError: 'continueErrorOutput' } as const;
		const execution = await engine.run(guarded({ stopAfterFailures: 5 }, spec), customers(50));
		expect(engine.received()).toHaveLength(5);
		expect(execution.json(0, FAILED)).toHaveLength(50);
		expect(execution.json(0, FAILED)[49]).toMatchObject({
			error: expect.stringContaining("5 messages in a row weren't accepted") as string,
			details: {
				delivery: 'notAttempted',
				fix: expect.stringContaining('send only the items that failed again') as string,
			},
		});
	});

	it('25 when it is not set, and in the batches of a loop too', async () => {
		await engine.run(looped({ ...CONTINUE, safeguards: {} }, 10), customers(60));
		expect(engine.received()).toHaveLength(25);
	});

	it('counts a message once, however often it is tried', async () => {
		const safeguards = { stopAfterFailures: 3 };
		await engine.run(looped({ ...CONTINUE, tries: 2, safeguards }, 1), customers(8));
		expect(new Set(engine.received())).toEqual(new Set([0, 1, 2].map(customer)));
	});
});

it('a message that an earlier try left uncertain stays uncertain, whatever they say now', async () => {
	engine.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
	const failed = await engine.run(toSend(), customers(1));
	const safeguards = { doNotContact: customer(0), onUncertainDelivery: 'resend' };
	const retried = await failed.retry(guarded(safeguards, CONTINUE));
	expect(retried.deliveries()).toEqual(['uncertain']);
	expect(engine.received()).toHaveLength(1);
});
