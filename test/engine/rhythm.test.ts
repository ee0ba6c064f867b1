import type { IDataObject } from 'n8n-workflow';

import { useEngine } from './engine';
import { customer, customers, toSend } from './workflows';

const engine = useEngine();

/** The most starts that any window of so many milliseconds holds. */
function mostWithin(milliseconds: number, starts: number[]): number {
	const within = (from: number) =>
		starts.filter((start) => start >= from && start < from + milliseconds).length;
	return Math.max(...starts.map(within));
}

/** How many requests started in the second after the first 429, which the service asked to wait for. */
function startedInThePause(): number {
	const ended = Number(engine.ledger.entries().find(({ status }) => status === 429)?.endedAt);
	return engine.ledger.starts().filter((start) => start > ended && start < ended + 990).length;
}

const deliveriesOf = (items: IDataObject[]) =>
	items.map(({ details }) => (details as IDataObject | undefined)?.delivery ?? 'accepted');

describe('Messages per Second', () => {
	it.each([
		[20, 50],
		[50, 100],
		[2.5, 5],
	])('%d keeps every window of a second at that', async (messagesPerSecond, count) => {
		const flow = toSend({ options: { messagesPerSecond } });
		expect((await engine.run(flow, customers(count))).status).toBe('success');
		const starts = engine.ledger.starts();
		expect(starts).toHaveLength(count);
		// Both ends of a window may touch a start, and a busy machine takes some requests there more slowly.
		expect(mostWithin(1000, starts)).toBeLessThanOrEqual(Math.ceil(messagesPerSecond * 1.05) + 2);
	});

	it('counts what is sent again too', async () => {
		engine.sandbox.faults.set([{ what: 'rateLimit', retryAfter: 0.05, when: { first: 8 } }]);
		await engine.run(toSend({ options: { messagesPerSecond: 20 } }), customers(16));
		expect(engine.ledger.summary()).toMatchObject({ received: 24, accepted: 16 });
		expect(mostWithin(1000, engine.ledger.starts())).toBeLessThanOrEqual(23);
	});
});

describe('a 429', () => {
	it.each<[string, object]>([
		['with Retry-After', { retryAfter: 1 }],
		['without Retry-After', {}],
	])('%s: a burst of 50 pauses once, and then all are sent', async (_, wait) => {
		engine.sandbox.faults.set([
			{ what: 'rateLimit', ...wait, when: { first: 50 } },
			{ what: 'latency', ms: 30 },
		]);
		const execution = await engine.run(toSend({ options: { maxConcurrency: 50 } }), customers(80));
		expect(execution.status).toBe('success');
		const statuses = engine.ledger.entries().map(({ status }) => status);
		expect(new Set(statuses.slice(50))).toEqual(new Set([200]));
		expect(statuses).toHaveLength(130);
		expect(engine.ledger.accepted()).toHaveLength(80);
		expect(engine.ledger.duplicates()).toEqual([]);
	});

	it('pauses the whole pool, not only its own message', async () => {
		const when = { recipient: customer(4), nth: 1 };
		engine.sandbox.faults.set([{ what: 'rateLimit', retryAfter: 0.6, when }]);
		await engine.run(toSend({ options: { maxConcurrency: 2 } }), customers(20));
		expect(startedInThePause()).toBeLessThanOrEqual(1);
		expect(engine.ledger.accepted()).toHaveLength(20);
	});

	it.each([
		[2.5, 3],
		[0, 1],
	])('with a Rate Limit Wait of %d s is met by %i requests', async (rateLimitWait, requests) => {
		engine.sandbox.faults.set([{ what: 'rateLimit', retryAfter: 1 }]);
		const flow = toSend({ options: { rateLimitWait } });
		expect((await engine.run(flow, customers(1))).error).toMatchObject({
			message: expect.stringContaining("for longer than 'Rate Limit Wait (Seconds)'") as string,
			httpCode: '429',
			failure: { cause: 'rate-limited', retryAfterMs: 1000 },
		});
		expect(engine.ledger.entries()).toHaveLength(requests);
	});

	it('is met again and again by a service that lets 10 through in 300 ms', async () => {
		engine.sandbox.faults.set([{ what: 'limit', requests: 10, perMs: 300, retryAfter: 0.3 }]);
		const execution = await engine.run(toSend({ options: { maxConcurrency: 15 } }), customers(60));
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

	it('that asks for too long rejects those that met it; the others are not attempted', async () => {
		engine.sandbox.faults.set([
			{ what: 'rateLimit', retryAfter: 3600, when: { recipient: [0, 1, 2].map(customer) } },
			{ what: 'latency', ms: 30 },
		]);
		const flow = toSend({ options: { maxConcurrency: 3 }, onError: 'continueRegularOutput' });
		const [first, second, third, ...others] = deliveriesOf(
			(await engine.run(flow, customers(60))).json(),
		);
		expect([first, second, third]).toEqual(['rejected', 'rejected', 'rejected']);
		expect(new Set(others)).toEqual(new Set(['notAttempted']));
		expect(engine.ledger.entries()).toHaveLength(3);
	});
});

it.each<[object, number[]]>([
	[{ retryAfter: 0.3 }, [503, 200]],
	[{}, [503]],
])('a 503 with %j is answered with %j', async (wait, statuses) => {
	engine.sandbox.faults.set([{ what: 'unavailable', ...wait, when: { nth: 1 } }]);
	await engine.run(toSend({ onError: 'continueRegularOutput' }), customers(1));
	expect(engine.ledger.entries().map(({ status }) => status)).toEqual(statuses);
});
