import type { IDataObject } from 'n8n-workflow';

import { useEngine } from './engine';
import type { Sending } from './workflows';
import { customer, customers, FAILED, looped, sending, TEMPLATE, toSend } from './workflows';

const engine = useEngine();

const guarded = (safeguards: IDataObject, spec: Sending = {}) => toSend({ ...spec, safeguards });
const received = () => engine.ledger.entries().map(({ recipient }) => recipient);
const skippedFor = (items: IDataObject[]) => items.map(({ reason }) => reason);

describe('Do Not Contact', () => {
	it.each<[string, string]>([
		['a list from an expression', `={{ ['${customer(1)}', ' ${customer(2)} '] }}`],
		['text', `${customer(1)}\n${customer(2)}`],
	])('%s: they get no message', async (_, doNotContact) => {
		const execution = await engine.run(guarded({ doNotContact }), customers(4));
		expect(received().sort()).toEqual([customer(0), customer(3)]);
		expect(skippedFor(execution.json()).filter(Boolean)).toEqual(['doNotContact', 'doNotContact']);
		expect(execution.json()[1]).toEqual({
			skipped: true,
			reason: 'doNotContact',
			recipient: customer(1),
		});
		expect(execution.hints()[0].message).toContain("2 skipped (2 on 'Do Not Contact')");
		const alone = await engine.run(guarded({ doNotContact }), customers(2).slice(1));
		expect(alone.hints()[0].message).toContain(
			"0 of 1 message accepted, 1 skipped (1 on 'Do Not Contact')",
		);
	});

	it('a second message to a customer who was skipped fails, and says why', async () => {
		const parameters = { customerId: '={{ $json.extra.customer_id }}' };
		const second = sending({ name: 'Second', parameters, onError: 'continueRegularOutput' });
		const safeguards = { doNotContact: customer(0) };
		const flow = toSend({ parameters: { safeguards } }, [second]);
		const [item] = (await engine.run(flow, customers(1))).json(0, 'Second');
		expect(item).toMatchObject({
			error: expect.stringContaining("'Customer ID'") as string,
			details: { fix: expect.stringContaining('so it has no customer ID') as string },
		});
		expect(received()).toEqual([]);
	});

	it('an ambiguous number blocks both of its readings', async () => {
		const items = [
			{ phone: '+491712345678' },
			{ phone: '+49491712345678' },
			{ phone: '+15550100200' },
		];
		const options = { defaultCountry: 'DE' };
		const safeguards = { doNotContact: '491712345678' };
		await engine.run(guarded(safeguards, { options, parameters: TEMPLATE }), items);
		expect(received()).toEqual(['+15550100200']);
	});
});

describe('Repeated Recipients', () => {
	const items = [0, 1, 0, 0].map((index) => ({ customer: customer(index), text: 'Hi' }));

	it('Send First: one message each, over all batches of a loop', async () => {
		const execution = await engine.run(
			looped({ safeguards: { repeatedRecipients: 'sendFirst' } }, 2),
			items,
		);
		expect(received().sort()).toEqual([customer(0), customer(1)]);
		expect(execution.json(0, 'Done').filter(({ skipped }) => skipped)).toHaveLength(2);
	});

	it.each([
		['Retry On Fail', 2],
		['Retry from the executions list', 0],
	])('a message that ends after the first failure counts as well: %s', async (_, tries) => {
		const items = [0, 1, 0].map((index) => ({ customer: customer(index), text: 'Hi' }));
		engine.sandbox.faults.set([
			{ what: 'latency', ms: 300, when: { recipient: customer(0) } },
			{ what: 'status', status: 400, when: { recipient: customer(1), nth: 1 } },
		]);
		const flow = guarded({ repeatedRecipients: 'sendFirst' }, { tries });
		const first = await engine.run(flow, items);
		const last = tries > 0 ? first : await first.retry();
		expect(last.status).toBe('success');
		expect(
			engine.ledger
				.accepted()
				.map(({ recipient }) => recipient)
				.sort(),
		).toEqual([customer(0), customer(1)]);
	});

	it('switched on for a retry, it sees what the first try sent', async () => {
		const items = [0, 0].map((index) => ({ customer: customer(index), text: 'Hi' }));
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 2 } }]);
		const failed = await engine.run(toSend(), items);
		const retried = await failed.retry(guarded({ repeatedRecipients: 'sendFirst' }));
		expect(retried.status).toBe('success');
		expect(engine.ledger.accepted()).toHaveLength(1);
	});

	it('Reject: the list is rejected in stop mode, the later items fail otherwise', async () => {
		const stopped = await engine.run(guarded({ repeatedRecipients: 'reject' }), items);
		expect(stopped.words).toContain('the same as in item 0');
		expect(received()).toEqual([]);
		const onError = 'continueErrorOutput';
		const execution = await engine.run(
			guarded({ repeatedRecipients: 'reject' }, { onError }),
			items,
		);
		expect(execution.json(0, FAILED)).toHaveLength(2);
		expect(received().sort()).toEqual([customer(0), customer(1)]);
	});
});

describe('Allowed Hours', () => {
	/** A window that ended an hour ago, and one that began an hour ago, on the clock of UTC. */
	const clock = (hours: number) =>
		`${new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 13)}:00`;
	const window = (from: string, until: string) => ({ window: { from, until, timezone: 'UTC' } });

	it('outside them nothing is sent, and the item says when they begin', async () => {
		const allowedHours = window(clock(2), clock(4));
		const onError = 'continueErrorOutput';
		const execution = await engine.run(guarded({ allowedHours }, { onError }), customers(2));
		expect(received()).toEqual([]);
		expect(execution.json(0, FAILED)[0]).toMatchObject({
			error: expect.stringContaining('begin again on') as string,
			details: { delivery: 'notAttempted', code: 'outsideAllowedHours' },
		});
		expect((await engine.run(guarded({ allowedHours }), customers(2))).status).toBe('error');
		expect(received()).toEqual([]);
	});

	it.each<[string, IDataObject, boolean]>([
		['a day from an expression that is not today', { days: '={{ $json.other }}' }, false],
		['days from an expression, as text', { days: '={{ $json.all }}' }, true],
		['days from an expression that finds nothing', { days: '={{ $json.missing }}' }, false],
		['a time zone from an expression that finds nothing', { timezone: '={{ $json.zone }}' }, false],
	])('%s', async (_, fields, isSent) => {
		const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
		const other = names[(new Date().getUTCDay() + 3) % 7];
		const items = customers(1).map((item) => ({ ...item, other, all: names.join(', ') }));
		const allowedHours = { window: { from: '00:00', until: '24:00', timezone: 'UTC', ...fields } };
		await engine.run(guarded({ allowedHours }), items);
		expect(received()).toHaveLength(isSent ? 1 : 0);
	});

	it('within them it is', async () => {
		await engine.run(guarded({ allowedHours: window(clock(-2), clock(2)) }), customers(2));
		expect(received()).toHaveLength(2);
	});

	it('each item has its own', async () => {
		const allowedHours = {
			window: {
				from: `={{ $itemIndex === 0 ? '${clock(2)}' : '${clock(-2)}' }}`,
				until: `={{ $itemIndex === 0 ? '${clock(4)}' : '${clock(2)}' }}`,
				timezone: 'UTC',
			},
		};
		const onError = 'continueRegularOutput';
		await engine.run(guarded({ allowedHours }, { onError }), customers(2));
		expect(received()).toEqual([customer(1)]);
	});
});

describe('Max Messages', () => {
	it('one too many rejects the run before it sends anything', async () => {
		const execution = await engine.run(guarded({ maxMessages: 3 }), customers(4));
		expect(execution.words).toContain("'Max Messages' is 3, and this run would send 4");
		expect(received()).toEqual([]);
	});

	it('counts over all batches of a loop', async () => {
		const execution = await engine.run(looped({ safeguards: { maxMessages: 5 } }, 2), customers(8));
		expect(execution.status).toBe('error');
		expect(received()).toHaveLength(4);
	});

	it('in a dry run too', async () => {
		const execution = await engine.run(
			looped({ safeguards: { maxMessages: 5, dryRun: true } }, 2),
			customers(8),
		);
		expect(execution.words).toContain("'Max Messages' is 5, and this run would send 2 after 4");
		expect((await execution.retry(looped({ safeguards: { maxMessages: 8 } }, 2))).status).toBe(
			'success',
		);
	});

	it('a retry counts what was sent before, and sends the rest', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 3 } }]);
		const options = { maxConcurrency: 1 };
		const failed = await engine.run(guarded({ maxMessages: 4 }, { options }), customers(4));
		expect(failed.status).toBe('error');
		expect((await failed.retry()).status).toBe('success');
		expect(engine.ledger.accepted()).toHaveLength(4);
	});
});

describe('Test Recipient', () => {
	it('the first three messages go there, and no key is claimed', async () => {
		const key = { sendOnceKey: '={{ $json.customer }}' };
		const execution = await engine.run(guarded({ ...key, testRecipient: '99' }), customers(5));
		expect(received()).toEqual(['99', '99', '99']);
		expect(skippedFor(execution.json()).filter(Boolean)).toEqual(['testRun', 'testRun']);
		expect(engine.deduplication.claimed()).toEqual([]);
		await engine.run(guarded(key), customers(5));
		expect(engine.ledger.accepted()).toHaveLength(8);
	});

	it('sees who got a message in an earlier batch of a loop', async () => {
		const items = [0, 1, 0, 2].map((index) => ({ customer: customer(index), text: 'Hi' }));
		const safeguards = { testRecipient: '99', repeatedRecipients: 'sendFirst' };
		const execution = await engine.run(looped({ safeguards }, 2), items);
		expect(skippedFor(execution.json(0, 'Done'))[2]).toBe('repeatedRecipient');
	});

	it('a failed test is a failed run, with Retry On Fail too', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400 }]);
		const execution = await engine.run(
			guarded({ testRecipient: '99' }, { tries: 3 }),
			customers(5),
		);
		expect(execution.status).toBe('error');
	});
});

describe('Stop After Failures', () => {
	it('a dead template costs no more than the limit', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400 }]);
		const onError = 'continueErrorOutput';
		const execution = await engine.run(
			guarded({ stopAfterFailures: 5 }, { onError }),
			customers(50),
		);
		expect(received()).toHaveLength(5);
		const failed = execution.json(0, FAILED);
		expect(failed).toHaveLength(50);
		expect(failed[49]).toMatchObject({
			error: expect.stringContaining("5 messages in a row weren't accepted") as string,
			details: {
				delivery: 'notAttempted',
				fix: expect.stringContaining('send only the items that failed again') as string,
			},
		});
	});

	it('25 when it is not set, and in the batches of a loop too', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400 }]);
		const onError = 'continueRegularOutput';
		await engine.run(looped({ onError, safeguards: {} }, 10), customers(60));
		expect(received()).toHaveLength(25);
	});

	it('counts a message once, however often it is tried', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400 }]);
		const onError = 'continueRegularOutput';
		await engine.run(
			looped({ onError, tries: 2, safeguards: { stopAfterFailures: 3 } }, 1),
			customers(8),
		);
		expect(new Set(received())).toEqual(new Set([0, 1, 2].map(customer)));
	});

	it('an acceptance in between starts the count again', async () => {
		const faulty = Array.from({ length: 40 }, (_, index) => index).filter((index) => index % 4);
		engine.sandbox.faults.set([
			{ what: 'status', status: 400, when: { recipient: faulty.map(customer) } },
		]);
		const onError = 'continueRegularOutput';
		const options = { maxConcurrency: 1 };
		await engine.run(guarded({ stopAfterFailures: 4 }, { onError, options }), customers(40));
		expect(received()).toHaveLength(40);
	});
});

it('a message that an earlier try left uncertain stays uncertain, whatever they say now', async () => {
	engine.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
	const failed = await engine.run(toSend(), customers(1));
	const safeguards = { doNotContact: customer(0), onUncertainDelivery: 'resend' };
	const onError = 'continueRegularOutput';
	const retried = await failed.retry(guarded(safeguards, { onError }));
	expect(retried.json()).toMatchObject([{ details: { delivery: 'uncertain' } }]);
	expect(received()).toHaveLength(1);
});

describe('above the output it says how many messages were held back, and why', () => {
	const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
	const days = [names[(new Date().getUTCDay() + 3) % 7]];
	const closed = { window: { from: '08:00', until: '20:00', days, timezone: 'UTC' } };
	const twice = [0, 1, 0].map((index) => ({ customer: customer(index), text: 'Hi' }));

	it.each<[IDataObject, string]>([
		[{ doNotContact: customer(1) }, "2 of 3 messages accepted, 1 skipped (1 on 'Do Not Contact')"],
		[{ repeatedRecipients: 'sendFirst' }, '2 of 3 messages accepted, 1 skipped (1 repeated'],
		[
			{ repeatedRecipients: 'reject' },
			"1 rejected. Why: 'Customer ID' is 1000, the same as in item 0",
		],
		[{ allowedHours: closed }, "3 not attempted. Why: This message wasn't sent: it's outside"],
		[{ maxMessages: 2 }, "3 rejected. Why: 'Max Messages' is 2, and this run would send 3"],
		[{ dryRun: true, doNotContact: customer(1) }, 'Dry run: 2 of 3 messages would be sent, 1 sk'],
		[{ dryRun: true, allowedHours: closed }, 'Dry run: 0 of 3 messages would be sent, 3 not att'],
		[
			{ dryRun: true, sendOnceKey: '={{ $itemIndex }}' },
			"Dry run: send-once keys aren't looked up",
		],
	])('%j', async (safeguards, words) => {
		const onError = 'continueRegularOutput';
		const execution = await engine.run(guarded(safeguards, { onError }), twice);
		expect(execution.hints().map(({ message }) => message)).toEqual([
			expect.stringContaining(words),
		]);
	});

	it('Stop After Failures, Test Recipient and Send Once Key too', async () => {
		const test = await engine.run(guarded({ testRecipient: '99' }), customers(5));
		expect(test.hints()[0].message).toContain('3 of 5 messages accepted, 2 skipped (2 test run)');
		const keys = guarded({ sendOnceKey: '={{ $json.customer }}' });
		await engine.run(keys, customers(3));
		const again = await engine.run(keys, customers(3));
		expect(again.hints()[0].message).toContain('3 skipped (3 already sent)');
		engine.sandbox.faults.set([{ what: 'status', status: 400 }]);
		const onError = 'continueRegularOutput';
		const stopped = await engine.run(guarded({ stopAfterFailures: 1 }, { onError }), customers(3));
		expect(stopped.hints()[0].message).toMatch(
			/1 rejected, 2 not attempted\. Why: .*\(2\) · .*\(1\)/,
		);
	});
});

it('a dry run shows what they would do', async () => {
	const safeguards = { dryRun: true, doNotContact: customer(1), testRecipient: '99' };
	const execution = await engine.run(guarded(safeguards), customers(2));
	expect(received()).toEqual([]);
	expect(execution.json()).toMatchObject([
		{ dryRun: true, request: { body: { customer_id: '99' } } },
		{ skipped: true, reason: 'doNotContact' },
	]);
});
