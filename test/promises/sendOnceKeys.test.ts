/** `docs/promises.md`, "Send-once keys": each sentence, by what the sandbox received. */
import type { IDataObject, IWorkflowBase } from 'n8n-workflow';

import { engine, failedWith, once, received, SENT_BEFORE, told } from './help';
import type { Sending } from '../engine/workflows';
import {
	CONTINUE,
	customer,
	customers,
	looped,
	NODE,
	ONE_BY_ONE,
	toSend,
} from '../engine/workflows';

const KEY: Sending = { safeguards: { sendOnceKey: '={{ $json.order }}-confirmation' } };

const ORDERS = customers(3).map((row, index): IDataObject => ({ ...row, order: `order ${index}` }));
const ALL_ACCEPTED = ['accepted', 'accepted', 'accepted'];
const ALL_SENT_BEFORE = [SENT_BEFORE, SENT_BEFORE, SENT_BEFORE];

/** How the rows end in an execution of this workflow. */
const endings = async (flow: IWorkflowBase, name = NODE, rows = ORDERS) =>
	told(await engine.run(flow, rows), name);

describe(
	"Each customer gets one message for it, as long as it's among the node's " +
		'newest 20,000 keys.',
	() => {
		it('in a later execution, the same keys are skipped', async () => {
			expect(await endings(toSend(KEY))).toEqual(ALL_ACCEPTED);
			expect(await endings(toSend(KEY))).toEqual(ALL_SENT_BEFORE);
			expect(received(3)).toEqual(once(3));
		});

		it('the output says which key it is', async () => {
			await engine.run(toSend(KEY), ORDERS);
			const [first] = (await engine.run(toSend(KEY), ORDERS)).json();
			expect(first).toEqual({
				skipped: true,
				reason: 'alreadySent',
				recipient: customer(0),
				sendOnceKey: 'order 0-confirmation',
			});
		});

		it('a list of 20,001 keys is rejected, and one of 20,000 is not', async () => {
			const rows = customers(20_001).map((row) => ({ ...row, order: row.customer }));
			const tooMany = await engine.run(toSend(KEY), rows);
			expect(tooMany.words).toContain('more than the 20000');
			expect(engine.received()).toEqual([]);
			engine.faults({ what: 'status', status: 401 });
			await engine.run(toSend(KEY), rows.slice(1));
			expect(engine.received()).toEqual([customer(1)]);
		});
	},
);

it("The customer needn't be in the key.", async () => {
	const spec = { safeguards: { sendOnceKey: 'spring-sale' } };
	expect(await endings(toSend(spec))).toEqual(ALL_ACCEPTED);
	expect(await endings(toSend(spec))).toEqual(ALL_SENT_BEFORE);
	expect(received(3)).toEqual(once(3));
});

it('If an expression in the key finds nothing, the item is rejected.', async () => {
	const rows = ORDERS.with(1, { customer: customer(1), text: 'text 1' });
	const execution = await engine.send({ ...KEY, ...CONTINUE }, rows);
	expect(execution.deliveries()).toEqual(['accepted', 'rejected', 'accepted']);
	expect(execution.json()[1].error).toContain("'Send Once Key' is incomplete");
	expect(received(3)).toEqual([1, 0, 1]);
});

describe(
	'Two different messages to one customer with the same key reject the list, ' +
		"unless 'Repeated Recipients' sends only the first.",
	() => {
		const rows = ['Hi', 'Bye'].map((text) => ({ ...ORDERS[0], text }));

		it('without Repeated Recipients', async () => {
			const execution = await engine.send(KEY, rows);
			expect([execution.status, engine.received()]).toEqual(['error', []]);
		});

		it('with Repeated Recipients set to send the first', async () => {
			const safeguards = { ...KEY.safeguards, repeatedRecipients: 'sendFirst' };
			const execution = await engine.send({ safeguards }, rows);
			expect(told(execution)).toEqual(['accepted', 'skipped: repeatedRecipient']);
			expect(engine.ledger.accepted().map(({ body }) => body.text)).toEqual(['Hi']);
		});
	},
);

/** The workflow with other fields, and the node in it with other ones. */
function changed(flow: IWorkflowBase, workflow: object, node: { name?: string; id?: string }) {
	const { name = NODE } = node;
	const nodes = flow.nodes.map((each) => (each.name === NODE ? { ...each, ...node } : each));
	const connections = JSON.parse(
		JSON.stringify(flow.connections).replaceAll(`"${NODE}"`, `"${name}"`),
	) as IWorkflowBase['connections'];
	return { ...flow, nodes, connections, ...workflow };
}

describe('Keys belong to this node in this workflow.', () => {
	it('in all of its runs: a loop sends none twice', async () => {
		const twice = [...ORDERS, ...ORDERS];
		const ends = await endings(looped(KEY, 2), 'Done', twice);
		expect(ends).toEqual([...ALL_ACCEPTED, ...ALL_SENT_BEFORE]);
	});

	it('another node of the workflow has its own', async () => {
		await engine.run(toSend(KEY), ORDERS);
		const other = changed(toSend(KEY), {}, { id: 'another one' });
		expect(await endings(other)).toEqual(ALL_ACCEPTED);
		expect(received(3)).toEqual([2, 2, 2]);
	});
});

describe('Renaming the node or the workflow keeps them.', () => {
	it.each<[what: string, workflow: object, node: { name?: string }]>([
		['the node', {}, { name: 'Send reminders' }],
		['the workflow', { name: 'Reminders' }, {}],
	])('%s', async (_, workflow, node) => {
		await engine.run(toSend(KEY), ORDERS);
		const renamed = changed(toSend(KEY), workflow, node);
		expect(await endings(renamed, node.name)).toEqual(ALL_SENT_BEFORE);
		expect(received(3)).toEqual(once(3));
	});
});

describe('A copied node, and a duplicated or imported workflow, begin without keys.', () => {
	it.each<[what: string, workflow: object, node: { name?: string; id?: string }]>([
		['a copied node', {}, { id: 'copy', name: `${NODE}1` }],
		['a duplicated or imported workflow', { id: 'duplicate' }, {}],
	])('%s', async (_, workflow, node) => {
		await engine.run(toSend(KEY), ORDERS);
		const copy = changed(toSend(KEY), workflow, node);
		expect(await endings(copy, node.name)).toEqual(ALL_ACCEPTED);
		expect(received(3)).toEqual([2, 2, 2]);
	});
});

it("What you send to a sandbox doesn't count for the real service.", async () => {
	const realUrl = engine.sandbox.url;
	engine.useCredential({ baseUrl: realUrl.replace('127.0.0.1', 'localhost') });
	expect(await endings(toSend(KEY))).toEqual(ALL_ACCEPTED);
	engine.useCredential({ baseUrl: realUrl });
	expect(await endings(toSend(KEY))).toEqual(ALL_ACCEPTED);
	expect(await endings(toSend(KEY))).toEqual(ALL_SENT_BEFORE);
});

describe("If the keys can't be checked, nothing is sent.", () => {
	const databaseIsLocked = async () => await Promise.reject(new Error('SQLITE_BUSY'));

	it('from the beginning', async () => {
		engine.deduplication.around = databaseIsLocked;
		const execution = await engine.send({ ...KEY, ...CONTINUE }, ORDERS);
		expect(execution.deliveries()).toEqual(['notAttempted', 'notAttempted', 'notAttempted']);
		expect(engine.received()).toEqual([]);
	});

	it('from the first acceptance on', async () => {
		engine.deduplication.around = async (_, work) =>
			engine.accepted().length > 0 ? await databaseIsLocked() : await work();
		const execution = await engine.send({ ...KEY, ...CONTINUE, ...ONE_BY_ONE }, ORDERS);
		expect(told(execution).slice(1)).toEqual([
			failedWith(/SQLITE_BUSY/),
			failedWith(/SQLITE_BUSY/),
		]);
		expect(received(3)).toEqual([1, 0, 0]);
	});
});
