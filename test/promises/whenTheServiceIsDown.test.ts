/** `docs/promises.md`, "When the service is down": each sentence, by what the sandbox received. */
import type { IDataObject } from 'n8n-workflow';

import { engine } from './help';
import type { Sending } from '../engine/workflows';
import { CONTINUE, customers, looped } from '../engine/workflows';
import type { FaultRule } from '../../sandbox/index.cts';

const DOWN: Array<[how: string, FaultRule]> = [
	['503 without a time to wait', { what: 'status', status: 503 }],
	['a broken connection', { what: 'cutAfter' }],
];
/** The service fails from this request on, counted from 1. */
const failsFrom = (nth: number, what: 'hang' | 'status' = 'status'): FaultRule => {
	const when = { nth: Array.from({ length: 1000 }, (_, index) => index + nth) };
	return what === 'hang' ? { what, when } : { what, status: 500, when };
};

const KEY: Sending = { safeguards: { sendOnceKey: '={{ $json.customer }}' } };
const inParallel = (maxConcurrency: number): Sending => ({ options: { maxConcurrency } });
/** Whatever fails, the list is sent to its end. */
const TO_THE_END: Sending = { safeguards: { stopAfterFailures: 0 } };

/** For a machine that does much else at the same time. */
const LONG_LIST_MS = 120_000;

/** Whoever was requested may have a message, or as many as there were requests. */
function requested() {
	const all = engine.received();
	const customersInDoubt = new Set(all).size;
	return { customersInDoubt, requestsForEach: all.length / customersInDoubt };
}

const count = (ends: string[], end: string) => ends.filter((each) => each === end).length;

describe(
	'The first message of an execution goes alone: ' + 'the others wait until one is accepted.',
	() => {
		it('while the first five are rejected, one request is in flight at a time', async () => {
			engine.faults(
				{ what: 'status', status: 400, when: { first: 5 } },
				{ what: 'latency', ms: 20 },
			);
			await engine.send({ ...CONTINUE, ...inParallel(8) }, customers(5));
			expect(engine.ledger.maxInFlight).toBe(1);
		});

		it('once one is accepted, the others go in parallel', async () => {
			// Long enough to start all of them on a busy machine.
			engine.faults({ what: 'latency', ms: 700 });
			await engine.send(inParallel(8), customers(12));
			expect(engine.ledger.maxInFlight).toBe(8);
		});

		it.each(DOWN)(
			'a service that is down, with Stop Workflow: one is in doubt (%s)',
			async (_, rule) => {
				engine.faults(rule);
				const execution = await engine.send({}, customers(60));
				expect(execution.status).toBe('error');
				expect(requested()).toEqual({ customersInDoubt: 1, requestsForEach: 1 });
			},
		);
	},
);

describe(
	'While nothing has been accepted, the third uncertain message ends the step, ' +
		'and the rest is notAttempted (code serviceDown).',
	() => {
		it.each(DOWN)('of 60 messages, three are in doubt: %s', async (_, rule) => {
			engine.faults(rule);
			const execution = await engine.send(CONTINUE, customers(60));
			const ends = execution.deliveries();
			expect([count(ends, 'uncertain'), count(ends, 'notAttempted')]).toEqual([3, 57]);
			expect(requested()).toEqual({ customersInDoubt: 3, requestsForEach: 1 });
			const { details } = execution.json().at(-1) as { details: IDataObject };
			expect(details.code).toBe('serviceDown');
		});

		it.each(DOWN)('with keys, the next execution sends the rest: %s', async (_, rule) => {
			engine.faults(rule);
			await engine.send({ ...CONTINUE, ...KEY }, customers(20));
			engine.faults();
			engine.ledger.clear();
			const next = await engine.send({ ...CONTINUE, ...KEY }, customers(20));
			expect(count(next.deliveries(), 'uncertain')).toBe(3);
			expect(engine.accepted()).toHaveLength(17);
		});

		it.each([3, 10])('with keys and %i in parallel, the first rows are tried', async (most) => {
			engine.faults({ what: 'status', status: 500 });
			await engine.send({ ...CONTINUE, ...KEY, ...inParallel(most) }, customers(30));
			const tried = engine.ledger.entries().map(({ recipient }) => recipient);
			expect(tried).toEqual(customers(3).map((row) => row.customer));
		});

		it('with keys, what was sent before is still told as sent', async () => {
			await engine.send(KEY, customers(3));
			engine.faults({ what: 'status', status: 503 });
			const rows = [...customers(6).slice(3), ...customers(3)];
			const next = await engine.send({ ...CONTINUE, ...KEY, ...inParallel(4) }, rows);
			const sentBefore = ['skipped', 'skipped', 'skipped'];
			expect(next.deliveries()).toEqual(['uncertain', 'uncertain', 'uncertain', ...sentBefore]);
		});

		it('what an earlier execution left uncertain does not count', async () => {
			engine.faults({ what: 'status', status: 500 });
			await engine.send({ ...CONTINUE, ...KEY }, customers(3));
			engine.faults();
			const next = await engine.send({ ...CONTINUE, ...KEY }, customers(10));
			const ends = next.deliveries();
			expect([count(ends, 'uncertain'), count(ends, 'notAttempted')]).toEqual([3, 0]);
		});

		it.each<[share: string, every: number, rows: number]>([
			['2 %', 50, 1000],
			['each tenth', 10, 300],
		])(
			'a service that accepts, and fails for %s, is not down',
			async (_, every, rows) => {
				engine.faults({ what: 'status', status: 500, when: { every } });
				const ends = (await engine.send(CONTINUE, customers(rows))).deliveries();
				const uncertain = rows / every;
				expect([count(ends, 'uncertain'), count(ends, 'notAttempted')]).toEqual([uncertain, 0]);
			},
			LONG_LIST_MS,
		);
	},
);

describe('In a loop, each later batch then tries one message.', () => {
	it.each<[batchSize: number, rows: number, requests: number]>([
		[1, 5, 5],
		// Three in the first two batches, and then one in each of the other eight.
		[2, 20, 3 + 8],
	])('in batches of %i', async (batchSize, rows, requests) => {
		engine.faults({ what: 'status', status: 500 });
		await engine.run(looped(CONTINUE, batchSize), customers(rows));
		expect(engine.received()).toHaveLength(requests);
	});
});

it('After an uncertain message, they go one by one until the next is accepted.', async () => {
	const nth = Array.from({ length: 20 }, (_, index) => index + 11);
	// A connection that breaks after a while.
	engine.faults({ what: 'hang', ms: 30, when: { nth } });
	await engine.send({ ...CONTINUE, ...TO_THE_END, ...inParallel(4) }, customers(100));
	const failed = engine.ledger.entries().filter(({ fault }) => fault === 'hang');
	expect(failed).toHaveLength(nth.length);

	// The first four were in flight together.
	const overlapping = failed.slice(4).filter(({ at }, index) => at < failed[index + 3].endedAt!);
	expect(overlapping).toEqual([]);
});

it(
	'In the middle of a list, ' + "up to 'Messages in Parallel' can become uncertain at once.",
	async () => {
		engine.faults(failsFrom(51, 'hang'));
		const spec = { ...CONTINUE, ...TO_THE_END, ...inParallel(10) };
		const execution = await engine.send(spec, customers(70));
		expect(engine.accepted()).toHaveLength(50);
		expect(count(execution.deliveries(), 'uncertain')).toBe(20);
		// Ten were in flight, and the others went one by one.
		const [first, ...others] = engine.ledger.entries().slice(50);
		const timeoutMs = 30_000;
		const atOnce = others.filter(({ at }) => at - first.at < timeoutMs);
		expect(1 + atOnce.length).toBe(10);
	},
);
