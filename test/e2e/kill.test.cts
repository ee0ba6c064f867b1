/** n8n is killed in the middle of two long lists, started again on the same data, and the lists are sent again. */
import { poll } from '../../scripts/lib/child.cts';
import { signIn } from '../n8n/client.cts';
import { NODE, textOf, useOwnN8n } from './help.cts';

const COUNT = 200;
const MAX_CONCURRENCY = 20;
const KILLED_AFTER = 70;
const used = useOwnN8n({ sandbox: { latency: 250 }, keepLedger: true });

/** A list that is sent with other customers than the other one, and what became of it. */
function sending(first: number, options: object, safeguards?: object) {
	const customers = Array.from({ length: COUNT }, (_, item) => String(first + item));
	/** How often each customer has the message. */
	const deliveries = () => {
		const times = used.sandbox.ledger.deliveriesByRecipient();
		return customers.map((customer) => times.get(customer) ?? 0);
	};
	return {
		deliveries,
		arrived: () => deliveries().filter((times) => times > 0).length,
		definition: {
			list: customers.map((customer) => ({ customer, text: 'Hello' })),
			parameters: textOf({ maxConcurrency: MAX_CONCURRENCY, ...options }, safeguards),
			settings: { onError: 'continueRegularOutput' },
		},
		workflowId: '',
		executionId: '',
		/** The deliveries when n8n was killed. */
		before: [] as number[],
	};
}

// So long the second run waits for what is in flight.
const SHORT = { timeout: 5_000, rateLimitWait: 3 };
const withKey = sending(1000, SHORT, { sendOnceKey: '=welcome-{{ $json.customer }}' });
const withoutKey = sending(2000, {});
const both = [withKey, withoutKey];

beforeAll(async () => {
	for (const each of both) each.workflowId = await used.save(each.definition);
	for (const each of both) each.executionId = await used.client.start(each.workflowId);
	const underWay = () => withKey.arrived() >= KILLED_AFTER && withoutKey.arrived() > 0;
	await poll(underWay, { everyMs: 5, what: 'some of the messages' });
	await used.n8n.kill();
	// What was on its way may still reach the service.
	await poll(() => used.sandbox.ledger.summary().inFlight === 0, { what: 'the last requests' });
	for (const each of both) each.before = each.deliveries();

	await used.n8n.start();
	used.client = await signIn(used.n8n.url);
}, 300_000);

test('the killed runs count as crashed: n8n neither resumes nor retries them', async () => {
	for (const { executionId, deliveries, before, arrived } of both) {
		const { status } = await used.client.waitForExecution(executionId);
		expect(status).toBe('crashed');
		await expect(used.client.retry(executionId)).rejects.toThrow('cannot be retried');
		expect(deliveries()).toEqual(before);
		expect(arrived()).toBeLessThan(COUNT);
	}
});

test('run again with a Send Once Key: what was in flight is uncertain, and no customer has the message twice', async () => {
	const { before, workflowId, deliveries } = withKey;
	// Had it been killed right in the middle of a claim, the first claim now would have to wait for a while.
	const again = await used.client.run(workflowId);
	expect(again.status).toBe('success');

	const after = deliveries();
	const results = again
		.items(NODE)
		.map(({ reason, details }) => String(reason ?? details?.delivery ?? 'accepted'));
	expect(results).toHaveLength(COUNT);
	const uncertain = results.filter((result) => result === 'uncertain').length;
	expect(uncertain).toBeGreaterThan(0);
	expect(uncertain).toBeLessThanOrEqual(MAX_CONCURRENCY);
	// Only what was really delivered counts as sent: no customer is lost without a name.
	results.forEach((result, item) => {
		const expected: Record<string, number[]> = {
			alreadySent: [1, 1],
			accepted: [0, 1],
			uncertain: before[item] === 1 ? [1, 1] : [0, 0],
		};
		const times = [before[item], after[item]];
		expect({ item, result, times }).toEqual({ item, result, times: expected[result] });
	});
});

// The limit that README names: what a killed run has sent is only known to keys.
test('run again without a key: what had arrived goes again', async () => {
	const again = await used.client.run(withoutKey.workflowId);
	expect(again.status).toBe('success');
	expect(withoutKey.deliveries()).toEqual(withoutKey.before.map((times) => times + 1));
});
