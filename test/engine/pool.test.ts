import { useEngine } from './engine';
import { customer, customers, TEMPLATE, toSend } from './workflows';

const engine = useEngine({ latency: 12 });

describe('maxConcurrency', () => {
	it.each([1, 2, 7, 20])('%d are on their way at the same time, and never more', async (most) => {
		// On a busy machine it takes a while until so many have been started.
		engine.sandbox.faults.set([{ what: 'latency', ms: most * 10 }]);
		await engine.run(toSend({ options: { maxConcurrency: most } }), customers(60));
		expect(engine.ledger.maxInFlight).toBe(most);
		expect(engine.ledger.summary()).toMatchObject({ received: 60, accepted: 60 });
	});

	it("is 100 when it isn't set", async () => {
		engine.sandbox.faults.set([{ what: 'latency', ms: 400 }]);
		await engine.run(toSend(), customers(130));
		expect(engine.ledger.maxInFlight).toBe(100);
	});

	it('does not make a message wait for one that has nothing to do with it', async () => {
		engine.sandbox.faults.set([{ what: 'latency', ms: 300, when: { recipient: customer(0) } }]);
		await engine.run(toSend({ options: { maxConcurrency: 2 } }), customers(12));
		const ended = [...engine.ledger.entries()].sort(
			(a, b) => Number(a.endedAt) - Number(b.endedAt),
		);
		expect(ended.at(-1)?.recipient).toBe(customer(0));
	});
});

describe('messages to the same recipient', () => {
	it('keep their order and are never on their way together, while others run in parallel', async () => {
		const items = Array.from({ length: 48 }, (_, index) => ({
			customer: customer(index % 6),
			text: `text ${index}`,
		}));
		engine.sandbox.faults.set([{ what: 'latency', ms: 40, when: { every: 5 } }]);
		const execution = await engine.run(toSend({ options: { maxConcurrency: 20 } }), items);
		expect(execution.status).toBe('success');
		expect(engine.ledger.maxInFlight).toBe(6);
		for (let which = 0; which < 6; which++) {
			const to = customer(which);
			expect(engine.ledger.maxInFlightOf(to)).toBe(1);
			const texts = engine.ledger.accepted().filter(({ recipient }) => recipient === to);
			expect(texts.map(({ body }) => body.text)).toEqual(
				items.filter((item) => item.customer === to).map(({ text }) => text),
			);
		}
	});

	it('are known by their phone however it is written', async () => {
		const spellings = [
			'+15550100200',
			'+1 (555) 010-0200',
			'0015550100200',
			'\u202a+1\u2011555\u2011010\u20110200\u202c',
			' +1.555.010.0200 ',
		];
		const items = spellings.map((phone, index) => ({ phone, name: String(index) }));
		const parameters = { ...TEMPLATE, attributes: { attribute: [{ value: '={{ $json.name }}' }] } };
		const execution = await engine.run(toSend({ parameters }), items);
		expect(execution.status).toBe('success');
		expect(engine.ledger.maxInFlight).toBe(1);
		expect(engine.ledger.accepted().map(({ body }) => body.attributes)).toEqual(
			spellings.map((_, index) => ({ '1': String(index) })),
		);
		expect([...engine.ledger.deliveriesByRecipient()]).toEqual([['+15550100200', 5]]);
	});

	it('continue when one of them fails and the run continues', async () => {
		const items = [0, 1, 2].map((index) => ({ customer: '7', text: `text ${index}` }));
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 2 } }]);
		const execution = await engine.run(toSend({ onError: 'continueRegularOutput' }), items);
		expect(engine.ledger.entries().map(({ body }) => body?.text)).toEqual([
			'text 0',
			'text 1',
			'text 2',
		]);
		expect(execution.json()[1]).toHaveProperty('details.delivery', 'rejected');
		expect(engine.ledger.summary().accepted).toBe(2);
	});
});

describe('stop mode', () => {
	it('starts nothing after the first failure, lets those on their way end, and counts', async () => {
		engine.sandbox.faults.set([
			{ what: 'status', status: 422, when: { recipient: customer(3) } },
			{ what: 'latency', ms: 80 },
		]);
		const execution = await engine.run(toSend({ options: { maxConcurrency: 5 } }), customers(30));
		expect(execution.status).toBe('error');
		// The failure is answered at once; the four others of the first five were on their way.
		expect(engine.ledger.summary()).toMatchObject({ received: 5, accepted: 4, inFlight: 0 });
		expect(execution.words).toContain(
			'4 of 30 messages accepted, 1 rejected, 25 not attempted. To send the rest, ',
		);
		expect(execution.error).toMatchObject({ context: { itemIndex: 3 } });
	});
});
