/** In which order messages are requested, and how often: when is in test/unit/delivery. */
import { useEngine } from './engine';
import { CONTINUE, customer, customers } from './workflows';

const engine = useEngine();

it('a connection that is never made is tried three times', async () => {
	engine.useCredential({ baseUrl: 'http://127.0.0.1:1' });
	const sent = jest.spyOn(engine.credentials, 'authenticate').mock.calls;
	expect((await engine.send(CONTINUE, customers(1))).deliveries()).toEqual(['rejected']);
	expect(sent).toHaveLength(3);
});

it('messages to one customer go one after the other, in their order, and no more at once than allowed', async () => {
	engine.faults({ what: 'latency', ms: 30 });
	const items = [0, 0, 1, 2, 0, 3, 1, 4].map((which, index) => {
		return { customer: customer(which), text: String(index) };
	});
	await engine.send({ options: { maxConcurrency: 3 } }, items);
	expect(engine.ledger.maxInFlight).toBe(3);
	for (const which of [0, 1]) expect(engine.ledger.maxInFlightOf(customer(which))).toBe(1);
	const sent = engine.ledger.entries().map(({ body }) => String(body?.text));
	expect(sent.filter((text) => '014'.includes(text))).toEqual(['0', '1', '4']);
});
