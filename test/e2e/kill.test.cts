/** n8n is killed in the middle of a long list, started again on the same data, and the list is sent again. */
import { poll } from '../../scripts/lib/child.cts';
import { signIn } from '../n8n/client.cts';
import { NODE, textOf, useOwnN8n } from './help.cts';

const COUNT = 200;
const MAX_CONCURRENCY = 20;
const used = useOwnN8n({ sandbox: { latency: 250 } });
const customers = Array.from({ length: COUNT }, (_, item) => String(1000 + item));

/** How often each customer has the message. */
const deliveries = () => {
	const times = used.sandbox.ledger.deliveriesByRecipient();
	return customers.map((customer) => times.get(customer) ?? 0);
};

// What is sent again without a key is in the scenario of the same name, in test/scale.
test('what was in flight is uncertain when it is run again with a Send Once Key, and no customer has the message twice', async () => {
	// So long the second run waits for what is in flight.
	const options = { maxConcurrency: MAX_CONCURRENCY, timeout: 5_000, rateLimitWait: 3 };
	const workflowId = await used.save({
		list: customers.map((customer) => ({ customer, text: 'Hello' })),
		parameters: textOf(options, { sendOnceKey: '=welcome-{{ $json.customer }}' }),
		settings: { onError: 'continueRegularOutput' },
	});
	const executionId = await used.client.start(workflowId);
	await poll(() => used.accepted().length >= 70, { everyMs: 5, what: 'some of the messages' });
	await used.n8n.kill();
	// What was on its way may still reach the service.
	await poll(() => used.sandbox.ledger.summary().inFlight === 0, { what: 'the last requests' });
	const before = deliveries();
	expect(before).toContain(0);

	await used.n8n.start();
	used.client = await signIn(used.n8n.url);
	// n8n neither resumes nor retries it.
	expect((await used.client.waitForExecution(executionId)).status).toBe('crashed');
	await expect(used.client.retry(executionId)).rejects.toThrow('cannot be retried');
	expect(deliveries()).toEqual(before);

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
