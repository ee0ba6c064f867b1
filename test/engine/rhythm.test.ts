import type { IDataObject } from 'n8n-workflow';

import { useEngine } from './engine';
import { customer, customers, toSend } from './workflows';

const engine = useEngine({ latency: 5 });

/** The most starts that any window of so many milliseconds holds. */
function mostWithin(milliseconds: number, starts: number[]): number {
	let most = 0;
	let first = 0;
	starts.forEach((start, index) => {
		while (start - starts[first] >= milliseconds) first++;
		most = Math.max(most, index - first + 1);
	});
	return most;
}

/** Requests of one burst come close together; a pause lies between two bursts. */
function bursts(starts: number[], pause = 300): number[] {
	const sizes: number[] = [];
	starts.forEach((start, index) => {
		if (index === 0 || start - starts[index - 1] > pause) sizes.push(0);
		sizes[sizes.length - 1]++;
	});
	return sizes;
}

const pauseAfterFirst = () => {
	const [first, second] = engine.ledger.starts();
	return second - first;
};

describe('messagesPerSecond', () => {
	it.each([
		[20, 50],
		[50, 100],
		[2.5, 5],
	])('%d keeps every window of a second at that', async (perSecond, count) => {
		// The very first request of a process takes its time, and would stretch the first step.
		await engine.run(toSend(), customers(3));
		engine.ledger.clear();
		const execution = await engine.run(
			toSend({ options: { messagesPerSecond: perSecond } }),
			customers(count),
		);
		expect(execution.status).toBe('success');
		const starts = engine.ledger.starts();
		expect(starts).toHaveLength(count);
		// Both ends of a window may touch a start, and a busy machine takes some requests there more slowly.
		expect(mostWithin(1000, starts)).toBeLessThanOrEqual(Math.ceil(perSecond * 1.05) + 2);
		const lasted = starts[count - 1] - starts[0];
		const ideal = ((count - 1) * 1000) / perSecond;
		expect(lasted).toBeGreaterThan(ideal - 150);
		expect(lasted).toBeLessThan(ideal * 2 + 500);
	});

	it('counts what is sent again too', async () => {
		engine.sandbox.faults.set([{ what: 'rateLimit', retryAfter: 0.05, when: { first: 8 } }]);
		await engine.run(toSend({ options: { messagesPerSecond: 20 } }), customers(16));
		expect(engine.ledger.summary()).toMatchObject({ received: 24, accepted: 16 });
		expect(mostWithin(1000, engine.ledger.starts())).toBeLessThanOrEqual(23);
	});
});

describe('a 429', () => {
	it.each<[string, object, number, number]>([
		['in seconds', { retryAfter: 1 }, 990, 1500],
		['in parts of a second', { retryAfter: 0.2 }, 990, 1700],
		['as a date', { retryAfter: 'date', inSeconds: 1 }, 950, 2500],
		['missing', {}, 990, 1700],
		['0', { retryAfter: 0 }, 990, 1700],
		['negative', { retryAfter: '-5' }, 990, 1700],
		['no number', { retryAfter: 'soon' }, 990, 1700],
		['a date that is over', { retryAfter: 'Wed, 21 Oct 2015 07:28:00 GMT' }, 990, 1700],
	])('with Retry-After %s: the message goes again', async (_, wait, least, most) => {
		engine.sandbox.faults.set([{ what: 'rateLimit', ...wait, when: { nth: 1 } }]);
		const execution = await engine.run(toSend(), customers(1));
		expect(execution.status).toBe('success');
		expect(execution.json()).toHaveLength(1);
		expect(engine.ledger.entries().map(({ status }) => status)).toEqual([429, 200]);
		expect(pauseAfterFirst()).toBeGreaterThanOrEqual(least);
		expect(pauseAfterFirst()).toBeLessThan(most);
	});

	it.each(['99999999', '1e9', 'Fri, 31 Dec 9999 23:59:59 GMT', '9'.repeat(400)])(
		'with the absurd Retry-After %s does not hold up the run',
		async (retryAfter) => {
			// Not a number that RFC 9110 knows is no wait at all: then the usual steps are taken, within the bound.
			engine.sandbox.faults.set([{ what: 'rateLimit', retryAfter }]);
			const execution = await engine.run(
				toSend({ options: { rateLimitWait: 0.5 }, onError: 'continueRegularOutput' }),
				customers(3),
			);
			for (const json of execution.json()) {
				expect(json.error).toContain("for longer than 'Rate Limit Wait (Seconds)'");
			}
			expect(engine.ledger.accepted()).toEqual([]);
		},
	);

	it.each<[string, object]>([
		['with Retry-After', { retryAfter: 1 }],
		['without Retry-After', {}],
	])('a burst of 50 that all get one %s: one pause, not fifty', async (_, wait) => {
		engine.sandbox.faults.set([
			{ what: 'rateLimit', ...wait, when: { first: 50 } },
			{ what: 'latency', ms: 30 },
		]);
		const execution = await engine.run(toSend({ options: { maxConcurrency: 50 } }), customers(80));
		expect(execution.status).toBe('success');
		const starts = engine.ledger.starts();
		expect(starts).toHaveLength(130);
		expect(bursts(starts)).toEqual([50, 80]);
		expect(starts[50] - starts[0]).toBeGreaterThan(900);
		expect(starts[50] - starts[0]).toBeLessThan(2000);
		expect(engine.ledger.duplicates()).toEqual([]);
		expect(engine.ledger.accepted()).toHaveLength(80);
	});

	it('pauses the whole pool, not only its own message', async () => {
		engine.sandbox.faults.set([
			{ what: 'rateLimit', retryAfter: 0.6, when: { recipient: customer(4), nth: 1 } },
		]);
		await engine.run(toSend({ options: { maxConcurrency: 2 } }), customers(20));
		const starts = engine.ledger.starts();
		expect(bursts(starts)).toHaveLength(2);
		expect(bursts(starts)[0]).toBeLessThanOrEqual(6);
		expect(engine.ledger.accepted()).toHaveLength(20);
	});

	it('is waited for as long as rateLimitWait says, and no longer', async () => {
		engine.sandbox.faults.set([{ what: 'rateLimit', retryAfter: 1 }]);
		const execution = await engine.run(
			toSend({ options: { rateLimitWait: 2.5 }, onError: 'continueRegularOutput' }),
			customers(1),
		);
		expect(engine.ledger.entries()).toHaveLength(3);
		expect(execution.json()[0]).toMatchObject({
			details: { delivery: 'rejected', statusCode: 429, itemIndex: 0 },
		});
	});

	it('with a rateLimitWait of 0 rejects at once', async () => {
		engine.sandbox.faults.set([{ what: 'rateLimit', retryAfter: 1 }]);
		const execution = await engine.run(toSend({ options: { rateLimitWait: 0 } }), customers(1));
		expect(execution.status).toBe('error');
		expect(engine.ledger.entries()).toHaveLength(1);
		expect(execution.error).toMatchObject({
			httpCode: '429',
			failure: { cause: 'rate-limited', retryAfterMs: 1000 },
		});
	});

	it('is met again and again by a service that lets 10 through in 300 ms', async () => {
		engine.sandbox.faults.set([{ what: 'limit', requests: 10, perMs: 300, retryAfter: 0.3 }]);
		const execution = await engine.run(toSend({ options: { maxConcurrency: 15 } }), customers(60));
		expect(execution.status).toBe('success');
		expect(execution.json()).toHaveLength(60);
		expect(engine.ledger.accepted()).toHaveLength(60);
		expect(engine.ledger.duplicates()).toEqual([]);
	});

	it('keeps the order of the messages to one recipient', async () => {
		const items = [0, 1, 2, 3].map((index) => ({ customer: '7', text: `text ${index}` }));
		engine.sandbox.faults.set([{ what: 'rateLimit', retryAfter: 0.1, when: { nth: [2, 3, 5] } }]);
		await engine.run(toSend(), items);
		expect(engine.ledger.accepted().map(({ body }) => body.text)).toEqual(
			items.map(({ text }) => text),
		);
	});
});

describe('a Retry-After that is longer than the wait', () => {
	it('rejects the messages that met it; those never requested are not attempted', async () => {
		engine.sandbox.faults.set([
			{ what: 'rateLimit', retryAfter: 3600, when: { recipient: [0, 1, 2].map(customer) } },
			{ what: 'latency', ms: 30 },
		]);
		const execution = await engine.run(
			toSend({ options: { maxConcurrency: 3 }, onError: 'continueRegularOutput' }),
			customers(60),
		);
		const states = execution.json().map(({ details }) => (details as IDataObject).delivery);
		expect(states.slice(0, 3)).toEqual(['rejected', 'rejected', 'rejected']);
		expect(new Set(states.slice(3))).toEqual(new Set(['notAttempted']));
		expect(engine.ledger.entries()).toHaveLength(3);
	});
});

describe('a 503', () => {
	it('with Retry-After is a rate limit', async () => {
		engine.sandbox.faults.set([{ what: 'unavailable', retryAfter: 0.3, when: { nth: 1 } }]);
		const execution = await engine.run(toSend(), customers(1));
		expect(execution.status).toBe('success');
		expect(engine.ledger.entries().map(({ status }) => status)).toEqual([503, 200]);
		expect(pauseAfterFirst()).toBeGreaterThanOrEqual(290);
	});

	it('without Retry-After is uncertain and not sent again', async () => {
		engine.sandbox.faults.set([{ what: 'unavailable' }]);
		const execution = await engine.run(toSend({ onError: 'continueRegularOutput' }), customers(1));
		expect(execution.json()[0]).toHaveProperty('details.delivery', 'uncertain');
		expect(engine.ledger.entries()).toHaveLength(1);
	});
});
