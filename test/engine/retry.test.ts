import type { IDataObject, OnError } from 'n8n-workflow';

import { useEngine } from './engine';
import { failing } from './nodeTypes';
import type { FaultRule } from '../../sandbox/index.cts';
import { startSandbox } from '../../sandbox/index.cts';
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
const positions = { first: 0, middle: 3, last: COUNT - 1 };
const modes: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];

/** How often each customer was sent a message. */
const deliveries = (count = COUNT) =>
	Array.from(
		{ length: count },
		(_, index) => engine.ledger.deliveriesByRecipient().get(customer(index)) ?? 0,
	);

const once = (count = COUNT) => Array.from({ length: count }, () => 1);

/** Who each output item is about, as the service's records say. */
const recipients = (items: IDataObject[]) =>
	items.map(({ extra }) => String((extra as { customer_id?: number } | undefined)?.customer_id));

const all = (count = COUNT) => Array.from({ length: count }, (_, index) => customer(index));

const requestsTo = (which: number) =>
	engine.ledger.entries().filter(({ recipient }) => recipient === customer(which)).length;

describe('Retry On Fail', () => {
	const matrix = [2, 3, 4, 5].flatMap((tries) =>
		modes.flatMap((onError) =>
			Object.entries(positions).map(([name, position]) => ({ tries, onError, name, position })),
		),
	);

	it.each(matrix)(
		'$tries tries, $onError, the $name item is rejected: no customer gets it twice',
		async ({ tries, onError, position }) => {
			const nth = Array.from({ length: tries - 1 }, (_, index) => index + 1);
			const when = { recipient: customer(position), nth };
			engine.sandbox.faults.set([{ what: 'status', status: 400, when }]);
			const execution = await engine.run(
				toSend({ tries, onError, options: { maxConcurrency: 3 } }),
				customers(COUNT),
			);
			expect(execution.status).toBe('success');
			expect(engine.ledger.duplicates()).toEqual([]);

			// In continue mode n8n runs a node again only when the first item of its output has failed.
			const isRetried = onError === 'stopWorkflow' || position === 0;
			if (isRetried) {
				expect(deliveries()).toEqual(once());
				expect(recipients(execution.json())).toEqual(all());
				expect(requestsTo(position)).toBe(tries);
			} else {
				expect(deliveries()).toEqual(once().map((one, index) => (index === position ? 0 : one)));
				expect(requestsTo(position)).toBe(1);
				const failed =
					onError === 'continueErrorOutput'
						? execution.json(0, FAILED)
						: [execution.json()[position]];
				expect(failed).toHaveLength(1);
				expect(failed[0]).toHaveProperty('details.delivery', 'rejected');
			}
			expect(execution.remembered()).toEqual({});
		},
	);

	it.each(modes.flatMap((onError) => Object.values(positions).map((at) => [onError, at] as const)))(
		"%s, item %d is uncertain: it isn't resent, the others get theirs",
		async (onError, position) => {
			engine.sandbox.faults.set([{ what: 'cutAfter', when: { recipient: customer(position) } }]);
			const execution = await engine.run(toSend({ tries: 4, onError }), customers(COUNT));
			expect(deliveries()).toEqual(once());
			expect(requestsTo(position)).toBe(1);
			if (onError === 'stopWorkflow') {
				expect(execution.status).toBe('error');
				expect(execution.words).toContain(
					`6 of 7 messages accepted, 1 uncertain. Uncertain: item ${position} (n8n counts items from 0).`,
				);
				expect(execution.error).toMatchObject({ context: { itemIndex: position } });
			} else {
				expect(execution.status).toBe('success');
				const [failed] =
					onError === 'continueErrorOutput'
						? execution.json(0, FAILED)
						: [execution.json()[position]];
				expect(failed).toHaveProperty('details.delivery', 'uncertain');
			}
		},
	);

	it('what is uncertain does not hold the others back, with one at a time too', async () => {
		engine.sandbox.faults.set([
			{ what: 'cutBefore', when: { recipient: [customer(1), customer(4)] } },
		]);
		const execution = await engine.run(
			toSend({ tries: 5, options: { maxConcurrency: 1 } }),
			customers(COUNT),
		);
		expect(deliveries()).toEqual([1, 0, 1, 1, 0, 1, 1]);
		expect([requestsTo(1), requestsTo(4)]).toEqual([1, 1]);
		expect(execution.words).toContain('Uncertain: items 1, 4 (n8n counts items from 0).');
	});

	it('resend: what is uncertain goes again, by the choice of the user', async () => {
		const when = { recipient: customer(3), nth: [1, 2] };
		engine.sandbox.faults.set([{ what: 'cutAfter', when }]);
		const execution = await engine.run(
			toSend({ tries: 3, safeguards: { onUncertainDelivery: 'resend' } }),
			customers(COUNT),
		);
		expect(execution.status).toBe('success');
		expect(deliveries()).toEqual([1, 1, 1, 3, 1, 1, 1]);
		expect(recipients(execution.json())).toEqual(all());
	});

	it('resend: a rejection of the second request does not make the first one certain', async () => {
		engine.sandbox.faults.set([
			{ what: 'cutAfter', when: { nth: 1 } },
			{ what: 'status', status: 400 },
		]);
		const execution = await engine.run(
			toSend({ tries: 2, safeguards: { onUncertainDelivery: 'resend' } }),
			customers(1),
		);
		expect(execution.error?.message).toContain('An earlier try may have sent this message');
		expect(execution.words).not.toContain('Nothing was sent to this customer: ');
		expect(engine.ledger.accepted()).toHaveLength(1);
	});

	it('what an earlier try has sent is told as sent, when this try ends before its turn', async () => {
		engine.sandbox.faults.set([
			{ what: 'status', status: 400, when: { nth: 1 } },
			{ what: 'cutAfter', when: { recipient: customer(2) } },
			{ what: 'status', status: 401, when: { recipient: customer(0), nth: 2 } },
		]);
		const options = { maxConcurrency: 1 };
		const execution = await engine.run(
			toSend({ tries: 2, onError: 'continueRegularOutput', options }),
			customers(4),
		);
		const states = execution
			.json()
			.map(({ details }) => (details as IDataObject | undefined)?.delivery ?? 'accepted');
		expect(states).toEqual(['rejected', 'accepted', 'uncertain', 'accepted']);
		expect(deliveries(4)).toEqual([0, 1, 1, 1]);
	});

	it('the same customer twice in the list: both messages, each once', async () => {
		const items = [0, 1, 2, 3].map((index) => ({ customer: '7', text: `text ${index}` }));
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: [3] } }]);
		const execution = await engine.run(toSend({ tries: 2 }), items);
		expect(execution.status).toBe('success');
		expect(engine.ledger.accepted().map(({ body }) => body.text)).toEqual(
			items.map(({ text }) => text),
		);
	});

	const errors = ['Quota low', '', 0, null, false, { code: 0 }];
	it.each(errors)('an accepted record whose own field error is %j is sent once', async (error) => {
		const record = { id: 'm', function_name: 'f', status: 's', error } as unknown as IDataObject;
		engine.sandbox.faults.set([{ what: 'status', status: 200, accepted: true, body: record }]);
		for (const onError of modes) {
			engine.ledger.clear();
			const execution = await engine.run(toSend({ tries: 3, onError }), customers(3));
			expect(deliveries(3)).toEqual(once(3));
			expect([...execution.json(), ...execution.json(0, FAILED)]).toHaveLength(3);
		}
	});

	it("repeats the service's words about an uncertain message", async () => {
		const body = { error: 'Wallet empty', code: 'W-9' };
		engine.sandbox.faults.set([{ what: 'status', status: 500, body, when: { nth: 1 } }]);
		const execution = await engine.run(
			toSend({ tries: 2, onError: 'continueRegularOutput' }),
			customers(1),
		);
		expect(execution.json()[0].error).toContain("wasn't sent again");
		expect(execution.json()[0].error).toContain('Wallet empty, code W-9');
		expect(execution.json()[0]).toMatchObject({ details: { statusCode: 500, code: 'W-9' } });
		expect(engine.ledger.entries()).toHaveLength(1);
	});

	it('gives out the very records of the first try', async () => {
		const record = (id: string) => ({ id, function_name: 'f', status: 's', own: { field: [id] } });
		engine.sandbox.faults.set([
			...['1000', '1001'].map((recipient) => ({
				what: 'status' as const,
				status: 200,
				accepted: true,
				body: record(`first of ${recipient}`),
				when: { recipient },
			})),
			{ what: 'status', status: 400, when: { recipient: '1002', nth: 1 } },
		]);
		const execution = await engine.run(toSend({ tries: 2, options: { maxConcurrency: 1 } }), [
			...customers(3),
		]);
		expect(execution.json().slice(0, 2)).toEqual([
			record('first of 1000'),
			record('first of 1001'),
		]);
		expect(engine.ledger.summary().accepted).toBe(3);
	});
});

describe('Retry from the list of executions', () => {
	it.each(
		Object.values(positions).flatMap((at) => [
			[at, 'original'],
			[at, 'current'],
		]),
	)('item %d had failed, %s workflow: the rest is sent, no customer twice', async (at, which) => {
		engine.sandbox.faults.set([
			{ what: 'status', status: 400, when: { recipient: customer(Number(at)) } },
		]);
		const failed = await engine.run(toSend({ options: { maxConcurrency: 2 } }), customers(COUNT));
		expect(failed.status).toBe('error');
		engine.sandbox.faults.clear();
		const changed = toSend({ parameters: { text: '=Changed: {{ $json.text }}' } });
		const retried = await failed.retry(which === 'current' ? changed : undefined);
		expect(retried.status).toBe('success');
		expect(deliveries()).toEqual(once());
		expect(recipients(retried.json())).toEqual(all());
		expect(retried.items().map(({ pairedItem }) => pairedItem)).toEqual(
			once().map((_, item) => ({ item })),
		);
		expect(retried.remembered()).toEqual({});
	});

	it('with the credential pointed at another service: all of it is sent there', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { recipient: customer(3) } }]);
		const failed = await engine.run(toSend({ options: { maxConcurrency: 1 } }), customers(5));
		expect(deliveries(5)).toEqual([1, 1, 1, 0, 0]);
		const other = await startSandbox();
		try {
			engine.useCredential({ baseUrl: other.url });
			expect((await failed.retry()).status).toBe('success');
			expect(other.ledger.accepted()).toHaveLength(5);
			expect(other.ledger.duplicates()).toEqual([]);
		} finally {
			await other.stop();
		}
	});

	it('with another operation: all of it is sent, and what the first one sent is kept', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { recipient: customer(4) } }]);
		const failed = await engine.run(toSend({ options: { maxConcurrency: 1 } }), customers(5));
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { recipient: customer(4) } }]);
		const parameters = {
			operation: 'sendAttachment',
			attachmentType: 'document',
			attachmentUrl: 'https://example.com/a.pdf',
		};
		const other = await failed.retry(toSend({ parameters, options: { maxConcurrency: 1 } }));
		expect(other.status).toBe('error');
		expect(deliveries(5)).toEqual([2, 2, 2, 2, 0]);
		engine.sandbox.faults.clear();
		expect((await other.retry(toSend())).status).toBe('success');
		expect(deliveries(5)).toEqual([2, 2, 2, 2, 1]);
	});

	it('clicked twice on the same execution: the second one sends only what the first one did not', async () => {
		const fault = (which: number): FaultRule[] => [
			{ what: 'status', status: 400, when: { recipient: customer(which) } },
		];
		const options = { maxConcurrency: 1 };
		engine.sandbox.faults.set(fault(2));
		const failed = await engine.run(toSend({ options }), customers(6));
		expect(deliveries(6)).toEqual([1, 1, 0, 0, 0, 0]);
		engine.sandbox.faults.set(fault(5));
		expect((await failed.retry()).status).toBe('error');
		expect(deliveries(6)).toEqual([1, 1, 1, 1, 1, 0]);
		engine.sandbox.faults.clear();
		const second = await failed.retry();
		expect(second.status).toBe('success');
		expect(deliveries(6)).toEqual(once(6));
		expect(second.json()).toHaveLength(6);
		expect(second.json()[3]).toEqual({
			skipped: true,
			reason: 'alreadySent',
			recipient: customer(3),
		});
	});

	it('with other words: they are not sent to those who got the first ones, and a hint says so', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { recipient: customer(2) } }]);
		const failed = await engine.run(toSend({ options: { maxConcurrency: 1 } }), customers(4));
		engine.sandbox.faults.clear();
		const retried = await failed.retry(toSend({ parameters: { text: 'Changed' } }));
		expect(retried.status).toBe('success');
		expect(deliveries(4)).toEqual(once(4));
		expect(retried.hints().map(({ message }) => message)).toEqual([
			expect.stringContaining('The content of items 0, 1 (n8n counts items from 0) changed'),
		]);
	});

	it("an item that can't be read any more keeps the record of what was sent for it", async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { recipient: customer(2) } }]);
		const failed = await engine.run(toSend({ options: { maxConcurrency: 1 } }), customers(3));
		engine.sandbox.faults.clear();
		const parameters = { text: '={{ $itemIndex < 2 ? "" : "Hi" }}' };
		const retried = await failed.retry(toSend({ parameters }));
		expect(retried.status).toBe('success');
		expect(recipients(retried.json())).toEqual(all(3));
		const unreadable = await failed.retry(toSend({ parameters: { text: '={{ "" }}' } }));
		expect(unreadable.words).toContain('an earlier try sent 2 messages');
		expect(deliveries(3)).toEqual(once(3));
	});

	it('again and again, each time a little further', async () => {
		const when = (which: number, first: number) => ({ recipient: customer(which), first });
		engine.sandbox.faults.set([
			{ what: 'status', status: 400, when: when(2, 2) },
			{ what: 'status', status: 400, when: when(5, 2) },
		]);
		let execution = await engine.run(
			toSend({ tries: 2, options: { maxConcurrency: 1 } }),
			customers(COUNT),
		);
		// Two tries at item 2 were rejected.
		expect(execution.status).toBe('error');
		expect(requestsTo(2)).toBe(2);
		execution = await execution.retry();
		expect(requestsTo(5)).toBe(2);
		expect(execution.status).toBe('error');
		execution = await execution.retry(toSend());
		expect(execution.status).toBe('success');
		expect(deliveries()).toEqual(once());
		expect(recipients(execution.json())).toEqual(all());
	});

	it("doesn't resend what is uncertain, until the user chooses to resend", async () => {
		engine.sandbox.faults.set([{ what: 'cutAfter', when: { recipient: customer(2), nth: 1 } }]);
		const failed = await engine.run(toSend(), customers(COUNT));
		expect(failed.words).toContain(`1 uncertain`);
		const again = await failed.retry();
		expect(again.status).toBe('error');
		expect(again.words).toContain('6 of 7 messages accepted, 1 uncertain');
		expect(again.words).toContain("wasn't sent again");
		expect(deliveries()).toEqual(once());
		const chosen = await again.retry(toSend({ safeguards: { onUncertainDelivery: 'resend' } }));
		expect(chosen.status).toBe('success');
		expect(deliveries()).toEqual([1, 1, 2, 1, 1, 1, 1]);
		expect(recipients(chosen.json())).toEqual(all());
	});

	it('after a run that a bad key ended', async () => {
		engine.useCredential({ apiKey: 'wrong' });
		const failed = await engine.run(toSend(), customers(COUNT));
		expect(failed.status).toBe('error');
		expect(deliveries()).toEqual(once().map(() => 0));
		engine.useCredential();
		expect((await failed.retry()).status).toBe('success');
		expect(deliveries()).toEqual(once());
	});

	it('after a later node failed: this node has done its work and is not run again', async () => {
		failing.times = 1;
		const flow = toSend({}, [node('Later', 'test.fail')]);
		const failed = await engine.run(flow, customers(COUNT));
		expect(failed.status).toBe('error');
		const retried = await failed.retry();
		expect(retried.status).toBe('success');
		expect(recipients(retried.json(0, 'Later'))).toEqual(all());
		expect(deliveries()).toEqual(once());
	});
});

describe('a run of its own', () => {
	it('each batch of a loop is one, with tries of its own', async () => {
		const flow = looped({ tries: 3, options: { maxConcurrency: 1 } }, 2);
		engine.sandbox.faults.set([
			{ what: 'status', status: 400, when: { recipient: customer(1), first: 1 } },
			{ what: 'status', status: 400, when: { recipient: customer(3), first: 2 } },
			{ what: 'status', status: 400, when: { recipient: customer(5), first: 3 } },
		]);
		const failed = await engine.run(flow, customers(COUNT));
		expect(failed.status).toBe('error');
		expect(failed.runs()).toHaveLength(3);
		expect(deliveries()).toEqual([1, 1, 1, 1, 1, 0, 0]);

		const retried = await failed.retry();
		expect(retried.status).toBe('success');
		expect(retried.runs()).toHaveLength(4);
		expect(deliveries()).toEqual(once());
		expect(recipients(retried.json(0, 'Done'))).toEqual(all());
		expect(retried.remembered()).toEqual({});
	});

	it('the same customers in every batch of a loop: each batch is sent', async () => {
		const flow = looped({ tries: 2 }, 2);
		const items = [...customers(2), ...customers(2), ...customers(2)];
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: [2, 5] } }]);
		const execution = await engine.run(flow, items);
		expect(execution.status).toBe('success');
		expect(deliveries(2)).toEqual([3, 3]);
	});

	it('two nodes in one workflow send the same list: each sends all of it', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: [3, 12] } }]);
		const first = sending({ tries: 3 });
		const second = sending({
			name: 'Second',
			tries: 3,
			parameters: { customerId: '={{ $json.c }}' },
		});
		const between = node('Between', 'test.read', { parameters: { value: '={{ $json.id }}' } });
		second.parameters.customerId = '={{ 1000 + $itemIndex }}';
		second.parameters.text = '={{ $json.value }}';
		const flow = workflow([node('Start', 'test.start'), first, between, second]);
		const execution = await engine.run(flow, customers(COUNT));
		expect(execution.status).toBe('success');
		expect(deliveries()).toEqual(once().map(() => 2));
		expect(recipients(execution.json(0, 'Second'))).toEqual(all());
		expect(engine.ledger.duplicates()).toEqual([]);
	});

	it('the node runs twice in one execution: both lists are sent, equal as they are', async () => {
		const start = node('Start', 'test.start');
		const branch = node('Branch', 'test.pass', { position: [0, 100] });
		const flow = workflow([start, sending({ tries: 3 }), branch], {
			Start: { main: [[to({ name: NODE }), to(branch)]] },
			Branch: { main: [[to({ name: NODE })]] },
			[NODE]: { main: [[]] },
		});
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: [4, 11] } }]);
		const execution = await engine.run(flow, customers(COUNT));
		expect(execution.status).toBe('success');
		expect(execution.runs()).toHaveLength(2);
		expect(deliveries()).toEqual(once().map(() => 2));
	});

	it('a called workflow has tries of its own, and so has each of its calls', async () => {
		const flow = workflow([
			node('Start', 'test.start'),
			node('Call', 'test.call', { parameters: { workflow: 'called' } }),
			node('Call again', 'test.call', { parameters: { workflow: 'called' } }),
		]);
		// The second call gets the records of the first: it needs the customers again.
		engine.subWorkflows.set(
			'called',
			toSend({
				tries: 3,
				parameters: {
					customerId: '={{ $json.customer ?? $json.extra.customer_id }}',
					text: 'Hello',
				},
			}),
		);
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: [3, 5, 13] } }]);
		const execution = await engine.run(flow, customers(COUNT));
		expect(execution.status).toBe('success');
		expect(deliveries()).toEqual(once().map(() => 2));
		expect(recipients(execution.json(0, 'Call again'))).toEqual(all());
	});

	it('a later execution sends the same list again', async () => {
		const flow = toSend({ tries: 2 });
		await engine.run(flow, customers(COUNT));
		await engine.run(flow, customers(COUNT));
		expect(deliveries()).toEqual(once().map(() => 2));
	});
});

describe('the stored execution', () => {
	it('carries the records once after a success, however many there are', async () => {
		const execution = await engine.run(toSend({ tries: 2 }), customers(300));
		expect(execution.remembered()).toEqual({});
		expect(execution.stored().match(/Text message sent/g)?.length).toBeLessThanOrEqual(300);
		const [{ id }] = execution.json();
		expect(JSON.stringify(execution.run.data).split(String(id))).toHaveLength(2);
	});

	it('forgets after a success that needed a second try', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 3 } }]);
		const execution = await engine.run(toSend({ tries: 2 }), customers(COUNT));
		expect(execution.status).toBe('success');
		expect(execution.remembered()).toEqual({});
	});

	it('keeps nothing in continue mode unless n8n will run the node again', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 400, when: { recipient: customer(0) } }]);
		const spec = { onError: 'continueRegularOutput' } as const;
		expect((await engine.run(toSend(spec), customers(COUNT))).remembered()).toEqual({});
	});

	it('remembers after a failure what a retry must not send again, and no more', async () => {
		engine.sandbox.faults.set([
			{ what: 'status', status: 400, when: { recipient: customer(2) } },
			{ what: 'latency', ms: 30 },
		]);
		const execution = await engine.run(
			toSend({ options: { maxConcurrency: 3 } }),
			customers(COUNT),
		);
		const { run0 } = execution.remembered();
		expect(Object.keys(run0 as IDataObject)).toEqual(['0', '1']);
	});
});
