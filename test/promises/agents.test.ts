/** A call of an agent's tool is sent once in an execution, whatever runs it again. */
import type { IDataObject } from 'n8n-workflow';

import * as help from './help';
import { clickRetry, engine } from './help';
import { failing } from '../engine/nodeTypes';
import type { Sending } from '../engine/workflows';
import { agent, cuts, rejects } from '../engine/workflows';

/** Runs its tool itself, without an ID for a call. */
const WITHOUT_IDS = 'test.agent';
/** Lets n8n's engine run its tool, with an ID for each call. */
const WITH_IDS = 'test.engineAgent';
/** Each of its answers has one call, named `call_0`. */
const CALL_0 = 'test.callInEachAnswer';
const AT_ONCE = 'test.parallelAgent';

const call = (customer: string, text: string) => ({ customer, text });
const TO_ADA = call('7', 'Hello Ada');
const OTHER_WORDS = call('7', 'Hi Ada');
const TO_BEN = call('8', 'Hello Ben');

/** The messages that customers have, oldest first. */
const messages = () =>
	engine.ledger.accepted().map(({ recipient, body }) => `${recipient} ${body.text}`);
const asMessages = (...calls: IDataObject[]) =>
	calls.map(({ customer, text }) => `${String(customer)} ${String(text)}`);

/** What the agent reads about each of its calls. */
const answersIn = (json: IDataObject[]): IDataObject[] =>
	json.map(({ answer, ...item }) =>
		answer === undefined ? item : (JSON.parse(String(answer)) as IDataObject[])[0],
	);

async function answersTo(kind: string, calls: IDataObject[], spec: Sending = {}) {
	const execution = await engine.run(agent(kind, spec), calls);
	expect(execution.status).toBe('success');
	return answersIn(execution.json(0, 'Agent'));
}

/** An agent that n8n tries up to three times. */
function triedAgent(kind: string, spec: Sending = {}) {
	const flow = agent(kind, spec);
	Object.assign(flow.nodes[1], { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 });
	return flow;
}

describe('a model whose calls are all named call_0', () => {
	it('other arguments are other calls: each is sent', async () => {
		const answers = await answersTo(CALL_0, [TO_ADA, OTHER_WORDS, TO_BEN]);
		expect(messages()).toEqual(asMessages(TO_ADA, OTHER_WORDS, TO_BEN));
		expect(answers).toMatchObject([{ extra: {} }, { extra: {} }, { extra: {} }]);
	});

	it('the same arguments are the same call: sent once, and the model is told', async () => {
		const answers = await answersTo(CALL_0, [TO_ADA, TO_BEN, TO_ADA]);
		expect(messages()).toEqual(asMessages(TO_ADA, TO_BEN));
		expect(answers[2]).toMatchObject({ alreadySent: true });
	});

	it('an uncertain call is not sent again, and the model is told so', async () => {
		engine.faults(cuts({ nth: 1 }));
		const answers = await answersTo(CALL_0, [TO_ADA, TO_ADA, TO_BEN]);
		expect(messages()).toEqual(asMessages(TO_ADA, TO_BEN));
		expect(answers[1]).toMatchObject({ details: { delivery: 'uncertain' } });
	});

	it('other words after an uncertain call are sent, and others wait for nothing', async () => {
		engine.faults(cuts({ nth: 1 }));
		await answersTo(CALL_0, [TO_ADA, OTHER_WORDS, TO_BEN]);
		expect(messages()).toEqual(asMessages(TO_ADA, OTHER_WORDS, TO_BEN));
	});

	it('a rejected call is sent when the model calls again', async () => {
		engine.faults(rejects({ nth: 1 }));
		await answersTo(CALL_0, [TO_ADA, TO_ADA]);
		expect(messages()).toEqual(asMessages(TO_ADA));
	});
});

describe('a model without IDs', () => {
	it('a repeated call with the same content is sent once', async () => {
		const answers = await answersTo(WITHOUT_IDS, [TO_ADA, TO_BEN, TO_ADA]);
		expect(messages()).toEqual(asMessages(TO_ADA, TO_BEN));
		expect(answers[2]).toMatchObject({ alreadySent: true });
	});

	it('other content is sent', async () => {
		await answersTo(WITHOUT_IDS, [TO_ADA, OTHER_WORDS, TO_BEN]);
		expect(messages()).toEqual(asMessages(TO_ADA, OTHER_WORDS, TO_BEN));
	});
});

it('calls with IDs of their own are messages of their own, with the same content, too', async () => {
	await answersTo(WITH_IDS, [TO_ADA, TO_ADA]);
	expect(messages()).toEqual(asMessages(TO_ADA, TO_ADA));
});

describe('Retry On Fail on the agent', () => {
	it('sends each call once', async () => {
		failing.times = 2;
		const execution = await engine.run(triedAgent(WITHOUT_IDS), [TO_ADA, OTHER_WORDS, TO_BEN]);
		expect(execution.status).toBe('success');
		expect(messages()).toEqual(asMessages(TO_ADA, OTHER_WORDS, TO_BEN));
		const again = { alreadySent: true };
		expect(answersIn(execution.json(0, 'Agent'))).toMatchObject([again, again, again]);
	});

	it('sends each once though the calls are made at once', async () => {
		failing.times = 2;
		await engine.run(triedAgent(AT_ONCE), [TO_ADA, OTHER_WORDS, TO_BEN]);
		expect(messages().sort()).toEqual(asMessages(TO_ADA, OTHER_WORDS, TO_BEN).sort());
	});

	it('does not send an uncertain call again', async () => {
		engine.faults(cuts({ nth: 1 }));
		failing.times = 2;
		await engine.run(triedAgent(WITHOUT_IDS), [TO_ADA, TO_BEN]);
		expect(messages()).toEqual(asMessages(TO_ADA, TO_BEN));
	});

	it('sends a call that was rejected in the first try', async () => {
		engine.faults(rejects({ nth: 1 }));
		failing.times = 1;
		await engine.run(triedAgent(WITHOUT_IDS), [TO_ADA, TO_BEN]);
		expect(messages().sort()).toEqual(asMessages(TO_ADA, TO_BEN).sort());
	});
});

describe('Retry after the agent failed', () => {
	it.each(help.CLICKS)('%s: each call is sent once', async (_, click) => {
		failing.times = 1;
		const failed = await engine.run(agent(WITHOUT_IDS), [TO_ADA, OTHER_WORDS, TO_BEN]);
		expect(failed.status).toBe('error');
		await click(async () => await clickRetry(failed));
		expect(messages()).toEqual(asMessages(TO_ADA, OTHER_WORDS, TO_BEN));
	});

	it.each(help.CLICKS)('%s: what was rejected before is sent once', async (_, click) => {
		engine.faults(rejects({ nth: [1, 2] }));
		failing.times = 1;
		const failed = await engine.run(agent(WITHOUT_IDS), [TO_ADA, TO_BEN]);
		engine.faults();
		await click(async () => await clickRetry(failed));
		expect(messages().sort()).toEqual(asMessages(TO_ADA, TO_BEN).sort());
	});
});

describe('calls at the same time', () => {
	it('go one after the other', async () => {
		engine.faults({ what: 'latency', ms: 20 });
		await answersTo(AT_ONCE, [TO_ADA, TO_BEN, OTHER_WORDS, call('9', 'Hello')]);
		expect(engine.ledger.maxInFlight).toBe(1);
		expect(messages()).toHaveLength(4);
	});

	it('whose turn does not come within its time is not attempted, and says to call again', async () => {
		// Each of them waits 20 seconds of the 45 that it has.
		engine.faults({ what: 'rateLimit', retryAfter: 20, when: { perRecipientFirst: 1 } });
		const calls = ['1', '2', '3', '4', '5', '6'].map((customer) => call(customer, 'Hello'));
		const answers = await answersTo(AT_ONCE, calls);
		const late = answers.filter(({ details }) => details !== undefined);
		const accepted = answers.filter(({ extra }) => extra !== undefined);
		expect(accepted).toHaveLength(messages().length);
		expect(accepted.length + late.length).toBe(6);
		expect(late.length).toBeGreaterThan(0);
		for (const answer of late) {
			expect(answer).toMatchObject({ details: { delivery: 'notAttempted' } });
			expect(JSON.stringify(answer)).toMatch(/call this tool again/i);
		}
	});
});
