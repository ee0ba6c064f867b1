/** A service that is down leaves few messages in doubt, and one that mostly works ends no campaign. */
import type { IDataObject } from 'n8n-workflow';

import { engine } from './help';
import { CONTINUE, customers, looped, toSend } from '../engine/workflows';
import type { FaultRule } from '../../sandbox/index.cts';

const DOWN: Array<[what: string, FaultRule]> = [
	['503 without a time to wait', { what: 'status', status: 503 }],
	['a broken connection', { what: 'cutAfter' }],
];

describe.each(DOWN)('a service that is down from the start: %s', (_, rule) => {
	it('in stop mode, one message is in doubt, and the step stops', async () => {
		engine.faults(rule);
		const execution = await engine.run(toSend(), customers(60));
		expect(execution.status).toBe('error');
		expect(engine.received()).toHaveLength(1);
	});

	it('in continue mode, three messages are in doubt, and the others are not attempted', async () => {
		engine.faults(rule);
		const execution = await engine.run(toSend(CONTINUE), customers(60));
		const ends = execution.deliveries();
		expect(ends.filter((end) => end === 'uncertain')).toHaveLength(3);
		expect(ends.filter((end) => end === 'notAttempted')).toHaveLength(57);
		expect(engine.received()).toHaveLength(3);
		const { details } = execution.json().at(-1) as { details: IDataObject };
		expect(details.code).toBe('serviceDown');
	});

	it('with a send-once key, the next execution sends what was not attempted', async () => {
		const spec = { ...CONTINUE, safeguards: { sendOnceKey: '={{ $json.customer }}' } };
		engine.faults(rule);
		await engine.run(toSend(spec), customers(20));
		engine.faults();
		engine.ledger.clear();
		const next = await engine.run(toSend(spec), customers(20));
		const ends = next.deliveries();
		expect(ends.filter((end) => end === 'uncertain')).toHaveLength(3);
		expect(engine.accepted()).toHaveLength(17);
	});
});

it('one that dies after 50 messages: at most those in flight are in doubt, and then one at a time', async () => {
	const nth = Array.from({ length: 950 }, (_, index) => index + 51);
	engine.faults({ what: 'status', status: 500, when: { nth } });
	const spec = { ...CONTINUE, options: { maxConcurrency: 10 } };
	const execution = await engine.run(toSend(spec), customers(300));
	const inDoubt = execution.deliveries().filter((end) => end === 'uncertain').length;
	// Stop After Failures ends it after 25 in a row.
	expect(inDoubt).toBeLessThanOrEqual(25 + 10);
	expect(engine.accepted()).toHaveLength(50);
});

it('one that fails for 2 % of 2,000 messages ends no campaign', async () => {
	engine.faults({ what: 'status', status: 500, when: { every: 50 } });
	const execution = await engine.run(toSend(CONTINUE), customers(2000));
	const ends = execution.deliveries();
	expect(ends.filter((end) => end === 'uncertain')).toHaveLength(40);
	expect(ends).not.toContain('notAttempted');
});

it('one that fails for each tenth message, none of the first three, ends no campaign', async () => {
	engine.faults({ what: 'status', status: 500, when: { every: 10 } });
	const execution = await engine.run(toSend(CONTINUE), customers(500));
	expect(execution.deliveries()).not.toContain('notAttempted');
});

it('what an earlier execution left uncertain is no evidence that the service is down', async () => {
	const spec = { ...CONTINUE, safeguards: { sendOnceKey: '={{ $json.customer }}' } };
	engine.faults({ what: 'status', status: 500 });
	await engine.run(toSend(spec), customers(3));
	engine.faults();
	const execution = await engine.run(toSend(spec), customers(10));
	const ends = execution.deliveries();
	expect(ends.filter((end) => end === 'uncertain')).toHaveLength(3);
	expect(ends).not.toContain('notAttempted');
});

it('a loop with batches of one tries one message in each run', async () => {
	engine.faults({ what: 'status', status: 500 });
	await engine.run(looped(CONTINUE, 1), customers(5));
	expect(engine.received()).toHaveLength(5);
});

it('a loop with batches of two: once three are in doubt, each run tries one', async () => {
	engine.faults({ what: 'status', status: 500 });
	await engine.run(looped(CONTINUE, 2), customers(20));
	expect(engine.received()).toHaveLength(3 + 8);
});

it('until one is accepted, one request is in flight at a time', async () => {
	engine.faults({ what: 'status', status: 400, when: { first: 5 } }, { what: 'latency', ms: 20 });
	const spec = { ...CONTINUE, options: { maxConcurrency: 8 } };
	await engine.run(toSend(spec), customers(5));
	expect(engine.ledger.maxInFlight).toBe(1);
});
