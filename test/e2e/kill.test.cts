/** n8n is killed in the middle of two long lists, started again on the same data, and the lists are sent again. */
import { poll } from '../../scripts/lib/child.cts';
import { signIn } from '../n8n/client.cts';
import { NODE, textOf, useOwnN8n } from './help.cts';

const COUNT = 200;
const MAX_CONCURRENCY = 20;
const KILLED_AFTER = 70;
const used = useOwnN8n({ sandbox: { latency: 100 }, keepLedger: true });

/** A list that is sent, and what became of it. */
interface Sending {
	list: Array<{ customer: string; text: string }>;
	options: object;
	safeguards?: object;
	settings?: object;
	workflowId: string;
	executionId: string;
	/** How often each customer had the message when n8n was killed. */
	before: number[];
}

const notStarted = { workflowId: '', executionId: '', before: [] };

const listFrom = (first: number) =>
	Array.from({ length: COUNT }, (_, item) => ({ customer: String(first + item), text: 'Hello' }));

const withKey: Sending = {
	...notStarted,
	list: listFrom(1000),
	safeguards: { sendOnceKey: '=welcome-{{ $json.customer }}' },
	options: {
		// So long the second run waits for what is in flight.
		timeout: 5_000,
		rateLimitWait: 3,
	},
	settings: { onError: 'continueRegularOutput' },
};
const withoutKey: Sending = { ...notStarted, list: listFrom(2000), options: {} };

/** How often each customer of a list has the message. */
function deliveries({ list }: Sending) {
	const times = used.sandbox.ledger.deliveriesByRecipient();
	return list.map(({ customer }) => times.get(customer) ?? 0);
}

const arrived = (sending: Sending) => deliveries(sending).filter((times) => times > 0).length;

beforeAll(async () => {
	for (const sending of [withKey, withoutKey]) {
		const { list, options, safeguards, settings } = sending;
		const parameters = textOf({ maxConcurrency: MAX_CONCURRENCY, ...options }, safeguards);
		sending.workflowId = await used.save({ list, parameters, settings });
		sending.executionId = await used.client.start(sending.workflowId);
	}
	const underWay = () => arrived(withKey) >= KILLED_AFTER && arrived(withoutKey) > 0;
	await poll(underWay, { everyMs: 5, what: 'some of the messages' });
	await used.n8n.kill();
	// What was on its way may still reach the service.
	await poll(() => used.sandbox.ledger.summary().inFlight === 0, { what: 'the last requests' });
	for (const sending of [withKey, withoutKey]) sending.before = deliveries(sending);

	await used.n8n.start();
	used.client = await signIn(used.n8n.url);
}, 300_000);

test('the killed runs count as crashed: n8n neither resumes nor retries them', async () => {
	for (const { executionId } of [withKey, withoutKey]) {
		const { status } = await used.client.waitForExecution(executionId);
		expect(status).toBe('crashed');
		await expect(used.client.retry(executionId)).rejects.toThrow('cannot be retried');
	}
	for (const sending of [withKey, withoutKey]) {
		expect(deliveries(sending)).toEqual(sending.before);
		expect(arrived(sending)).toBeGreaterThan(0);
		expect(arrived(sending)).toBeLessThan(COUNT);
	}
});

test('run again with a Send Once Key: what was in flight is uncertain, and no customer has the message twice', async () => {
	const { before, workflowId } = withKey;
	// Had it been killed right in the middle of a claim, the first claim now would have to wait for a while.
	const again = await used.client.run(workflowId, { timeoutMs: 110_000 });
	expect(again.status).toBe('success');

	const after = deliveries(withKey);
	expect(Math.max(...after)).toBe(1);
	const results = again.items(NODE).map((json) => {
		if (json.skipped) return json.reason;
		return json.error === undefined ? 'accepted' : json.details?.delivery;
	});
	const count = (result: string) => results.filter((each) => each === result).length;
	expect(results).toHaveLength(COUNT);
	expect(count('uncertain')).toBeGreaterThan(0);
	expect(count('uncertain')).toBeLessThanOrEqual(MAX_CONCURRENCY);
	// Only what was really delivered counts as sent: no customer is lost without a name.
	results.forEach((result, item) => {
		const expected: Record<string, number[]> = {
			alreadySent: [1, 1],
			accepted: [0, 1],
			uncertain: [before[item], before[item]],
		};
		expect({ item, result, times: [before[item], after[item]] }).toEqual({
			item,
			result,
			times: expected[String(result)],
		});
	});
});

// The limit that README names: what a killed run has sent is only known to keys.
test('run again without a key: what had arrived goes again', async () => {
	const again = await used.client.run(withoutKey.workflowId);
	expect(again.status).toBe('success');
	expect(deliveries(withoutKey)).toEqual(withoutKey.before.map((times) => times + 1));
});
