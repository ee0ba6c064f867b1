import type { IDataObject, IWorkflowBase, OnError } from 'n8n-workflow';

import type { Execution } from './engine';
import { useEngine } from './engine';
import { failing } from './nodeTypes';
import type { FaultRule } from '../../sandbox/index.cts';
import type { Sending } from './workflows';
import {
	customer,
	customers,
	FAILED,
	looped,
	NODE,
	node,
	sending,
	to,
	toSend,
	workflow,
} from './workflows';

const engine = useEngine({ latency: 2 });

const COUNT = 7;
const POSITIONS = [0, 3, COUNT - 1];
const MODES: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];
const ONE_BY_ONE = { options: { maxConcurrency: 1 } };

const each = (deliveries: number, count = COUNT) => new Array<number>(count).fill(deliveries);
const all = (count = COUNT) => customers(count).map((item) => item.customer);
const requestsTo = (which: number) =>
	engine.received().filter((recipient) => recipient === customer(which)).length;

/** The service rejects a customer's first messages, or all of them. */
const rejects = (which: number, first?: number): FaultRule => {
	return { what: 'status', status: 400, when: { recipient: customer(which), first } };
};

/** A run that fails at a customer; then the service works again. */
async function failedAt(which: number, spec: Sending = ONE_BY_ONE): Promise<Execution> {
	engine.sandbox.faults.set([rejects(which)]);
	const failed = await engine.run(toSend(spec), customers(COUNT));
	expect(failed.status).toBe('error');
	engine.sandbox.faults.clear();
	return failed;
}

/** The item that came out as failed. */
function failedItem(execution: Execution, onError: OnError, position: number): IDataObject {
	if (onError === 'continueRegularOutput') return execution.json()[position];
	const [failed, ...others] = execution.json(0, FAILED);
	expect(others).toEqual([]);
	return failed;
}

const matrix = MODES.flatMap((onError) => POSITIONS.map((position) => ({ onError, position })));

describe('Retry On Fail', () => {
	it.each([2, 3, 4, 5].flatMap((tries) => matrix.map((row) => ({ tries, ...row }))))(
		'$tries tries, $onError, item $position is rejected: no customer gets it twice',
		async ({ tries, onError, position }) => {
			engine.sandbox.faults.set([rejects(position, tries - 1)]);
			const spec = { tries, onError, options: { maxConcurrency: 3 } };
			const execution = await engine.run(toSend(spec), customers(COUNT));
			expect(execution.status).toBe('success');

			// In continue mode n8n runs a node again only when the first item of its output has failed.
			const isRetried = onError === 'stopWorkflow' || position === 0;
			expect(requestsTo(position)).toBe(isRetried ? tries : 1);
			const others = each(1).map((one, index) => (index === position ? 0 : one));
			expect(engine.deliveries(COUNT)).toEqual(isRetried ? each(1) : others);
			if (isRetried) {
				expect(execution.recipients()).toEqual(all());
			} else {
				const failed = failedItem(execution, onError, position);
				expect(failed).toHaveProperty('details.delivery', 'rejected');
			}
			expect(execution.remembered()).toEqual({});
		},
	);

	it.each(matrix)(
		"$onError, item $position is uncertain: it isn't resent, and holds no other back",
		async ({ onError, position }) => {
			engine.sandbox.faults.set([{ what: 'cutAfter', when: { recipient: customer(position) } }]);
			const spec = { tries: 4, onError, ...ONE_BY_ONE };
			const execution = await engine.run(toSend(spec), customers(COUNT));
			expect(engine.deliveries(COUNT)).toEqual(each(1));
			expect(requestsTo(position)).toBe(1);
			if (onError === 'stopWorkflow') {
				expect(execution.error).toMatchObject({ context: { itemIndex: position } });
				expect(execution.words).toContain(
					`6 of 7 messages accepted, 1 uncertain. Uncertain: item ${position} (n8n counts items from 0).`,
				);
			} else {
				const failed = failedItem(execution, onError, position);
				expect(failed).toHaveProperty('details.delivery', 'uncertain');
			}
		},
	);

	it('resend: what is uncertain goes again, by the choice of the user', async () => {
		const when = { recipient: customer(3), nth: [1, 2] };
		engine.sandbox.faults.set([{ what: 'cutAfter', when }]);
		const safeguards = { onUncertainDelivery: 'resend' };
		const execution = await engine.run(toSend({ tries: 3, safeguards }), customers(COUNT));
		expect(engine.deliveries(COUNT)).toEqual([1, 1, 1, 3, 1, 1, 1]);
		expect(execution.recipients()).toEqual(all());
	});

	it('what an earlier try has sent is told as sent, when this try ends before its turn', async () => {
		engine.sandbox.faults.set([
			{ what: 'status', status: 400, when: { nth: 1 } },
			{ what: 'cutAfter', when: { recipient: customer(2) } },
			{ what: 'status', status: 401, when: { recipient: customer(0), nth: 2 } },
		]);
		const spec = { tries: 2, onError: MODES[1], ...ONE_BY_ONE };
		const execution = await engine.run(toSend(spec), customers(4));
		expect(execution.deliveries()).toEqual(['rejected', 'accepted', 'uncertain', 'accepted']);
		expect(engine.deliveries(4)).toEqual([0, 1, 1, 1]);
	});

	it.each(['Quota low', '', 0, null, false, { code: 0 }])(
		'an accepted record whose own field error is %j is sent once, and comes out as it was',
		async (error) => {
			const body = { id: 'm', function_name: 'f', status: 's', error } as unknown as IDataObject;
			engine.sandbox.faults.set([{ what: 'status', status: 200, accepted: true, body }]);
			for (const onError of MODES) {
				engine.ledger.clear();
				const execution = await engine.run(toSend({ tries: 3, onError }), customers(3));
				expect(engine.deliveries(3)).toEqual([1, 1, 1]);
				const output = [...execution.json(), ...execution.json(0, FAILED)];
				expect(output).toMatchObject([body, body, body]);
			}
		},
	);
});

describe('Retry from the list of executions', () => {
	it.each(
		POSITIONS.flatMap((position) => ['original', 'current'].map((which) => [position, which])),
	)(
		'item %d had failed, %s workflow: the rest is sent, no customer twice',
		async (position, which) => {
			const failed = await failedAt(Number(position), { options: { maxConcurrency: 2 } });
			const changed = toSend({ parameters: { text: '=Changed: {{ $json.text }}' } });
			const retried = await failed.retry(which === 'current' ? changed : undefined);
			expect(retried.status).toBe('success');
			expect(engine.deliveries(COUNT)).toEqual(each(1));
			expect(retried.recipients()).toEqual(all());
			const pairs = retried.items().map(({ pairedItem }) => pairedItem);
			expect(pairs).toEqual(customers(COUNT).map((_, item) => ({ item })));
			expect(retried.remembered()).toEqual({});
		},
	);

	it('with another operation: all of it is sent, and what the first one sent is kept', async () => {
		const failed = await failedAt(6);
		engine.sandbox.faults.set([rejects(6)]);
		const attachmentUrl = 'https://example.com/a.pdf';
		const parameters = { operation: 'sendAttachment', attachmentType: 'document', attachmentUrl };
		const other = await failed.retry(toSend({ parameters, ...ONE_BY_ONE }));
		expect(engine.deliveries(COUNT)).toEqual([2, 2, 2, 2, 2, 2, 0]);
		engine.sandbox.faults.clear();
		expect((await other.retry(toSend())).status).toBe('success');
		expect(engine.deliveries(COUNT)).toEqual([2, 2, 2, 2, 2, 2, 1]);
	});

	it('clicked twice on the same execution: the second one sends only what the first one did not', async () => {
		const failed = await failedAt(2);
		expect(engine.deliveries(COUNT)).toEqual([1, 1, 0, 0, 0, 0, 0]);
		engine.sandbox.faults.set([rejects(5)]);
		expect((await failed.retry()).status).toBe('error');
		expect(engine.deliveries(COUNT)).toEqual([1, 1, 1, 1, 1, 0, 0]);
		engine.sandbox.faults.clear();
		const second = await failed.retry();
		expect(second.status).toBe('success');
		expect(engine.deliveries(COUNT)).toEqual(each(1));
		const skipped = { skipped: true, reason: 'alreadySent', recipient: customer(3) };
		expect(second.json()[3]).toEqual(skipped);
	});

	it('again and again, each time a little further', async () => {
		engine.sandbox.faults.set([rejects(2, 2), rejects(5, 2)]);
		let execution = await engine.run(toSend({ tries: 2, ...ONE_BY_ONE }), customers(COUNT));
		expect(requestsTo(2)).toBe(2);
		execution = await execution.retry();
		expect(requestsTo(5)).toBe(2);
		execution = await execution.retry(toSend());
		expect(engine.deliveries(COUNT)).toEqual(each(1));
		expect(execution.recipients()).toEqual(all());
	});

	it("doesn't resend what is uncertain, until the user chooses to resend", async () => {
		engine.sandbox.faults.set([{ what: 'cutAfter', when: { recipient: customer(2), nth: 1 } }]);
		const failed = await engine.run(toSend(), customers(COUNT));
		const again = await failed.retry();
		expect(again.words).toContain("wasn't sent again");
		expect(again.words).toContain('6 of 7 messages accepted, 1 uncertain');
		expect(engine.deliveries(COUNT)).toEqual(each(1));
		const chosen = await again.retry(toSend({ safeguards: { onUncertainDelivery: 'resend' } }));
		expect(engine.deliveries(COUNT)).toEqual([1, 1, 2, 1, 1, 1, 1]);
		expect(chosen.recipients()).toEqual(all());
	});

	it('after a later node failed: this node has done its work and is not run again', async () => {
		failing.times = 1;
		const failed = await engine.run(toSend({}, [node('Later', 'test.fail')]), customers(COUNT));
		const retried = await failed.retry();
		expect(retried.recipients('Later')).toEqual(all());
		expect(engine.deliveries(COUNT)).toEqual(each(1));
	});

	it('each batch of a loop has tries of its own', async () => {
		engine.sandbox.faults.set([rejects(1, 1), rejects(3, 2), rejects(5, 3)]);
		const failed = await engine.run(looped({ tries: 3, ...ONE_BY_ONE }, 2), customers(COUNT));
		expect(failed.runs()).toHaveLength(3);
		expect(engine.deliveries(COUNT)).toEqual([1, 1, 1, 1, 1, 0, 0]);
		const retried = await failed.retry();
		expect(retried.runs()).toHaveLength(4);
		expect(engine.deliveries(COUNT)).toEqual(each(1));
		expect(retried.recipients('Done')).toEqual(all());
		expect(retried.remembered()).toEqual({});
	});
});

describe('a list is sent as often as it is asked for', () => {
	const start = node('Start', 'test.start');
	const spec = { tries: 3, parameters: { customerId: '={{ 1000 + $itemIndex }}', text: 'Hi' } };
	const branch = node('Branch', 'test.pass');
	const call = (name: string) => node(name, 'test.call', { parameters: { workflow: 'called' } });

	it.each<[string, IWorkflowBase]>([
		['by two nodes', workflow([start, sending(spec), sending({ ...spec, name: 'Second' })])],
		[
			'by one node that runs twice',
			workflow([start, sending(spec), branch], {
				Start: { main: [[to({ name: NODE }), to(branch)]] },
				Branch: { main: [[to({ name: NODE })]] },
				[NODE]: { main: [[]] },
			}),
		],
		['by two calls of a workflow', workflow([start, call('Call'), call('Call again')])],
	])('%s', async (_, flow) => {
		engine.subWorkflows.set('called', toSend(spec));
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: [3, 5, 13] } }]);
		expect((await engine.run(flow, customers(COUNT))).status).toBe('success');
		expect(engine.deliveries(COUNT)).toEqual(each(2));
	});
});

describe('the stored execution', () => {
	it('carries the records once after a success, however many there are', async () => {
		const execution = await engine.run(toSend({ tries: 2 }), customers(300));
		expect(execution.remembered()).toEqual({});
		const [{ id }] = execution.json();
		expect(JSON.stringify(execution.run.data).split(String(id))).toHaveLength(2);
	});

	it('remembers after a failure what a retry must not send again, and no more', async () => {
		const { run0 } = (await failedAt(2)).remembered();
		expect(Object.keys(run0 as IDataObject)).toEqual(['0', '1']);
	});
});
