/**
 * Send Once Key across executions, as a CRM meets it that delivers its webhook twice. What a key is after each response is
 * in test/engine/sendOnce.
 */
import { randomUUID } from 'node:crypto';
import { webhook } from '../n8n/workflow.cts';
import { inParallel, useN8n } from './help.cts';

const used = useN8n({ sandbox: { latency: 50 } });
const path = randomUUID();

beforeAll(async () => {
	const id = await used.save({
		trigger: webhook(path),
		parameters: {
			operation: 'sendText',
			customerId: '={{ $json.body.customer }}',
			text: '=Your order {{ $json.body.order }} is on its way',
			safeguards: { sendOnceKey: '={{ $json.body.order }}' },
		},
	});
	await used.client.activate(id);
});

/** Calls the published webhook. @returns status, and the items of the node */
const call = async (customer: string, order: string) =>
	await used.callWebhook<Array<{ skipped?: boolean }>>(path, { customer, order });

const skipped = { status: 200, body: [{ skipped: true, reason: 'alreadySent' }] };
const sentTo = (customer: string) => ({
	status: 200,
	body: [{ extra: { customer_id: Number(customer), success: true } }],
});

test('two webhooks with the same key at the same moment: one message, one skipped', async () => {
	const customers = Array.from({ length: 20 }, (_, pair) => String(100 + pair));
	await inParallel(customers, 5, async (customer) => {
		const answers = await Promise.all([call(customer, customer), call(customer, customer)]);
		const [one, other] = answers.sort(({ body }) => (body[0].skipped ? 1 : -1));
		expect(one).toMatchObject(sentTo(customer));
		expect(other).toMatchObject(skipped);
	});
	expect(used.recipients().toSorted()).toEqual(customers);
});

test('the same key later is skipped, and for another customer uncertain; another key is not', async () => {
	expect(await call('201', 'shared')).toMatchObject(sentTo('201'));
	expect(await call('201', 'shared')).toMatchObject(skipped);
	expect(await call('202', 'shared')).toMatchObject({ status: 500 });
	expect(await call('201', 'other')).toMatchObject(sentTo('201'));
	expect(used.recipients()).toEqual(['201', '201']);
});
