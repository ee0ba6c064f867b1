/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-hardcoded-secrets */
import type { IDataObject } from 'n8n-workflow';

import { useEngine } from './engine';
import type { FaultRule as Rule } from '../../sandbox/index.cts';
import { startSandbox } from '../../sandbox/index.cts';
import type { Sending } from './workflows';
import { customer, customers, FAILED, toSend } from './workflows';

const engine = useEngine();

interface Row {
	rule: Rule;
	delivery: 'rejected' | 'uncertain';
	/** What the service said, or what happened, as the error must tell it. */
	words: string;
	statusCode?: number;
}

const uncertain = 'the message may or may not have been sent';
const record = { id: 'a', function_name: 'send_text_message', status: 'failed' };

/** Long enough for a busy machine to answer whatever is not meant to be silent. */
const options = { timeout: 1500 };

it.each`
	name                          | rule                                                                                     | delivery       | words                                                                                    | statusCode
	${'a 400'}                    | ${{ what: 'status', status: 400, body: { error: 'No such customer', code: 'unknown' } }} | ${'rejected'}  | ${'The service rejected the message (400): No such customer, code unknown'}              | ${400}
	${'a 404'}                    | ${{ what: 'status', status: 404 }}                                                       | ${'rejected'}  | ${'(404)'}                                                                               | ${404}
	${'a 422 of a list'}          | ${{ what: 'status', status: 422, body: { detail: [{ msg: 'text: too long' }] } }}        | ${'rejected'}  | ${'(422): text: too long'}                                                               | ${422}
	${'a redirect'}               | ${{ what: 'redirect', status: 307, location: 'http://elsewhere.example/secret' }}        | ${'rejected'}  | ${"redirected the request (307) to elsewhere.example, and the redirect wasn't followed"} | ${307}
	${'a 302'}                    | ${{ what: 'redirect' }}                                                                  | ${'rejected'}  | ${'(302)'}                                                                               | ${302}
	${'success: false'}           | ${{ what: 'successFalse', message: 'The customer has left' }}                            | ${'rejected'}  | ${"The service responded that the message wasn't sent: The customer has left"}           | ${200}
	${'a timeout, not taken'}     | ${{ what: 'hang' }}                                                                      | ${'uncertain'} | ${`The service didn't respond in time; ${uncertain}`}                                    | ${undefined}
	${'a timeout, taken'}         | ${{ what: 'hang', afterAccept: true }}                                                   | ${'uncertain'} | ${`The service didn't respond in time; ${uncertain}`}                                    | ${undefined}
	${'a body that stops coming'} | ${{ what: 'slowBody', ms: 60_000 }}                                                      | ${'uncertain'} | ${uncertain}                                                                             | ${undefined}
	${'a cut before'}             | ${{ what: 'cutBefore' }}                                                                 | ${'uncertain'} | ${`The connection broke before the service responded; ${uncertain}`}                     | ${undefined}
	${'a cut after'}              | ${{ what: 'cutAfter' }}                                                                  | ${'uncertain'} | ${uncertain}                                                                             | ${undefined}
	${'a cut in the record'}      | ${{ what: 'cutDuringBody' }}                                                             | ${'uncertain'} | ${uncertain}                                                                             | ${undefined}
	${'a 500'}                    | ${{ what: 'status', status: 500, body: { error: 'Oops' } }}                              | ${'uncertain'} | ${`The service responded with status 500: Oops; ${uncertain}`}                           | ${500}
	${'a 502 in HTML, taken'}     | ${{ what: 'html', status: 502, body: '<title>Bad Gateway</title>', accepted: true }}     | ${'uncertain'} | ${'status 502: Bad Gateway'}                                                             | ${502}
	${'a 504'}                    | ${{ what: 'status', status: 504, accepted: true }}                                       | ${'uncertain'} | ${'504'}                                                                                 | ${504}
	${'a page that says 200'}     | ${{ what: 'html' }}                                                                      | ${'uncertain'} | ${'The service responded (200), but not with a message result: Sign in'}                 | ${200}
	${'an empty 200'}             | ${{ what: 'empty' }}                                                                     | ${'uncertain'} | ${'The service responded (200), but not with a message result'}                          | ${200}
	${'a 204'}                    | ${{ what: 'empty', status: 204 }}                                                        | ${'uncertain'} | ${'The service responded (204), but not with a message result'}                          | ${204}
	${'other JSON'}               | ${{ what: 'notARecord', body: { id: 'x', status: 'sent' } }}                             | ${'uncertain'} | ${'but not with a message result'}                                                       | ${200}
`('$name: $delivery, after one request', async ({ rule, delivery, words, statusCode }: Row) => {
	engine.sandbox.faults.set([{ ...rule, when: { recipient: customer(1) } }]);
	const items = customers(3);
	const execution = await engine.run(toSend({ options, onError: 'continueErrorOutput' }), items);

	const [failed, ...others] = execution.json(0, FAILED);
	expect(others).toEqual([]);
	expect(failed.error).toContain(words);
	const { customer: to, text, error, details, ...rest } = failed as IDataObject;
	expect({ to, text, rest }).toEqual({ to: customer(1), text: 'text 1', rest: {} });
	expect(typeof error).toBe('string');
	expect(details).toMatchObject({
		delivery,
		fix: expect.stringMatching(/\w{3}/) as string,
		itemIndex: 1,
		...(statusCode && { statusCode }),
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
		const execution = await engine.run(toSend({ options }), customers(1));
		expect(execution.status).toBe('error');
		const { failure } = execution.error as { failure?: { cause: string } };
		expect(failure?.cause).toBe(cause);
	});
});

describe('a record that is not sure of itself', () => {
	it('counts as accepted unless it says success: false', async () => {
		engine.sandbox.faults.set([
			{ what: 'status', status: 201, body: record, accepted: true, when: { nth: 1 } },
			{
				what: 'status',
				status: 200,
				body: { ...record, extra: null },
				accepted: true,
				when: { nth: 2 },
			},
		]);
		const execution = await engine.run(toSend({ options: { maxConcurrency: 1 } }), customers(2));
		expect(execution.json()).toEqual([record, { ...record, extra: null }]);
	});
});

describe('a connection that was never made', () => {
	const closedPort = async () => {
		const gone = await startSandbox();
		await gone.stop();
		return gone.port;
	};

	it('is tried three times and then rejected', async () => {
		engine.useCredential({ baseUrl: `http://127.0.0.1:${await closedPort()}` });
		const execution = await engine.run(toSend({ onError: 'continueRegularOutput' }), customers(2));
		for (const json of execution.json()) {
			expect(json.error).toBe("n8n couldn't connect to the service: the connection was refused");
			expect(json).toHaveProperty('details.delivery', 'rejected');
		}
		expect(engine.credentials.authenticated).toBe(6);
	});

	it('is harmless when the service comes up in time', async () => {
		const port = await closedPort();
		engine.useCredential({ baseUrl: `http://127.0.0.1:${port}` });
		const running = engine.run(toSend(), customers(3));
		await new Promise((resolve) => setTimeout(resolve, 700));
		const late = await startSandbox({ port });
		try {
			expect((await running).status).toBe('success');
			expect(late.ledger.accepted()).toHaveLength(3);
			expect(late.ledger.duplicates()).toEqual([]);
		} finally {
			await late.stop();
		}
	});

	it('to an unknown host is rejected', async () => {
		engine.useCredential({ baseUrl: 'https://nowhere.invalid' });
		const execution = await engine.run(toSend({ onError: 'continueRegularOutput' }), customers(1));
		expect(execution.json()[0].error).toContain(
			"n8n couldn't connect to the service: its host name",
		);
		expect(execution.json()[0]).toHaveProperty('details.delivery', 'rejected');
	});
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
	const key = 'secret-key-0a1b2c3d';
	const echo = { error: `Key ${key} may not do this`, code: key };
	const rules: Rule[] = [
		{ what: 'status', status: 400, body: echo },
		{ what: 'status', status: 401, body: { detail: `Bad key ${key}` } },
		{ what: 'status', status: 500, body: `<html><title>${key}</title></html>` },
		{ what: 'redirect', location: `http://elsewhere.example/?key=${key}` },
		{ what: 'notARecord', body: { message: `signed in with ${key}` } },
		{ what: 'successFalse', message: `not for ${key}` },
		{ what: 'rateLimit', retryAfter: key },
		{ what: 'cutAfter' },
		{ what: 'hang' },
	];
	let guarded: Awaited<ReturnType<typeof startSandbox>>;
	beforeAll(async () => {
		guarded = await startSandbox({ apiKey: key });
	});
	afterAll(async () => await guarded.stop());

	it.each(rules)('is in no error, output, log or stored execution: %j', async (rule) => {
		guarded.ledger.clear();
		guarded.faults.set([rule]);
		engine.useCredential({ baseUrl: guarded.url, apiKey: key });
		for (const onError of [
			'stopWorkflow',
			'continueRegularOutput',
			'continueErrorOutput',
		] as const) {
			const execution = await engine.run(
				toSend({ onError, tries: 2, options: { timeout: 1000, rateLimitWait: 0 } }),
				customers(2),
			);
			expect(guarded.ledger.entries().every(({ keyOk }) => keyOk)).toBe(true);
			expect(execution.stored()).not.toContain(key);
			expect(JSON.stringify(execution.run.data)).not.toContain(key);
			expect(JSON.stringify(execution.error ?? {})).not.toContain(key);
			expect(String(execution.error?.stack)).not.toContain(key);
		}
		expect(engine.logLines.join('\n')).not.toContain(key);
	});
});
