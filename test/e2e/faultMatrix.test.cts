/**
 * Every fault, in every mode, with and without Retry On Fail, for the first, a middle and the last message. The
 * judge is the sandbox's ledger: every customer has the message once, or not at all and an item or error says so.
 */
import type { FaultRule } from '../../sandbox/index.cts';
import type { Execution } from '../n8n/execution.cts';
import { inParallel, NODE, textOf, useN8n } from './help.cts';

const used = useN8n();

const COUNT = 5;
const POSITIONS = [
	{ name: 'first', index: 0 },
	{ name: 'middle', index: 2 },
	{ name: 'last', index: COUNT - 1 },
];
const MODES = ['stop', 'continueRegularOutput', 'continueErrorOutput'];
const TRIES = 2;
/** For messages that meet silence; long enough for the others to be answered on a busy machine. */
const SHORT_TIMEOUT = 2_500;

const customersFrom = (first: number) =>
	Array.from({ length: COUNT }, (_, item) => String(first + item));

type Delivery = 'accepted' | 'rejected' | 'uncertain' | 'notAttempted';

interface Fault {
	fault: string;
	rule: FaultRule;
	delivery: Delivery;
	/** It happens to the first request only. */
	once?: boolean;
	isFatal?: boolean;
	/** The customer has the message anyway. */
	arrives?: boolean;
}

/** A message of five that meets a fault. */
interface Combination extends Fault {
	mode: string;
	retry?: boolean;
	faulty: number;
	maxConcurrency: number;
	customers: string[];
}

/**
 * What the service does to one customer, what becomes of the message, and whether the customer has it then.
 * `once`: it happens to the first request only, so that another try can succeed.
 */
const FAULTS: Fault[] = [
	{ fault: '400', rule: { what: 'status', status: 400 }, delivery: 'rejected' },
	{ fault: '400 once', once: true, rule: { what: 'status', status: 400 }, delivery: 'rejected' },
	{ fault: '401', isFatal: true, rule: { what: 'status', status: 401 }, delivery: 'rejected' },
	{
		fault: '401 once',
		once: true,
		isFatal: true,
		rule: { what: 'status', status: 401 },
		delivery: 'rejected',
	},
	{
		fault: '429 once',
		once: true,
		rule: { what: 'rateLimit', retryAfter: 0.1 },
		delivery: 'accepted',
	},
	{
		fault: '429 for longer than the wait',
		rule: { what: 'rateLimit', retryAfter: 2 },
		delivery: 'rejected',
	},
	{ fault: '500', rule: { what: 'status', status: 500 }, delivery: 'uncertain' },
	{ fault: '503 once', once: true, rule: { what: 'unavailable' }, delivery: 'uncertain' },
	{ fault: 'cut before', rule: { what: 'cutBefore' }, delivery: 'uncertain' },
	{ fault: 'cut after', rule: { what: 'cutAfter' }, delivery: 'uncertain', arrives: true },
	{ fault: 'silence before', rule: { what: 'hang' }, delivery: 'uncertain' },
	{
		fault: 'silence after, once',
		once: true,
		rule: { what: 'hang', afterAccept: true },
		delivery: 'uncertain',
		arrives: true,
	},
	{ fault: 'success false', rule: { what: 'successFalse' }, delivery: 'rejected' },
	{ fault: 'not a record', rule: { what: 'notARecord' }, delivery: 'uncertain', arrives: true },
	{ fault: 'a page', rule: { what: 'html' }, delivery: 'uncertain' },
	{ fault: 'redirect', rule: { what: 'redirect' }, delivery: 'rejected' },
];

const faultOf = (name: string) => FAULTS.find(({ fault }) => fault === name)!;

/**
 * Every fault in every mode, with and without Retry On Fail. Positions and concurrency take turns, so that each
 * fault meets all of them. Each combination has customers of its own, so that all can share one sandbox.
 */
const MATRIX = FAULTS.flatMap((fault, f) =>
	MODES.flatMap((mode, m) =>
		[false, true].map((retry, r) => ({
			...fault,
			mode,
			retry,
			position: POSITIONS[(f + m + r) % POSITIONS.length],
			// One message at a time makes it certain what has been attempted.
			maxConcurrency: (f + m) % 2 ? 1 : COUNT,
		})),
	),
).map((combination, index) => ({
	...combination,
	title: [
		combination.fault,
		combination.mode,
		...(combination.retry ? ['Retry On Fail'] : []),
		combination.position.name,
		`${combination.maxConcurrency} at a time`,
	].join(', '),
	faulty: combination.position.index,
	customers: customersFrom(10_000 + index * COUNT),
}));

/** What the design promises for each item: the table of the four states, in a dozen lines. */
function promised({ mode, retry, faulty, delivery, isFatal, once }: Combination) {
	const stops = mode === 'stop';
	// n8n tries again after an error, and in the continue modes when the first item has failed.
	const again = retry && (stops || faulty === 0) && delivery !== 'accepted';
	const own = again && once && delivery === 'rejected' ? 'accepted' : delivery;
	const failed = own !== 'accepted';
	// What is left uncertain does not hold the others back on the next try.
	const ends = failed && (isFatal || (stops && !(again && delivery === 'uncertain')));
	const items = Array.from({ length: COUNT }, (_, item) => {
		if (item === faulty) return own;
		return ends && item > faulty ? 'notAttempted' : 'accepted';
	});
	return { items, failed: stops && failed };
}

const parametersOf = ({ maxConcurrency, rule }: Combination) =>
	textOf({
		maxConcurrency,
		rateLimitWait: 2.5,
		...(rule.what === 'hang' && { timeout: SHORT_TIMEOUT }),
	});

const settingsOf = ({ mode, retry }: Combination) => ({
	...(mode !== 'stop' && { onError: mode }),
	...(retry && { retryOnFail: true, maxTries: TRIES, waitBetweenTries: 1 }),
});

const listOf = ({ customers }: Combination) =>
	customers.map((customer) => ({ customer, text: 'Hello' }));

const ruleOf = ({ rule, once, customers, faulty }: Combination): FaultRule => ({
	...rule,
	when: { recipient: customers[faulty], ...(once && { first: 1 }) },
});

/** How often each customer of a combination has been asked about, and has the message, by the ledger. */
function tally({ customers }: Combination) {
	const entries = used.sandbox.ledger.entries();
	return customers.map((customer) => {
		const own = entries.filter(({ recipient }) => recipient === customer);
		return { requests: own.length, arrived: own.filter(({ accepted }) => accepted).length };
	});
}

/** What the output says of each item, by the item's place in the list. */
function reported({ mode }: Combination, execution: Execution) {
	const outputs = mode === 'continueErrorOutput' ? [0, 1] : [0];
	const said: unknown[] = [];
	for (const output of outputs) {
		for (const { json, pairedItem } of execution.rawItems(NODE, { output })) {
			const { item } = pairedItem!;
			expect(said[item]).toBeUndefined();
			said[item] = json.error ? json.details?.delivery : 'accepted';
			if (said[item] === 'accepted') expect(output).toBe(0);
		}
	}
	return said;
}

const countsIn = (words: string) => {
	const count = (state: string) => Number(words.match(new RegExp(`(\\d+) ${state}`))?.[1] ?? 0);
	return {
		accepted: count('of 5 messages accepted'),
		rejected: count('rejected'),
		uncertain: count('uncertain'),
		notAttempted: count('not attempted'),
	};
};

const tallyOf = (states: Delivery[]) => ({
	accepted: states.filter((state) => state === 'accepted').length,
	rejected: states.filter((state) => state === 'rejected').length,
	uncertain: states.filter((state) => state === 'uncertain').length,
	notAttempted: states.filter((state) => state === 'notAttempted').length,
});

const executions = new Map<Combination, Execution>();

beforeAll(async () => {
	used.sandbox.faults.set(MATRIX.map(ruleOf));
	await inParallel(MATRIX, 4, async (combination) => {
		const execution = await used.send({
			list: listOf(combination),
			parameters: parametersOf(combination),
			settings: settingsOf(combination),
		});
		executions.set(combination, execution);
	});
}, 300_000);

test('the matrix is as large as it should be', () => {
	expect(MATRIX.length).toBeGreaterThanOrEqual(48);
	expect(new Set(MATRIX.flatMap(({ customers }) => customers)).size).toBe(MATRIX.length * COUNT);
});

test.each(MATRIX)('$title', (combination) => {
	const { customers, faulty, mode, delivery, arrives, maxConcurrency } = combination;
	const execution = executions.get(combination)!;
	const promise = promised(combination);
	const ledger = tally(combination);
	const arrived = ledger.map((each) => each.arrived);

	// No customer has a message twice, and what is uncertain is asked for once only.
	expect(Math.max(...arrived)).toBeLessThanOrEqual(1);
	if (delivery === 'uncertain') expect(ledger[faulty].requests).toBe(1);

	expect(execution.status).toBe(promise.failed ? 'error' : 'success');
	if (promise.failed) {
		const { message, description, context } = execution.nodeError(NODE);
		const counts = countsIn(description!.match(/\d of 5 messages .*?\./)![0]);
		expect(message).toBeTruthy();
		expect(context.itemIndex).toBe(faulty);
		// The error accounts for all: what arrived was accepted, or is uncertain and named.
		const uncertainArrived = delivery === 'uncertain' && arrives ? 1 : 0;
		expect(counts.accepted + uncertainArrived).toBe(arrived.reduce((sum, each) => sum + each));
		expect(Object.values(counts).reduce((sum, each) => sum + each)).toBe(COUNT);
		expect(counts[delivery]).toBe(1);
		if (delivery === 'uncertain') expect(description).toContain(`Uncertain: item ${faulty} `);
		if (maxConcurrency === 1) expect(counts).toEqual(tallyOf(promise.items));
		return;
	}

	const said = reported(combination, execution);
	expect(said).toHaveLength(COUNT);
	said.forEach((state, item) => {
		if (state === 'accepted') expect(arrived[item]).toBe(1);
		else if (state === 'uncertain') expect(arrived[item]).toBe(arrives ? 1 : 0);
		else expect(arrived[item]).toBe(0);
	});
	expect(said[faulty]).toBe(promise.items[faulty]);
	if (maxConcurrency === 1 || !combination.isFatal) expect(said).toEqual(promise.items);

	// Records are in the order of the list and belong to the customer of their item.
	const sent = execution.items(NODE).filter(({ error }) => !error);
	expect(sent.map(({ extra }) => String(extra.customer_id))).toEqual(
		customers.filter((_, item) => said[item] === 'accepted'),
	);
	if (mode === 'continueErrorOutput') {
		for (const { customer, details } of execution.items(NODE, { output: 1 })) {
			expect(customer).toBe(customers[details?.itemIndex as number]);
		}
	}
});

describe('Retry from the executions list, with the fault gone', () => {
	const CASES = ['400', '401', '429 for longer than the wait', 'success false', 'redirect']
		.flatMap((name) => [false, true].map((loadWorkflow) => ({ name, loadWorkflow })))
		.map((each, index) => ({
			...each,
			...faultOf(each.name),
			mode: 'stop',
			faulty: 2,
			maxConcurrency: 1,
			customers: customersFrom(90_000 + index * COUNT),
			with: each.loadWorkflow ? 'the saved workflow' : 'the original workflow',
		}));

	test.each(CASES)('$name, with $with', async (combination) => {
		const { customers, faulty, loadWorkflow } = combination;
		used.sandbox.faults.set([ruleOf(combination)]);
		const failed = await used.send({
			list: listOf(combination),
			parameters: parametersOf(combination),
		});
		expect(failed.status).toBe('error');
		const before = used.sandbox.ledger.accepted();
		const first = before.filter(({ recipient }) => customers.includes(recipient));
		expect(first.map(({ recipient }) => recipient)).toEqual(customers.slice(0, faulty));
		used.sandbox.faults.clear();

		const retriedAt = Date.now();
		const retried = await used.client.retry(failed.id, { loadWorkflow });
		expect(retried.status).toBe('success');
		expect(retried.items(NODE).map(({ extra }) => String(extra.customer_id))).toEqual(customers);
		expect(tally(combination)).toEqual(
			customers.map((_, item) => ({
				requests: item === faulty ? expect.any(Number) : 1,
				arrived: 1,
			})),
		);

		// What had been sent comes with its first record.
		const sentNow = retried
			.items(NODE)
			.map(({ timestamp }) => Date.parse(String(timestamp)) >= retriedAt);
		expect(sentNow).toEqual(customers.map((_, item) => item >= faulty));
	});

	const uncertain = (first: number) => ({
		...faultOf('cut after'),
		mode: 'stop',
		faulty: 2,
		maxConcurrency: 1,
		customers: customersFrom(first),
	});

	test("what is uncertain isn't resent, the others are sent", async () => {
		const combination = uncertain(95_000);
		const { customers, faulty } = combination;
		used.sandbox.faults.set([ruleOf(combination)]);
		const definition = { list: listOf(combination), parameters: parametersOf(combination) };
		const failed = await used.send(definition);
		used.sandbox.faults.clear();

		const retried = await used.client.retry(failed.id);
		expect(retried.status).toBe('error');
		expect(retried.nodeError(NODE)).toMatchObject({
			message: expect.stringContaining("wasn't sent again"),
			description: expect.stringMatching(
				/4 of 5 messages accepted, 1 uncertain\. Uncertain: item 2 /,
			),
			context: { itemIndex: faulty },
		});
		expect(tally(combination)).toEqual(customers.map(() => ({ requests: 1, arrived: 1 })));
	});

	test('what is uncertain goes again when the saved workflow says so', async () => {
		const combination = uncertain(96_000);
		const { customers, faulty } = combination;
		used.sandbox.faults.set([ruleOf(combination)]);
		const definition = { list: listOf(combination), parameters: parametersOf(combination) };
		const id = await used.save(definition);
		const failed = await used.client.run(id);
		used.sandbox.faults.clear();
		const { parameters } = definition;
		const safeguards = { onUncertainDelivery: 'resend' };
		await used.client.updateWorkflow(
			id,
			used.define({ ...definition, parameters: { ...parameters, safeguards } }),
		);

		const retried = await used.client.retry(failed.id, { loadWorkflow: true });
		expect(retried.status).toBe('success');
		expect(retried.items(NODE).map(({ extra }) => String(extra.customer_id))).toEqual(customers);
		expect(tally(combination).map(({ arrived }) => arrived)).toEqual(
			customers.map((_, item) => (item === faulty ? 2 : 1)),
		);
	});
});
