/** n8n is killed in the middle of a campaign, and started again on the same data. */
import { poll } from '../../scripts/lib/child.cts';
import { signIn } from '../n8n/client.cts';
import { exampleOf } from '../n8n/example.cts';
import { useOwnN8n } from './help.cts';

const COUNT = 200;
const MAX_CONCURRENCY = 20;
const used = useOwnN8n({ sandbox: { latency: 250 } });
const phones = Array.from({ length: COUNT }, (_, index) => `+447700900${100 + index}`);

/** How often each customer has the message. */
const timesDelivered = () => {
	const times = used.sandbox.ledger.deliveriesByRecipient();
	return phones.map((phone) => times.get(phone) ?? 0);
};

// What is sent again without a key is in the scenario of the same name, in test/scale.
test('bulk-campaign.json goes on after a kill, and no customer has the message twice', async () => {
	const empty = { Status: null, Note: null, Tracking: null };
	const list = phones.map((Phone) => ({ Name: 'Ada', Phone, ...empty }));
	await used.client.importTable('campaign', list);
	await used.client.importTable('stopped_numbers', [{ Phone: '+12025550112' }]);
	const own = { outboundMessagingApi: { id: used.credentialId, name: 'Mine' } };
	const faster = JSON.stringify(exampleOf('bulk-campaign.json', own))
		.replace('"expression":"0 * * * *"', '"expression":"*/20 * * * * *"')
		.replace('"Customers an hour","value":"500"', '"Customers an hour","value":"80"')
		.replace('"From hour","value":"9"', '"From hour","value":"0"')
		.replace('"Until hour","value":"18"', '"Until hour","value":"24"')
		// So long the next run waits for what is in flight.
		.replace('"templateText"', `"maxConcurrency":${MAX_CONCURRENCY},"timeout":5000,"templateText"`);
	// A published one sends, whatever 'Dry Run' has for manual executions.
	const workflowId = await used.client.publish(JSON.parse(faster) as object);
	// In the middle of the second batch.
	await poll(() => used.accepted().length >= 110, { everyMs: 5, what: 'some of the messages' });
	await used.n8n.kill();
	// What was on its way may still reach the service.
	await poll(() => used.sandbox.ledger.summary().inFlight === 0, { what: 'the last requests' });
	const before = timesDelivered();
	expect(before).toContain(0);

	await used.n8n.start();
	used.client = await signIn(used.n8n.url);
	// n8n doesn't resume it: the schedule starts the next one, and a person may click Retry as well.
	const executions = await used.client.executions(workflowId);
	const { id: executionId } = executions.find(({ status }) => status === 'crashed')!;
	await used.client.retry(executionId);
	const rows = () => used.client.tableRows('campaign');
	const isOver = async () => (await rows()).every(({ Status }) => Status);
	await poll(isOver, { what: 'each row to have a status' });

	const after = timesDelivered();
	const statuses = (await rows()).map(({ Status }) => Status);
	const uncertain = statuses.filter((status) => status === 'uncertain').length;
	expect(uncertain).toBeGreaterThan(0);
	expect(uncertain).toBeLessThanOrEqual(MAX_CONCURRENCY);
	// Only what was really delivered counts as sent: no customer is lost without a name.
	statuses.forEach((status, row) => {
		const expected = status === 'sent' ? 1 : before[row];
		expect([row, status, after[row]]).toEqual([
			row,
			expect.stringMatching(/sent|uncertain/),
			expected,
		]);
	});
});
