/**
 * Send Once Key across executions, as a CRM meets it that delivers its webhook twice at the same moment. What a key is after
 * each response is in test/engine/sendOnce, and a call that comes later is in the example send-once.json.
 */
import { randomUUID } from 'node:crypto';
import { webhook } from '../n8n/workflow.cts';
import { inParallel, useN8n } from './help.cts';

const used = useN8n({ sandbox: { latency: 50 } });

test('two webhooks with the same key: one message, one skipped', async () => {
	const path = randomUUID();
	const parameters = {
		operation: 'sendText',
		customerId: '={{ $json.body.customer }}',
		text: 'Your order is on its way',
		safeguards: { sendOnceKey: '={{ $json.body.customer }}' },
	};
	await used.client.activate(await used.save({ trigger: webhook(path), parameters }));
	const customers = Array.from({ length: 20 }, (_, pair) => String(100 + pair));
	await inParallel(customers, 5, async (customer) => {
		const call = async () =>
			await used.callWebhook<Array<{ skipped?: boolean }>>(path, { customer });
		const answers = await Promise.all([call(), call()]);
		const [one, other] = answers.sort(({ body }) => (body[0].skipped ? 1 : -1));
		const extra = { customer_id: Number(customer), success: true };
		expect(one).toMatchObject({ status: 200, body: [{ extra }] });
		expect(other).toMatchObject({ status: 200, body: [{ skipped: true, reason: 'alreadySent' }] });
	});
	expect(used.recipients().toSorted()).toEqual(customers);
});
