import { useEngine } from './engine';
import { customer, customers, toSend } from './workflows';

const engine = useEngine({ latency: 12 });

/** The most starts that any window of a second holds. */
function mostPerSecond(starts: number[]): number {
	const after = (from: number) => starts.filter((start) => start >= from && start < from + 1000);
	return Math.max(...starts.map((start) => after(start).length));
}

it.each([
	[1, { maxConcurrency: 1 }],
	[7, { maxConcurrency: 7 }],
	[100, {}],
])('%d messages are on their way at the same time, and never more: %j', async (most, options) => {
	// On a busy machine it takes a while until so many have been started.
	engine.sandbox.faults.set([{ what: 'latency', ms: most * 4 }]);
	await engine.run(toSend({ options }), customers(most + 20));
	expect(engine.ledger.maxInFlight).toBe(most);
	expect(engine.accepted()).toHaveLength(most + 20);
});

it('messages to one customer keep their order, while others run in parallel', async () => {
	const items = customers(48).map(({ text }, index) => ({ customer: customer(index % 6), text }));
	engine.sandbox.faults.set([{ what: 'latency', ms: 40, when: { every: 5 } }]);
	await engine.run(toSend({ options: { maxConcurrency: 20 } }), items);
	expect(engine.ledger.maxInFlight).toBe(6);
	for (const to of [0, 1, 2, 3, 4, 5].map(customer)) {
		expect(engine.ledger.maxInFlightOf(to)).toBe(1);
		const entries = engine.ledger.accepted().filter(({ recipient }) => recipient === to);
		const texts = items.filter((item) => item.customer === to).map(({ text }) => text);
		expect(entries.map(({ body }) => body.text)).toEqual(texts);
	}
});

it('stop mode starts nothing after the first failure, lets those on their way end, and counts', async () => {
	engine.sandbox.faults.set([
		{ what: 'status', status: 422, when: { recipient: customer(3) } },
		{ what: 'latency', ms: 80 },
	]);
	const execution = await engine.run(toSend({ options: { maxConcurrency: 5 } }), customers(30));
	// The failure is answered at once; the four others of the first five were on their way.
	expect(engine.ledger.summary()).toMatchObject({ received: 5, accepted: 4, inFlight: 0 });
	expect(execution.words).toContain(
		'4 of 30 messages accepted, 1 rejected, 25 not attempted. To send the rest, ',
	);
	expect(execution.error).toMatchObject({ context: { itemIndex: 3 } });
});

it('Messages per Second counts what is sent again too', async () => {
	engine.sandbox.faults.set([{ what: 'rateLimit', retryAfter: 0.05, when: { first: 8 } }]);
	await engine.run(toSend({ options: { messagesPerSecond: 20 } }), customers(42));
	expect(engine.ledger.summary()).toMatchObject({ received: 50, accepted: 42 });
	// Both ends of a window may touch a start, and a busy machine takes some requests there more slowly.
	expect(mostPerSecond(engine.ledger.starts())).toBeLessThanOrEqual(23);
});

describe('a 429', () => {
	it.each([[{ retryAfter: 1 }], [{}]])(
		'%j: a burst of 50 pauses once, then all go',
		async (wait) => {
			engine.sandbox.faults.set([
				{ what: 'rateLimit', ...wait, when: { first: 50 } },
				{ what: 'latency', ms: 30 },
			]);
			await engine.run(toSend({ options: { maxConcurrency: 50 } }), customers(80));
			const statuses = engine.ledger.entries().map(({ status }) => status);
			expect(new Set(statuses.slice(50))).toEqual(new Set([200]));
			expect(statuses).toHaveLength(130);
			expect(engine.accepted()).toHaveLength(80);
			expect(engine.ledger.duplicates()).toEqual([]);
		},
	);

	it('pauses the whole pool, not only its own message', async () => {
		const when = { recipient: customer(4), nth: 1 };
		engine.sandbox.faults.set([{ what: 'rateLimit', retryAfter: 0.6, when }]);
		await engine.run(toSend({ options: { maxConcurrency: 2 } }), customers(20));
		const ended = Number(engine.ledger.entries().find(({ status }) => status === 429)?.endedAt);
		const starts = engine.ledger.starts().filter((at) => at > ended && at < ended + 990);
		expect(starts.length).toBeLessThanOrEqual(1);
		expect(engine.accepted()).toHaveLength(20);
	});

	it('that asks for too long rejects those that met it; the others are not attempted', async () => {
		engine.sandbox.faults.set([
			{ what: 'rateLimit', retryAfter: 3600, when: { recipient: [0, 1, 2].map(customer) } },
			{ what: 'latency', ms: 30 },
		]);
		const spec = { options: { maxConcurrency: 3 }, onError: 'continueRegularOutput' } as const;
		const deliveries = (await engine.run(toSend(spec), customers(60))).deliveries();
		expect(deliveries.slice(0, 3)).toEqual(['rejected', 'rejected', 'rejected']);
		expect(new Set(deliveries.slice(3))).toEqual(new Set(['notAttempted']));
		expect(engine.received()).toHaveLength(3);
	});
});
