/* eslint-disable @n8n/community-nodes/no-hardcoded-secrets -- a made-up key */
import { useEngine } from './engine';
import type { FaultRule as Rule } from '../../sandbox/index.cts';
import { customer, customers, FAILED, toSend } from './workflows';

const KEY = 'secret-key-0a1b2c3d';
const engine = useEngine({ apiKey: KEY });

describe.each<['rejected' | 'uncertain', Rule]>([
	['rejected', { what: 'status', status: 400 }],
	['rejected', { what: 'status', status: 403 }],
	['rejected', { what: 'status', status: 404 }],
	['rejected', { what: 'status', status: 422 }],
	['rejected', { what: 'redirect', status: 307, location: 'http://elsewhere.example/secret' }],
	['rejected', { what: 'redirect' }],
	['rejected', { what: 'successFalse' }],
	['uncertain', { what: 'hang' }],
	['uncertain', { what: 'hang', afterAccept: true }],
	['uncertain', { what: 'slowBody', ms: 60_000 }],
	['uncertain', { what: 'cutBefore' }],
	['uncertain', { what: 'cutAfter' }],
	['uncertain', { what: 'cutDuringBody' }],
	['uncertain', { what: 'status', status: 500 }],
	['uncertain', { what: 'unavailable' }],
	['uncertain', { what: 'html', status: 502, accepted: true }],
	['uncertain', { what: 'status', status: 504, accepted: true }],
	['uncertain', { what: 'html' }],
	['uncertain', { what: 'empty' }],
	['uncertain', { what: 'empty', status: 204 }],
	['uncertain', { what: 'notARecord', body: { id: 'x', status: 'sent' } }],
])('%s: %j', (delivery, rule) => {
	it('after one request, and the others are sent', async () => {
		engine.sandbox.faults.set([{ ...rule, when: { recipient: customer(1) } }]);
		const items = customers(3).map((item) => ({ ...item, message: 'Your order is on its way' }));
		const execution = await engine.run(toSend({ onError: 'continueErrorOutput' }), items);

		// n8n adds the fields of the input to both of the node's, and the node has no 'message' that would replace theirs.
		const status = 'status' in rule ? { statusCode: rule.status } : {};
		const fix = expect.stringMatching(/\w{3}/) as string;
		const error = expect.stringMatching(/\w{3}/) as string;
		const details = expect.objectContaining({ delivery, itemIndex: 1, fix, ...status }) as object;
		expect(execution.json(0, FAILED)).toEqual([{ ...items[1], error, details }]);

		expect(execution.recipients()).toEqual([customer(0), customer(2)]);
		for (const json of execution.json()) expect(json).not.toHaveProperty('error');
		expect(engine.received().sort()).toEqual([0, 1, 2].map(customer));
		if (delivery === 'rejected') expect(engine.accepted()).not.toContain(customer(1));
	});
});

it.each<[string | undefined, Rule]>([
	['credential-invalid', { what: 'status', status: 401 }],
	['configuration-invalid', { what: 'redirect' }],
	['temporarily-unavailable', { what: 'status', status: 500 }],
	['temporarily-unavailable', { what: 'cutBefore' }],
	['rate-limited', { what: 'rateLimit', retryAfter: 1 }],
	[undefined, { what: 'status', status: 400 }],
])('n8n is told that the cause is %s: %j', async (cause, rule) => {
	engine.sandbox.faults.set([rule]);
	const execution = await engine.run(toSend({ options: { rateLimitWait: 0 } }), customers(1));
	const retryAfterMs = cause === 'rate-limited' ? { retryAfterMs: 1000 } : {};
	expect(execution.error).toMatchObject({ failure: cause && { cause, ...retryAfterMs } });
});

it('a key that the service does not accept ends the run after what is on its way', async () => {
	engine.sandbox.faults.set([
		{ what: 'status', status: 401, when: { nth: 7 } },
		{ what: 'latency', ms: 40 },
	]);
	const spec = { options: { maxConcurrency: 4 }, onError: 'continueRegularOutput' } as const;
	const execution = await engine.run(toSend(spec), customers(30));
	const requests = engine.received().length;
	expect(requests).toBeGreaterThanOrEqual(7);
	expect(requests).toBeLessThanOrEqual(7 + 4);
	expect(engine.accepted()).toHaveLength(requests - 1);
	const deliveries = execution.deliveries().sort();
	const accepted = new Array<string>(requests - 1).fill('accepted');
	const notAttempted = new Array<string>(30 - requests).fill('notAttempted');
	expect(deliveries).toEqual([...accepted, ...notAttempted, 'rejected']);
});

it.each<Rule>([
	{ what: 'status', status: 400, body: { error: `Key ${KEY} may not do this`, code: KEY } },
	{ what: 'status', status: 401, body: { detail: `Bad key ${KEY}` } },
	{ what: 'status', status: 500, body: `<html><title>${KEY}</title></html>` },
	{ what: 'redirect', location: `http://elsewhere.example/?key=${KEY}` },
	{ what: 'notARecord', body: { message: `signed in with ${KEY}` } },
	{ what: 'successFalse', message: `not for ${KEY}` },
	{ what: 'rateLimit', retryAfter: KEY },
	{ what: 'cutAfter' },
	{ what: 'hang' },
])('the API key is in no error, output, log or stored execution: %j', async (rule) => {
	engine.sandbox.faults.set([rule]);
	for (const onError of [undefined, 'continueRegularOutput', 'continueErrorOutput'] as const) {
		const flow = toSend({ onError, tries: 2, options: { rateLimitWait: 0 } });
		const execution = await engine.run(flow, customers(2));
		expect(engine.ledger.entries().every(({ keyOk }) => keyOk)).toBe(true);
		expect(execution.stored()).not.toContain(KEY);
		expect(JSON.stringify(execution.run.data)).not.toContain(KEY);
		expect(JSON.stringify(execution.error ?? {})).not.toContain(KEY);
		expect(String(execution.error?.stack)).not.toContain(KEY);
	}
	expect(engine.logLines.join('\n')).not.toContain(KEY);
});
