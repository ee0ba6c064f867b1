/**
 * Every fault, in every mode, with and without Retry On Fail, for the first, a middle and the last
 * message. The judge is the sandbox's ledger: every customer has the message once, or not at all
 * and an item or error says so.
 */
import type { FaultRule } from '../../sandbox/index.cts';
import type { Execution } from '../n8n/execution.cts';
import { inParallel, NODE, textOf, useN8n } from './help.cts';

const used = useN8n({ keepLedger: true });

const COUNT = 5;
const POSITIONS = { first: 0, middle: 2, last: COUNT - 1 };
const MODES = ['stop', 'continueRegularOutput', 'continueErrorOutput'];

let lastCustomer = 10_000;
/** Each combination has customers of its own, so that all can share one sandbox. */
const newCustomers = () => Array.from({ length: COUNT }, () => String(++lastCustomer));

type Delivery = 'accepted' | 'rejected' | 'uncertain' | 'notAttempted';

interface Fault {
	fault: string;
	rule: FaultRule;
	delivery: Delivery;
	/** It happens to the first request only, so that another try can succeed. */
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

const status = (code: number): FaultRule => ({ what: 'status', status: code });
const gaveUp: FaultRule = { what: 'status', status: 408, accepted: true };
const silent: FaultRule = { what: 'hang', afterAccept: true };
const limited = (retryAfter: number): FaultRule => ({ what: 'rateLimit', retryAfter });
const [once, isFatal, arrives] = [true, true, true];

/** What the service does to one customer, and what becomes of the message. */
const FAULTS: Fault[] = [
	{ fault: '400', rule: status(400), delivery: 'rejected' },
	{ fault: '400 once', rule: status(400), delivery: 'rejected', once },
	{ fault: '401', rule: status(401), delivery: 'rejected', isFatal },
	{ fault: '401 once', rule: status(401), delivery: 'rejected', isFatal, once },
	{ fault: '429 once', rule: limited(0.1), delivery: 'accepted', once },
	{ fault: '429 for longer than the wait', rule: limited(2), delivery: 'rejected' },
	{ fault: '500', rule: status(500), delivery: 'uncertain' },
	{ fault: '408 after', rule: gaveUp, delivery: 'uncertain', arrives },
	{ fault: '503 once', rule: { what: 'unavailable' }, delivery: 'uncertain', once },
	{ fault: 'cut before', rule: { what: 'cutBefore' }, delivery: 'uncertain' },
	{ fault: 'cut after', rule: { what: 'cutAfter' }, delivery: 'uncertain', arrives },
	{ fault: 'silence before', rule: { what: 'hang' }, delivery: 'uncertain' },
	{ fault: 'silence after, once', rule: silent, delivery: 'uncertain', arrives, once },
	{ fault: 'success false', rule: { what: 'successFalse' }, delivery: 'rejected' },
	{ fault: 'not a record', rule: { what: 'notARecord' }, delivery: 'uncertain', arrives },
	{ fault: 'a page', rule: { what: 'html' }, delivery: 'uncertain' },
	{ fault: 'redirect', rule: { what: 'redirect' }, delivery: 'rejected' },
];

/** Positions and concurrency take turns, so that each fault meets all of them. */
const MATRIX = FAULTS.flatMap((fault, f) =>
	MODES.flatMap((mode, m) =>
		[false, true].map((retry, r) => {
			const [position, faulty] = Object.entries(POSITIONS)[(f + m + r) % 3];
			// One message at a time makes it certain what has been attempted.
			const maxConcurrency = (f + m) % 2 ? 1 : COUNT;
			const retried = retry ? ', Retry On Fail' : '';
			const title = `${fault.fault}, ${mode}${retried}, ${position}, ${maxConcurrency} at a time`;
			const customers = newCustomers();
			return { ...fault, mode, retry, faulty, maxConcurrency, customers, title };
		}),
	),
);

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

const definitionOf = ({ maxConcurrency, rule, mode, retry, customers }: Combination) => ({
	list: customers.map((customer) => ({ customer, text: 'Hello' })),
	parameters: textOf({
		maxConcurrency,
		rateLimitWait: 2.5,
		// Long enough for the others to be answered on a busy machine.
		...(rule.what === 'hang' && { timeout: 2_500 }),
	}),
	settings: {
		...(mode !== 'stop' && { onError: mode }),
		...(retry && { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 }),
	},
});

const ruleOf = ({ rule, once, customers, faulty }: Combination): FaultRule => ({
	...rule,
	when: { recipient: customers[faulty], ...(once && { first: 1 }) },
});

/**
 * How often each customer of a combination has been asked about, and has the
 * message, by the ledger.
 */
function tally({ customers }: Combination) {
	const requests = used.requests();
	return customers.map((customer) => {
		const own = requests.filter(({ recipient }) => recipient === customer);
		return { requests: own.length, arrived: own.filter(({ accepted }) => accepted).length };
	});
}

/** What the output says of each item, by the item's place in the list. */
function reported({ mode }: Combination, execution: Execution) {
	const said: unknown[] = [];
	for (const output of mode === 'continueErrorOutput' ? [0, 1] : [0]) {
		for (const { json, pairedItem } of execution.rawItems(NODE, { output })) {
			const { item } = pairedItem!;
			expect(said[item]).toBeUndefined();
			said[item] = json.error ? json.details?.delivery : 'accepted';
			if (said[item] === 'accepted') expect(output).toBe(0);
		}
	}
	return said;
}

/** Each state, and the words that count it in an error. */
const STATES = [
	['accepted', 'of 5 messages accepted'],
	['rejected', 'rejected[,.]'],
	['uncertain', 'uncertain[,.]'],
	['notAttempted', 'not attempted'],
];

const executions = new Map<Combination, Execution>();

beforeAll(async () => {
	used.sandbox.faults.set(MATRIX.map(ruleOf));
	await inParallel(MATRIX, 4, async (combination) => {
		executions.set(combination, await used.send(definitionOf(combination)));
	});
}, 300_000);

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
		const { description, context } = execution.nodeError(NODE);
		expect(context.itemIndex).toBe(faulty);
		// The error accounts for all: what arrived was accepted, or is uncertain and named.
		const counts = STATES.map(([, words]) =>
			Number(new RegExp(`(\\d) ${words}`).exec(description!)?.[1] ?? 0),
		);
		const uncertainArrived = delivery === 'uncertain' && arrives ? 1 : 0;
		expect(counts[0] + uncertainArrived).toBe(arrived.filter(Boolean).length);
		expect(counts.reduce((sum, each) => sum + each)).toBe(COUNT);
		if (delivery === 'uncertain') expect(description).toContain(`Uncertain: item ${faulty} `);
		const expected = STATES.map(([state]) => promise.items.filter((each) => each === state).length);
		if (maxConcurrency === 1) expect(counts).toEqual(expected);
		return;
	}

	const said = reported(combination, execution);
	expect(said).toHaveLength(COUNT);
	const has: Record<string, number> = { accepted: 1, uncertain: arrives ? 1 : 0 };
	expect(arrived).toEqual(said.map((state) => has[String(state)] ?? 0));
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

// What a retry sends after which fault is in test/engine/retry: here, n8n stores
// what it has to know.
test('Retry resends what is uncertain only if the saved workflow says so', async () => {
	const faulty = 2;
	const combination: Combination = {
		...FAULTS.find(({ fault }) => fault === 'cut after')!,
		...{ mode: 'stop', faulty, maxConcurrency: 1, customers: newCustomers() },
	};
	used.sandbox.faults.set([ruleOf(combination)]);
	const workflowId = await used.save(definitionOf(combination));
	const failed = await used.client.run(workflowId);
	const timesDelivered = () => tally(combination).map(({ arrived }) => arrived);
	expect(timesDelivered()).toEqual([1, 1, 1, 0, 0]);
	used.sandbox.faults.clear();
	const retried = await used.client.retry(failed.id);
	expect(retried.nodeError(NODE)).toMatchObject({
		message: expect.stringContaining("wasn't sent again"),
		description: expect.stringContaining(
			'4 of 5 messages accepted, 1 uncertain. Uncertain: item 2 ',
		),
		context: { itemIndex: faulty },
	});
	expect(timesDelivered()).toEqual([1, 1, 1, 1, 1]);

	const { parameters, ...rest } = definitionOf(combination);
	const safeguards = { onUncertainDelivery: 'resend' };
	const resending = used.define({ ...rest, parameters: { ...parameters, safeguards } });
	await used.client.updateWorkflow(workflowId, resending);
	const resent = await used.client.retry(retried.id, { loadWorkflow: true });
	const records = resent.items(NODE).map(({ extra }) => String(extra.customer_id));
	expect([resent.status, records]).toEqual(['success', combination.customers]);
	expect(timesDelivered()).toEqual([1, 1, 2, 1, 1]);
});
