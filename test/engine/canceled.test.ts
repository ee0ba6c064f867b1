/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import type { IDataObject } from 'n8n-workflow';

import type { Execution, Running } from './engine';
import { useEngine } from './engine';
import { time } from './virtualTime';
import { agent, customers, toSend } from './workflows';

const engine = useEngine();

const sleep = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));

/** In real time until the run is canceled, and in virtual time from then on. */
beforeEach(() => void (time.isVirtual = false));
async function cancelWhen(isTime: () => boolean, { ended, cancel }: Running): Promise<Execution> {
	while (!isTime()) await sleep(2);
	cancel();
	time.isVirtual = true;
	return await ended;
}

it.each<[string, IDataObject, IDataObject]>([
	['in full flight', { maxConcurrency: 4 }, { what: 'latency', ms: 60 }],
	['with pacing', { messagesPerSecond: 10 }, { what: 'latency', ms: 5 }],
	['while the service asks to wait', {}, { what: 'rateLimit', retryAfter: 30 }],
	['while it backs off', {}, { what: 'rateLimit' }],
	['while nothing is answered', { maxConcurrency: 3 }, { what: 'hang' }],
])('a canceled execution starts nothing more: %s', async (_, options, rule) => {
	engine.faults({ what: 'latency', ...rule });
	const sent = jest.spyOn(engine.credentials, 'authenticate').mock.calls;
	const running = engine.start(toSend({ options, tries: 3 }), customers(150));
	let left = 0;
	const isUnderWay = () => (left = sent.length) >= 3;
	const execution = await cancelWhen(isUnderWay, running);
	expect(execution.status).toBe('canceled');
	expect(execution.words).toContain('The execution was canceled before all messages were sent');
	// The editor has no such button for it.
	expect(execution.words).not.toContain('Retry with');
	// What the service accepted was either seen, or is uncertain because n8n broke the connection.
	const counts = /[1-9]\d* of 150 messages accepted|[1-9]\d* uncertain/;
	expect(execution.words).toMatch(engine.accepted().length > 0 ? counts : /of 150 messages/);
	// Although n8n has asked the node to try once more, after the end; seen where requests are sent.
	await sleep(100);
	expect(sent).toHaveLength(left);
	expect(left).toBeLessThan(150);
	expect(engine.received().length).toBeLessThanOrEqual(left);
	expect(engine.ledger.duplicates()).toEqual([]);
});

it('keeps the keys of what may have arrived, and no others', async () => {
	engine.faults({ what: 'hang', afterAccept: true, when: { nth: [5, 6, 7] } });
	const safeguards = { sendOnceKey: '={{ $json.customer }}' };
	const flow = toSend({ safeguards, options: { maxConcurrency: 3 } });
	const open = () => engine.ledger.entries().filter(({ endedAt }) => endedAt === null);
	await cancelWhen(() => open().length === 3, engine.start(flow, customers(40)));
	expect(engine.accepted().length).toBeGreaterThanOrEqual(5);
	expect(engine.deduplication.claimed().sort()).toEqual(engine.accepted().sort());
});

it('a canceled call of an agent sends nothing more', async () => {
	engine.faults({ what: 'rateLimit', retryAfter: 5 });
	const running = engine.start(agent('test.agent'), customers(1));
	await cancelWhen(() => engine.received().length === 1, running);
	await sleep(100);
	expect(engine.received()).toHaveLength(1);
});
