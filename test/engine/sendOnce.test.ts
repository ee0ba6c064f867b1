/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import type { IDataObject } from 'n8n-workflow';

import { useEngine } from './engine';
import { customer, customers, toSend } from './workflows';

const engine = useEngine({ latency: 10 });

const KEY = { sendOnceKey: '={{ $json.order }}' };

/** Items with a key each. */
const orders = (count: number, from = 0): IDataObject[] =>
	customers(count).map((item, index) => ({ ...item, order: `order ${index + from}` }));

const skipped = (sendOnceKey: string) => ({
	skipped: true,
	reason: 'alreadySent',
	recipient: expect.any(String) as string,
	sendOnceKey,
});

const continuing = (options: IDataObject = {}) =>
	toSend({ onError: 'continueRegularOutput', options, safeguards: KEY });

const sleep = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));

afterEach(async () => {
	// The row that says whose turn it is goes right after the last claim, which no message waits for.
	for (let looks = 0; looks < 400 && engine.deduplication.hasWorkflowRow('workflow'); looks++) {
		await sleep(5);
	}
	expect(engine.deduplication.hasWorkflowRow('workflow')).toBe(false);
});

describe('across executions', () => {
	it('a key that was sent is not sent again, and the output says so', async () => {
		const flow = toSend({ safeguards: KEY });
		await engine.run(flow, orders(3));
		const second = await engine.run(flow, orders(5));
		expect(second.status).toBe('success');
		expect(second.json().slice(0, 3)).toEqual([0, 1, 2].map((index) => skipped(`order ${index}`)));
		expect(second.items().map(({ pairedItem }) => pairedItem)).toEqual(
			orders(5).map((_, item) => ({ item })),
		);
		expect(engine.ledger.accepted()).toHaveLength(5);
		expect(engine.ledger.duplicates()).toEqual([]);
	});

	it('a key is released when its message was rejected', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 2 } }]);
		const flow = continuing({ maxConcurrency: 1 });
		await engine.run(flow, orders(3));
		expect(engine.deduplication.claimed()).toEqual(['order 0', 'order 2']);
		const second = await engine.run(flow, orders(3));
		expect(second.json()[1]).toHaveProperty('extra.customer_id', 1001);
		expect(engine.ledger.accepted()).toHaveLength(3);
		expect(engine.ledger.duplicates()).toEqual([]);
	});

	it.each(['cutAfter', 'cutBefore', 'hang'] as const)(
		'a key is kept when its message is uncertain: %s',
		async (what) => {
			engine.sandbox.faults.set([{ what, when: { nth: 1 } }]);
			const flow = continuing({ timeout: 200 });
			const first = await engine.run(flow, orders(1));
			expect(first.json()[0]).toHaveProperty('details.delivery', 'uncertain');
			expect(engine.deduplication.claimed()).toEqual(['order 0']);
			const [second] = (await engine.run(flow, orders(1))).json();
			expect(second).toHaveProperty('details.delivery', 'uncertain');
			expect(engine.ledger.entries()).toHaveLength(1);
		},
	);

	it('keys of messages that were never attempted are released', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 401, when: { nth: 1 } }]);
		const flow = continuing({ maxConcurrency: 4, messagesPerSecond: 20 });
		const first = await engine.run(flow, orders(12));
		const done = first.json().filter(({ details }) => details === undefined).length;
		expect(engine.deduplication.claimed()).toHaveLength(done);
		await engine.run(flow, orders(12));
		expect(engine.ledger.accepted()).toHaveLength(12);
		expect(engine.ledger.duplicates()).toEqual([]);
	});
});

describe('at the same moment', () => {
	it('executions with the same keys send one message for each', async () => {
		engine.deduplication.latency = 5;
		const flow = toSend({ safeguards: KEY });
		const executions = await Promise.all(
			[1, 2, 3, 4].map(async () => await engine.run(flow, orders(6))),
		);
		expect(engine.ledger.accepted()).toHaveLength(6);
		expect(engine.ledger.duplicates()).toEqual([]);
		const sent = executions.flatMap((execution) => execution.json()).filter((json) => json.id);
		expect(sent).toHaveLength(6);
		expect(engine.deduplication.claimed().sort()).toEqual(orders(6).map(({ order }) => order));
	});

	it('the very first claims of a node are found to be the same too', async () => {
		const flow = toSend({ safeguards: { sendOnceKey: 'one for all' } });
		const executions = await Promise.all(
			[0, 1, 2].map(async (which) => await engine.run(flow, customers(3).slice(which, which + 1))),
		);
		expect(engine.ledger.entries()).toHaveLength(1);
		expect(executions.filter((execution) => execution.json()[0].skipped)).toHaveLength(2);
	});
});

describe('within one run', () => {
	it('two items with one key: one message, the other is skipped', async () => {
		const items = [...orders(3), orders(3)[1]];
		const execution = await engine.run(toSend({ safeguards: KEY }), items);
		expect(execution.status).toBe('success');
		expect(execution.json()[3]).toEqual(skipped('order 1'));
		expect(engine.ledger.entries()).toHaveLength(3);
		expect(engine.ledger.duplicates()).toEqual([]);
	});

	it('the second one goes when the first one was rejected', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 1 } }]);
		const item = { ...customers(1)[0], order: 'the same' };
		const execution = await engine.run(continuing(), [item, item]);
		expect(execution.json()[0]).toHaveProperty('details.delivery', 'rejected');
		expect(execution.json()[1]).toHaveProperty('extra.customer_id', 1000);
		expect(engine.deduplication.claimed()).toEqual(['the same']);
	});

	it('an item whose key comes out empty is rejected, and not sent without protection', async () => {
		const items = orders(3).map((item, index) => (index === 1 ? { ...item, order: '' } : item));
		const stopped = await engine.run(toSend({ safeguards: KEY }), items);
		expect(stopped.words).toContain("'Send Once Key' is empty");
		expect(engine.ledger.entries()).toEqual([]);
		await engine.run(continuing(), items);
		expect(engine.ledger.accepted()).toHaveLength(2);
	});
});

describe('claims', () => {
	it('are made in small groups, just before the messages go', async () => {
		engine.deduplication.latency = 2;
		let most = 0;
		const watch = setInterval(() => {
			const claimed = engine.deduplication.claimed().length;
			const answered = engine.ledger.entries().filter(({ endedAt }) => endedAt !== null).length;
			most = Math.max(most, claimed - answered);
		}, 1);
		await engine.run(toSend({ safeguards: KEY, options: { maxConcurrency: 5 } }), orders(40));
		clearInterval(watch);
		// What was just answered and what goes in its place may be counted in the same millisecond.
		expect(most).toBeGreaterThan(0);
		expect(most).toBeLessThanOrEqual(10);
	});
});

describe('together with a retry', () => {
	it('what an earlier try sent comes out as its record, not as skipped', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 3 } }]);
		const execution = await engine.run(
			toSend({ tries: 2, safeguards: KEY, options: { maxConcurrency: 1 } }),
			orders(4),
		);
		expect(execution.status).toBe('success');
		expect(execution.json().every(({ skipped: was }) => was === undefined)).toBe(true);
		expect(engine.ledger.accepted()).toHaveLength(4);
		expect(engine.ledger.duplicates()).toEqual([]);
	});

	it("what is uncertain isn't resent, and its key stays", async () => {
		engine.sandbox.faults.set([{ what: 'cutAfter', when: { nth: 1 } }]);
		const execution = await engine.run(toSend({ tries: 3, safeguards: KEY }), orders(2));
		expect(execution.words).toContain('1 of 2 messages accepted, 1 uncertain');
		expect(engine.ledger.entries()).toHaveLength(2);
		expect(engine.deduplication.claimed()).toHaveLength(2);
	});

	it('resend goes past the key that the first request has claimed', async () => {
		engine.sandbox.faults.set([{ what: 'cutBefore', when: { nth: 1 } }]);
		const execution = await engine.run(
			toSend({ tries: 2, safeguards: { ...KEY, onUncertainDelivery: 'resend' } }),
			orders(1),
		);
		expect(execution.status).toBe('success');
		expect(execution.json()[0]).toHaveProperty('extra.customer_id', 1000);
		expect(engine.deduplication.claimed()).toEqual(['order 0']);
	});
});

describe('a dry run', () => {
	it('sends nothing, claims nothing, and shows what would go, without the key', async () => {
		const execution = await engine.run(toSend({ safeguards: { ...KEY, dryRun: true } }), orders(3));
		expect(execution.status).toBe('success');
		expect(engine.ledger.entries()).toEqual([]);
		expect(engine.deduplication.calls).toEqual([]);
		expect(execution.json()[1]).toEqual({
			dryRun: true,
			request: {
				method: 'POST',
				url: `${engine.sandbox.url}/stable/open/customers/send-text-message`,
				body: { customer_id: customer(1), text: 'text 1' },
			},
		});
		expect(execution.items()[1].pairedItem).toEqual({ item: 1 });
		expect(execution.stored()).not.toContain(engine.sandbox.apiKey);
	});

	it('in a retry shows the records of what was accepted, and the requests of the rest', async () => {
		engine.sandbox.faults.set([
			{ what: 'status', status: 400, when: { recipient: customer(2) } },
			{ what: 'cutAfter', when: { recipient: customer(1) } },
		]);
		const failed = await engine.run(toSend({ options: { maxConcurrency: 1 } }), customers(4));
		expect(failed.status).toBe('error');
		const retried = await failed.retry(
			toSend({ safeguards: { dryRun: true }, onError: 'continueRegularOutput' }),
		);
		const shown = retried.json();
		expect(shown[0]).toHaveProperty('extra.success', true);
		expect(shown[1]).toHaveProperty('details.delivery', 'uncertain');
		expect(shown.slice(2).map(({ dryRun }) => dryRun)).toEqual([true, true]);
	});

	it('checks all items as a real run does', async () => {
		const items = [...customers(2), { customer: '', text: 'x' }];
		const stopped = await engine.run(toSend({ safeguards: { dryRun: true } }), items);
		expect(stopped.words).toContain("'Customer ID' is empty");
		const spec = { onError: 'continueRegularOutput', safeguards: { dryRun: true } } as const;
		const continued = await engine.run(toSend(spec), items);
		expect(continued.json().map(({ dryRun }) => dryRun)).toEqual([true, true, undefined]);
		expect(continued.json()[2]).toHaveProperty('error', "'Customer ID' is empty");
		expect(engine.ledger.entries()).toEqual([]);
	});
});
