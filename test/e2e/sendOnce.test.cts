/** Send Once Key across executions, as a CRM meets it that delivers its webhook twice. */
import { randomUUID } from 'node:crypto';
import type { FaultRule } from '../../sandbox/index.cts';
import { webhook } from '../n8n/workflow.cts';
import { inParallel, NODE, textOf, useN8n } from './help.cts';

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

// What each response means is in test/unit/service/classifyResponse.
test.each<[string, FaultRule, object, string[]]>([
	['rejected: the next webhook sends', { what: 'status', status: 400 }, sentTo('301'), ['301']],
	// An error and no quiet skip: no one knows whether the customer has the message.
	['uncertain: the next one sends nothing', { what: 'cutAfter' }, { status: 500 }, ['301']],
])('%s', async (order, fault, next, recipients) => {
	used.sandbox.faults.set([{ ...fault, when: { first: 1 } }]);
	expect((await call('301', order)).status).toBe(500);
	expect(await call('301', order)).toMatchObject(next);
	expect(used.recipients()).toEqual(recipients);
});

test('Send Once Key and If Delivery Is Uncertain: Resend sends only what is uncertain', async () => {
	used.sandbox.faults.set([{ what: 'cutAfter', when: { recipient: '2', nth: 1 } }]);
	const parametersOf = (onUncertainDelivery: string) =>
		textOf({}, { sendOnceKey: '={{ $json.text }}', onUncertainDelivery });
	const workflowId = await used.save({
		parameters: parametersOf('doNotResend'),
		list: ['1', '2'].map((customer) => ({ customer, text: `Hello ${customer}` })),
		settings: { onError: 'continueRegularOutput' },
	});
	await used.client.run(workflowId);
	const again = await used.client.run(workflowId);
	expect(again.items(NODE)).toMatchObject([
		{ skipped: true, reason: 'alreadySent' },
		{ details: { delivery: 'uncertain' } },
	]);
	// The same node: it keeps the keys by its ID.
	const { nodes } = await used.client.workflow(workflowId);
	const parameters = parametersOf('resend');
	const resending = nodes.map((each) => (each.name === NODE ? { ...each, parameters } : each));
	await used.client.updateWorkflow(workflowId, { nodes: resending });
	await used.client.run(workflowId);
	expect(used.recipients().toSorted()).toEqual(['1', '2', '2']);
});
