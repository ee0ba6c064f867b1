/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import type { IDataObject } from 'n8n-workflow';

import { useEngine } from './engine';
import { time } from './virtualTime';
import { customer, customers, toSend } from './workflows';

const engine = useEngine();

const sleep = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('a canceled execution', () => {
	beforeAll(() => void (time.isVirtual = false));
	afterAll(() => void (time.isVirtual = true));

	/** What the service accepted was either seen, or is uncertain because n8n broke the connection. */
	const countsOf = (sent: number) =>
		sent === 0
			? /of 150 messages accepted/
			: /[1-9]\d* of 150 messages accepted|[1-9]\d* uncertain/;

	it.each<[string, IDataObject, IDataObject]>([
		['in full flight', { maxConcurrency: 4 }, { what: 'latency', ms: 60 }],
		['with pacing', { messagesPerSecond: 10 }, { what: 'latency', ms: 5 }],
		['while the service asks to wait', {}, { what: 'rateLimit', retryAfter: 30 }],
		['while it backs off', {}, { what: 'rateLimit' }],
		['while nothing is answered', { maxConcurrency: 3 }, { what: 'hang' }],
	])('starts nothing more: %s', async (_, options, rule) => {
		engine.sandbox.faults.set([{ what: 'latency', ...rule }]);
		const running = engine.start(toSend({ options, tries: 3 }), customers(150));
		while (engine.ledger.entries().length < 3) await sleep(5);
		await sleep(50);
		running.cancel();
		const left = engine.credentials.authenticated;
		const execution = await running.ended;
		expect(execution.status).toBe('canceled');
		expect(execution.error?.message).toBe(
			'The execution was canceled before all messages were sent',
		);
		expect(execution.words).toContain('Run the workflow again with the remaining items');
		// The editor has no such button for it.
		expect(execution.words).not.toContain('Retry with');
		// Although n8n has asked the node to try once more, after the end.
		const sent = engine.ledger.accepted().length;
		expect(execution.words).toMatch(countsOf(sent));
		await sleep(1100);
		// Seen where requests are sent: those may reach the service later.
		expect(engine.credentials.authenticated).toBe(left);
		expect(left).toBeLessThan(150);
		expect(engine.ledger.entries().length).toBeLessThanOrEqual(left);
		expect(engine.ledger.duplicates()).toEqual([]);
	});

	it('would be sent to its end by a retry, if n8n offers one again, and no customer gets a message twice', async () => {
		const running = engine.start(toSend({ options: { messagesPerSecond: 15 } }), customers(20));
		while (engine.ledger.accepted().length < 6) await sleep(2);
		running.cancel();
		const canceled = await running.ended;
		const { words } = canceled;
		const unsure = Number(/(\d+) uncertain/.exec(words)?.[1] ?? 0);
		expect(words).toMatch(
			/([5-9]|1\d) of 20 messages accepted, (\d+ uncertain, )?\d+ not attempted\./,
		);

		const retried = await canceled.retry(toSend());
		expect(retried.status).toBe(unsure > 0 ? 'error' : 'success');
		expect(engine.ledger.accepted().length).toBeGreaterThanOrEqual(20 - unsure);
		expect(engine.ledger.duplicates()).toEqual([]);
	});

	it('keeps the keys of what may have arrived, and no others', async () => {
		engine.sandbox.faults.set([{ what: 'hang', afterAccept: true, when: { nth: [5, 6, 7] } }]);
		const safeguards = { sendOnceKey: '={{ $json.customer }}' };
		const options = { maxConcurrency: 3 };
		const running = engine.start(toSend({ options, safeguards }), customers(40));
		while (engine.ledger.entries().filter(({ endedAt }) => endedAt === null).length < 3) {
			await sleep(5);
		}
		running.cancel();
		await running.ended;
		await sleep(200);
		const accepted = engine.ledger.accepted().map(({ recipient }) => recipient);
		expect(accepted.length).toBeGreaterThanOrEqual(5);
		expect(engine.deduplication.claimed().sort()).toEqual(accepted.sort());
	});
});

describe('what the user sees', () => {
	it('log lines at sensible steps, never one for each item', async () => {
		const execution = await engine.run(
			toSend({ options: { messagesPerSecond: 20 } }),
			customers(125),
		);
		expect(execution.status).toBe('success');
		expect(engine.logLines).toHaveLength(1);
		expect(engine.logLines[0]).toMatch(
			/^Outbound Messaging: \d+ of 125 messages done: \d+ accepted$/,
		);
	});

	it('a hint that counts, when not all was accepted', async () => {
		engine.sandbox.faults.set([
			{ what: 'status', status: 400, when: { recipient: [customer(1), customer(2)] } },
			{ what: 'cutAfter', when: { recipient: customer(3) } },
		]);
		const execution = await engine.run(toSend({ onError: 'continueRegularOutput' }), customers(9));
		expect(execution.hints()).toEqual([
			{
				message: expect.stringMatching(
					/^6 of 9 messages accepted, 2 rejected, 1 uncertain\. Why: .*400.* \(2\) · .* \(1\)$/,
				) as string,
				type: 'warning',
				location: 'outputPane',
			},
		]);
	});

	it('a hint about what was skipped, and none when all went well', async () => {
		const flow = toSend({ safeguards: { sendOnceKey: '={{ $json.customer }}' } });
		expect((await engine.run(flow, customers(2))).hints()).toEqual([]);
		expect((await engine.run(flow, customers(3))).hints()).toEqual([
			expect.objectContaining({
				message: '1 of 3 messages accepted, 2 skipped (2 already sent)',
				type: 'info',
			}),
		]);
	});
});

it.each<[string, (count: number) => IDataObject[]]>([
	['one recipient', (count) => customers(count).map((item) => ({ ...item, customer: '7' }))],
	['as many recipients', customers],
])(
	'3,000 messages to %s: each is sent once',
	async (_, list) => {
		const execution = await engine.run(toSend(), list(3_000));
		expect(execution.status).toBe('success');
		expect(execution.json()).toHaveLength(3_000);
		expect(engine.ledger.summary()).toMatchObject({ received: 3_000, accepted: 3_000 });
		expect(engine.ledger.duplicates()).toEqual([]);
	},
	300_000,
);
