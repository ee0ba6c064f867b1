/** Send Once Key across executions, as a CRM meets it that delivers its webhook twice. */
import { randomUUID } from 'node:crypto';
import type { FaultRule } from '../../sandbox/index.cts';
import { webhook } from '../n8n/workflow.cts';
import { inParallel, useN8n } from './help.cts';

const PAIRS = 20;
const used = useN8n({ sandbox: { latency: 50 } });
const path = randomUUID();

interface Item {
	skipped?: boolean;
}

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

/** Calls the published webhook; answers with its status and the item of the node. */
async function call(customer: number, order: string) {
	const { status, body } = await used.callWebhook<Item | Item[]>(path, { customer, order });
	return { status, item: Array.isArray(body) ? body[0] : body };
}

const delivered = (customer: number) =>
	used.recipients().filter((recipient) => recipient === String(customer)).length;

const skipped = (order: string) => ({
	status: 200,
	item: {
		skipped: true,
		reason: 'alreadySent',
		recipient: expect.any(String),
		sendOnceKey: order,
	},
});

const sent = (customer: number) => ({
	status: 200,
	item: expect.objectContaining({
		function_name: 'send_text_message',
		extra: { customer_id: customer, success: true },
	}),
});

test('two webhooks with the same key at the same moment: one message, one skipped', async () => {
	const pairs = Array.from({ length: PAIRS }, (_, pair) => ({
		customer: 100 + pair,
		order: `order-${pair}`,
	}));
	await inParallel(pairs, PAIRS / 4, async ({ customer, order }) => {
		const answers = await Promise.all([call(customer, order), call(customer, order)]);
		const [one, other] = answers.sort((a) => (a.item.skipped ? 1 : -1));
		expect(one).toEqual(sent(customer));
		expect(other).toEqual(skipped(order));
	});
	expect(pairs.map(({ customer }) => delivered(customer))).toEqual(pairs.map(() => 1));

	// And none of them ever again.
	const { customer, order } = pairs[0];
	expect(await call(customer, order)).toEqual(skipped(order));
	expect(delivered(customer)).toBe(1);
});

test('the same key for another customer is skipped too, another key for the same one is not', async () => {
	expect(await call(201, 'shared')).toEqual(sent(201));
	expect(await call(202, 'shared')).toEqual(skipped('shared'));
	expect(await call(201, 'other')).toEqual(sent(201));
	expect([delivered(201), delivered(202)]).toEqual([2, 0]);
});

test.each<[string, FaultRule]>([
	['400', { what: 'status', status: 400 }],
	['401', { what: 'status', status: 401 }],
	['success false', { what: 'successFalse' }],
	['a redirect', { what: 'redirect' }],
])('%s: the key is released, the next webhook sends', async (what, fault) => {
	used.sandbox.faults.set([{ ...fault, when: { first: 1 } }]);
	const order = `released after ${what}`;
	expect((await call(301, order)).status).toBe(500);
	expect(delivered(301)).toBe(0);
	expect(await call(301, order)).toEqual(sent(301));
	expect(await call(301, order)).toEqual(skipped(order));
	expect(delivered(301)).toBe(1);
});

test.each<[string, FaultRule, number]>([
	['500', { what: 'status', status: 500 }, 0],
	['a cut connection', { what: 'cutAfter' }, 1],
	['other JSON', { what: 'notARecord' }, 1],
])(
	'%s: uncertain, and so for the next webhook, which sends nothing',
	async (what, fault, times) => {
		used.sandbox.faults.set([{ ...fault, when: { first: 1 } }]);
		const order = `kept after ${what}`;
		expect((await call(401, order)).status).toBe(500);
		// An error and no quiet skip: no one knows whether the customer has the message.
		expect((await call(401, order)).status).toBe(500);
		expect(used.requests()).toHaveLength(1);
		expect(delivered(401)).toBe(times);
	},
);
