/* eslint-disable @n8n/community-nodes/no-hardcoded-secrets -- a made-up key */
import type { IDataObject } from 'n8n-workflow';

import { useEngine } from './engine';
import type { FaultRule as Rule } from '../../sandbox/index.cts';
import { startSandbox } from '../../sandbox/index.cts';
import type { Sending } from './workflows';
import { customer, customers, FAILED, toSend } from './workflows';

const KEY = 'secret-key-0a1b2c3d';
const engine = useEngine({ apiKey: KEY });

const words = { error: 'No such customer', code: 'unknown' };
const list = { detail: [{ msg: 'text: too long' }] };
const page = '<title>Bad Gateway</title>';
const SENT = 'the message may or may not have been sent';
const NO_RECORD = 'but not with a message result';

/** What the service does, what becomes of the message, and what the error says. */
const table: Array<[Rule, 'rejected' | 'uncertain', string]> = [
	[
		{ what: 'status', status: 400, body: words },
		'rejected',
		'The service rejected the message (400): No such customer, code unknown',
	],
	[{ what: 'status', status: 404 }, 'rejected', '(404)'],
	[{ what: 'status', status: 422, body: list }, 'rejected', '(422): text: too long'],
	[
		{ what: 'redirect', status: 307, location: 'http://elsewhere.example/secret' },
		'rejected',
		"redirected the request (307) to elsewhere.example, and the redirect wasn't followed",
	],
	[{ what: 'redirect' }, 'rejected', '(302)'],
	[
		{ what: 'successFalse', message: 'The customer has left' },
		'rejected',
		': The customer has left',
	],
	[{ what: 'hang' }, 'uncertain', `The service didn't respond in time; ${SENT}`],
	[{ what: 'hang', afterAccept: true }, 'uncertain', "The service didn't respond in time"],
	[{ what: 'slowBody', ms: 60_000 }, 'uncertain', SENT],
	[{ what: 'cutBefore' }, 'uncertain', 'The connection broke before the service responded'],
	[{ what: 'cutAfter' }, 'uncertain', SENT],
	[{ what: 'cutDuringBody' }, 'uncertain', SENT],
	[{ what: 'status', status: 500, body: { error: 'Oops' } }, 'uncertain', 'status 500: Oops'],
	[{ what: 'html', status: 502, body: page, accepted: true }, 'uncertain', '502: Bad Gateway'],
	[{ what: 'status', status: 504, accepted: true }, 'uncertain', '504'],
	[{ what: 'html' }, 'uncertain', `The service responded (200), ${NO_RECORD}: Sign in`],
	[{ what: 'empty' }, 'uncertain', `The service responded (200), ${NO_RECORD}`],
	[{ what: 'empty', status: 204 }, 'uncertain', `The service responded (204), ${NO_RECORD}`],
	[{ what: 'notARecord', body: { id: 'x', status: 'sent' } }, 'uncertain', NO_RECORD],
];

describe.each(table)('%j', (rule, delivery, said) => {
	it(`is ${delivery}, after one request`, async () => {
		engine.sandbox.faults.set([{ ...rule, when: { recipient: customer(1) } }]);
		const items = customers(3);
		const execution = await engine.run(toSend({ onError: 'continueErrorOutput' }), items);

		const [failed, ...others] = execution.json(0, FAILED);
		expect(others).toEqual([]);
		expect(failed.error).toContain(said);
		const { customer: to, text, error, details, ...rest } = failed as IDataObject;
		expect({ to, text, rest }).toEqual({ to: customer(1), text: 'text 1', rest: {} });
		expect(typeof error).toBe('string');
		expect(details).toMatchObject({
			delivery,
			fix: expect.stringMatching(/\w{3}/) as string,
			itemIndex: 1,
			...('status' in rule && { statusCode: rule.status }),
		});

		expect(execution.json(0)).toHaveLength(2);
		for (const json of execution.json(0)) expect(json).not.toHaveProperty('error');
		const requests = engine.ledger.entries().filter(({ recipient }) => recipient === customer(1));
		expect(requests).toHaveLength(1);
		if (delivery === 'rejected') expect(requests[0].accepted).toBe(false);
		expect(engine.ledger.accepted().map(({ recipient }) => recipient)).toEqual(
			expect.arrayContaining([customer(0), customer(2)]),
		);
	});
});

it("a failed item keeps the input's own message", async () => {
	engine.sandbox.faults.set([{ what: 'status', status: 400, when: { nth: 1 } }]);
	const items = [{ customer: '7', message: 'Your order is on its way' }];
	const spec = { parameters: { text: '={{ $json.message }}' }, onError: 'continueErrorOutput' };
	const execution = await engine.run(toSend(spec as Sending), items);
	const [failed] = execution.json(0, FAILED);
	expect(Object.keys(failed).sort()).toEqual(['customer', 'details', 'error', 'message']);
	expect(failed.message).toBe('Your order is on its way');
});

describe('what n8n is told about the cause', () => {
	it.each<[string, Rule, string | undefined]>([
		['a bad key', { what: 'status', status: 401 }, 'credential-invalid'],
		['a redirect', { what: 'redirect' }, 'configuration-invalid'],
		['a 500', { what: 'status', status: 500 }, 'temporarily-unavailable'],
		['a cut', { what: 'cutBefore' }, 'temporarily-unavailable'],
		['a rejection', { what: 'status', status: 400 }, undefined],
	])('%s', async (_, rule, cause) => {
		engine.sandbox.faults.set([rule]);
		const execution = await engine.run(toSend(), customers(1));
		expect(execution.status).toBe('error');
		const { failure } = execution.error as { failure?: { cause: string } };
		expect(failure?.cause).toBe(cause);
	});
});

it('a connection that was never made is tried three times and then rejected', async () => {
	const gone = await startSandbox();
	await gone.stop();
	engine.useCredential({ baseUrl: gone.url });
	const execution = await engine.run(toSend({ onError: 'continueRegularOutput' }), customers(2));
	for (const json of execution.json()) {
		expect(json.error).toBe("n8n couldn't connect to the service: the connection was refused");
		expect(json).toHaveProperty('details.delivery', 'rejected');
	}
	expect(engine.credentials.authenticated).toBe(6);
});

describe('a key that the service does not accept', () => {
	it('ends the run after what is on its way', async () => {
		engine.sandbox.faults.set([
			{ what: 'status', status: 401, when: { nth: 7 } },
			{ what: 'latency', ms: 40 },
		]);
		const execution = await engine.run(
			toSend({ options: { maxConcurrency: 4 }, onError: 'continueRegularOutput' }),
			customers(30),
		);
		const requests = engine.ledger.entries().length;
		expect(requests).toBeGreaterThanOrEqual(7);
		expect(requests).toBeLessThanOrEqual(7 + 4);
		const states = execution
			.json()
			.map(({ details }) => (details as { delivery: string } | undefined)?.delivery ?? 'accepted');
		expect(states.filter((state) => state === 'rejected')).toHaveLength(1);
		expect(states.filter((state) => state === 'accepted')).toHaveLength(requests - 1);
		expect(states.filter((state) => state === 'notAttempted')).toHaveLength(30 - requests);
		expect(engine.ledger.summary().accepted).toBe(requests - 1);
		expect(execution.json().at(-1)?.error).toContain(
			"This message wasn't sent: the run ended first. The service didn't accept the API key (401): Invalid API key provided",
		);
	});

	it('403 rejects its message only: the key may send the others', async () => {
		engine.sandbox.faults.set([{ what: 'status', status: 403, when: { nth: 2 } }]);
		const parameters = {
			options: { maxConcurrency: 1 },
			onError: 'continueRegularOutput',
		} as const;
		const execution = await engine.run(toSend(parameters), customers(5));
		const states = execution
			.json()
			.map(({ details }) => (details as { delivery: string } | undefined)?.delivery ?? 'accepted');
		expect(states).toEqual(['accepted', 'rejected', 'accepted', 'accepted', 'accepted']);
		expect(engine.ledger.summary().accepted).toBe(4);
	});

	it("is told in the service's words, and the request goes once only", async () => {
		engine.useCredential({ apiKey: 'a-wrong-key' });
		const execution = await engine.run(toSend({ options: { maxConcurrency: 3 } }), customers(9));
		expect(engine.ledger.entries()).toHaveLength(3);
		expect(execution.error).toMatchObject({
			message: "The service didn't accept the API key (401): Invalid API key provided",
			httpCode: '401',
			failure: { cause: 'credential-invalid' },
		});
		expect(execution.words).toContain('3 rejected, 6 not attempted');
	});
});

describe('the API key', () => {
	const echo = { error: `Key ${KEY} may not do this`, code: KEY };
	const rules: Rule[] = [
		{ what: 'status', status: 400, body: echo },
		{ what: 'status', status: 401, body: { detail: `Bad key ${KEY}` } },
		{ what: 'status', status: 500, body: `<html><title>${KEY}</title></html>` },
		{ what: 'redirect', location: `http://elsewhere.example/?key=${KEY}` },
		{ what: 'notARecord', body: { message: `signed in with ${KEY}` } },
		{ what: 'successFalse', message: `not for ${KEY}` },
		{ what: 'rateLimit', retryAfter: KEY },
		{ what: 'cutAfter' },
		{ what: 'hang' },
	];

	it.each(rules)('is in no error, output, log or stored execution: %j', async (rule) => {
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
});
