/** When each message is requested. */
import { useEngine } from './engine';
import { CONTINUE, customer, customers, cuts, ONE_BY_ONE } from './workflows';
import type { FaultRule } from '../../sandbox/index.cts';

const engine = useEngine();

const limits = (nth?: number[], retryAfter?: number): FaultRule => {
	return { what: 'rateLimit', retryAfter, when: { nth } };
};
/** Times in seconds after the first request, and the rate limit wait. */
interface Row {
	rules: FaultRule[];
	rateLimitWait: number;
	deliveries: string[];
	times: number[];
}

const NINE = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const BACKOFF = [1.1, 3.3, 7.7, 16.5, 34.1, 69.3, 139.7, 210.1, 280.5];
const [yes, no] = ['accepted', 'rejected'];

it.each`
	rule                                                                   | rules                                 | rateLimitWait | deliveries              | times
	${'a message waits for as long as asked'}                              | ${[limits([1, 2], 5)]}                | ${60}         | ${[yes]}                | ${[0, 5, 10]}
	${'without a time: 1, 2, 4 … 64 seconds, and up to a fifth more'}      | ${[limits(NINE)]}                     | ${600}        | ${[yes]}                | ${[0, ...BACKOFF]}
	${'all waits of a message count together'}                             | ${[limits(undefined, 25)]}            | ${60}         | ${[no]}                 | ${[0, 25, 50]}
	${"a wait that exceeds the wait budget isn't begun"}                   | ${[limits([1], 61)]}                  | ${60}         | ${[no]}                 | ${[0]}
	${'uncertain after a rate limit'}                                      | ${[limits([1], 1), cuts({ nth: 2 })]} | ${60}         | ${['uncertain']}        | ${[0, 1]}
	${'all wait, and the wait for others does not use up the wait budget'} | ${[limits([1], 50), limits([3], 50)]} | ${60}         | ${[yes, yes]}           | ${[0, 50, 50, 100]}
	${'others were asked to wait for too long: never requested'}           | ${[limits([1], 61)]}                  | ${60}         | ${[no, 'notAttempted']} | ${[0]}
`('$rule', async ({ rules, rateLimitWait, deliveries, times }: Row) => {
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
	engine.faults(...rules);
	const options = { ...ONE_BY_ONE.options, rateLimitWait };
	const execution = await engine.send({ ...CONTINUE, options }, customers(deliveries.length));
	expect(execution.deliveries()).toEqual(deliveries);
	const [first, ...others] = engine.ledger.starts();
	const seconds = [0, ...others.map((start) => (start - first) / 1000)];
	expect(seconds).toHaveLength(times.length);
	// What isn't waited for takes real time.
	for (const [index, at] of seconds.entries()) {
		expect(at).toBeGreaterThan(times[index] - 0.1);
		expect(at).toBeLessThan(times[index] + 2);
	}
});

it('a connection that is never made is tried three times', async () => {
	engine.useCredential({ baseUrl: 'http://127.0.0.1:1' });
	const sent = jest.spyOn(engine.credentials, 'authenticate').mock.calls;
	expect((await engine.send(CONTINUE, customers(1))).deliveries()).toEqual([no]);
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
