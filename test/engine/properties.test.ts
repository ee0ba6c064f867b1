import fc from 'fast-check';
import type { IDataObject, OnError } from 'n8n-workflow';

import type { Execution } from './engine';
import { settled, useEngine } from './engine';
import type { Entry, FaultRule as Rule } from '../../sandbox/index.cts';
import { FAILED, TEMPLATE, toSend } from './workflows';

const engine = useEngine();

const RUNS = 1200;

/** One of five customers in one of a few spellings, or what is no phone at all. */
type Who = { customer: number; spelling: number } | { noPhone: string | null };

const item = fc.oneof<Array<fc.WeightedArbitrary<Who>>>(
	{
		arbitrary: fc.record({ customer: fc.nat(4), spelling: fc.nat(3) }, { noNullPrototype: true }),
		weight: 20,
	},
	{
		arbitrary: fc.constantFrom('', '555 0100', 'no number', '+0123456789', null).map((noPhone) => ({
			noPhone,
		})),
		weight: 1,
	},
);

/** Every run has customers of its own: a request that its sender gave up may arrive when the run is over. */
let runs = 0;
const ofThisRun = () => `+1555${String(runs).padStart(5, '0')}`;

function phoneOf(who: Who): string | null {
	if ('noPhone' in who) return who.noPhone;
	const phone = `${ofThisRun()}${who.customer}`;
	return [
		phone,
		phone.replace('+', '00'),
		`${phone.slice(0, 2)} (${phone.slice(2, 5)}) ${phone.slice(5)}`,
		`\u202a${phone}\u202c`,
	][who.spelling];
}

function entries(): Entry[] {
	return engine.ledger.entries().filter(({ recipient }) => recipient?.startsWith(ofThisRun()));
}

function accepted(): Entry[] {
	return entries().filter((entry) => entry.accepted);
}

/** So many that the sender gave up may still be open at the service, besides those on their way. */
function givenUp(list: Entry[]): number {
	return list.filter(({ fault }) => fault === 'hang').length;
}

/** What may happen to one request, the second time, the fifth time and so on. */
const whats: Rule[] = [
	{ what: 'status', status: 400 },
	{ what: 'status', status: 500 },
	{ what: 'status', status: 502, accepted: true },
	{ what: 'unavailable', retryAfter: 0.01 },
	{ what: 'unavailable' },
	{ what: 'rateLimit', retryAfter: 0.02 },
	{ what: 'cutBefore' },
	{ what: 'cutAfter' },
	{ what: 'cutDuringBody' },
	{ what: 'hang' },
	{ what: 'hang', afterAccept: true },
	{ what: 'successFalse' },
	{ what: 'notARecord' },
	{ what: 'empty' },
	{ what: 'html', accepted: true },
	{ what: 'redirect' },
	{ what: 'latency', ms: 8 },
	{ what: 'status', status: 401 },
];

const faults = fc.uniqueArray(
	fc.record({
		rule: fc.constantFrom(...whats),
		nth: fc.integer({ min: 1, max: 12 }),
	}),
	{ selector: ({ nth }) => nth, maxLength: 5 },
);

const setup = fc.record({
	items: fc.array(item, { minLength: 1, maxLength: 8 }),
	faults,
	maxConcurrency: fc.integer({ min: 1, max: 20 }),
	onError: fc.constantFrom<OnError>('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
	tries: fc.constantFrom(0, 2, 3),
	resend: fc.boolean(),
	/** No keys, one for each item, or one that some items share. */
	keys: fc.constantFrom('none', 'own', 'shared'),
});

type Setup = typeof setup extends fc.Arbitrary<infer T> ? T : never;

function flowOf({ maxConcurrency, onError, tries, resend, keys }: Setup) {
	const options: IDataObject = { maxConcurrency };
	const safeguards: IDataObject = {};
	if (resend) safeguards.onUncertainDelivery = 'resend';
	if (keys === 'own') safeguards.sendOnceKey = '=key {{ $itemIndex }}';
	if (keys === 'shared') safeguards.sendOnceKey = '=key {{ $itemIndex % 3 }}';
	const parameters = {
		...TEMPLATE,
		attributes: { attribute: [{ value: '=number {{ $itemIndex }}' }] },
	};
	return toSend({ parameters, options, safeguards, onError, tries });
}

/** The number of the item that a request was for: it travels with the message. */
function itemOf({ body }: Entry): number {
	return Number(/\d+/.exec(body?.attributes?.['1'] ?? '')?.[0]);
}

function acceptances(count: number): number[] {
	const times = Array.from({ length: count }, () => 0);
	for (const entry of accepted()) times[itemOf(entry)]++;
	return times;
}

/** Whether the client saw the record of an acceptance. */
function wasSeen(entry: Entry): boolean {
	return entry.accepted && (entry.fault === null || entry.fault === 'latency');
}

interface Told {
	delivery: string;
	pairedWith: number;
}

function told({ json, pairedItem }: { json: IDataObject; pairedItem?: unknown }): Told {
	const pairedWith = (pairedItem as { item: number }).item;
	if (json.skipped === true) return { delivery: 'skipped', pairedWith };
	if (json.function_name !== undefined) return { delivery: 'accepted', pairedWith };
	return { delivery: (json.details as { delivery: string }).delivery, pairedWith };
}

/** What the output says of each item, in the order of the input; both outputs put together. */
function outputOf(execution: Execution, onError: OnError): Told[] {
	const items = execution.items(0).map(told);
	if (onError !== 'continueErrorOutput') return items;
	const failed = execution.items(0, FAILED).map(({ json }) => ({
		delivery: (json.details as { delivery: string }).delivery,
		pairedWith: (json.details as { itemIndex: number }).itemIndex,
	}));
	return [...items, ...failed].sort((a, b) => a.pairedWith - b.pairedWith);
}

/** The order of the first requests to each recipient, and that no two of them were on their way together. */
function checkOrder(): void {
	for (const recipient of new Set(entries().map((entry) => String(entry.recipient)))) {
		const requests = entries().filter((entry) => entry.recipient === recipient);
		expect(engine.ledger.maxInFlightOf(recipient)).toBeLessThanOrEqual(1 + givenUp(requests));
		const order = requests.filter((entry) => entry.accepted).map(itemOf);
		checkAscending([...new Set(order)], requests);
	}
}

/** A later message overtakes an earlier one only if that one failed first, and was left for another try. */
function checkAscending(order: number[], requests: Entry[]): void {
	order.forEach((each, index) => {
		for (const later of order.slice(index + 1)) {
			if (later > each) continue;
			const overtaken = requests.find((entry) => itemOf(entry) === later);
			const overtaking = requests.find((entry) => itemOf(entry) === each && entry.accepted);
			expect(overtaken?.seq).toBeLessThan(Number(overtaking?.seq));
		}
	});
}

const isRejected = ({ delivery }: Told) => delivery === 'rejected';

function checkEachItem(output: Told[], count: number, { resend }: Setup): void {
	expect(output.map(({ pairedWith }) => pairedWith)).toEqual(
		Array.from({ length: count }, (_, index) => index),
	);
	const times = acceptances(count);
	output.forEach(({ delivery }, index) => {
		const seen = entries().some((entry) => itemOf(entry) === index && wasSeen(entry));
		if (delivery === 'accepted') expect(seen).toBe(true);
		if (delivery === 'accepted' && !resend) expect(times[index]).toBe(1);
		if (['rejected', 'notAttempted', 'skipped'].includes(delivery)) expect(times[index]).toBe(0);
		if (times[index] > 0 && !seen) expect(delivery).toBe('uncertain');
		if (seen) expect(delivery).toBe('accepted');
	});
}

async function check(given: Setup): Promise<void> {
	engine.reset();
	runs++;
	engine.sandbox.faults.set(given.faults.map(({ rule, nth }) => ({ ...rule, when: { nth } })));
	const { onError, resend, keys } = given;
	const items = given.items.map((who) => ({ phone: phoneOf(who) }));
	const execution = await settled(engine.run(flowOf(given), items));

	const sharedKeys = given.items.flatMap((who, index) => ('noPhone' in who ? [] : [index % 3]));
	if (keys === 'shared' && new Set(sharedKeys).size < sharedKeys.length) {
		// Messages that share a key and differ: one of them would be skipped unseen.
		expect(entries()).toEqual([]);
		if (onError === 'stopWorkflow') expect(execution.status).toBe('error');
		else expect(outputOf(execution, onError).every(isRejected)).toBe(true);
		return;
	}

	if (!resend) expect(Math.max(...acceptances(items.length))).toBeLessThanOrEqual(1);
	expect(engine.ledger.maxInFlight).toBeLessThanOrEqual(
		given.maxConcurrency + givenUp(engine.ledger.entries()),
	);
	checkOrder();

	if (onError !== 'stopWorkflow') {
		expect(execution.status).toBe('success');
		checkEachItem(outputOf(execution, onError), items.length, given);
		return;
	}
	if (given.items.some((who) => 'noPhone' in who)) {
		expect(execution.status).toBe('error');
		expect(entries()).toEqual([]);
		return;
	}
	if (execution.status === 'success') {
		checkEachItem(outputOf(execution, onError), items.length, given);
		return;
	}

	// The faults are over: a retry from the list sends what is left, and loses nothing of what was accepted.
	const before = acceptances(items.length);
	engine.sandbox.faults.clear();
	const retried = await settled(execution.retry());
	const after = acceptances(items.length);
	if (!resend) expect(Math.max(...after)).toBeLessThanOrEqual(1);
	after.forEach((times, index) => expect(times).toBeGreaterThanOrEqual(before[index]));
	if (retried.status === 'success') {
		checkEachItem(outputOf(retried, onError), items.length, given);
	} else {
		// Only what is uncertain, and not resent, keeps a retry without faults from succeeding.
		expect(resend).toBe(false);
		expect(retried.words).toContain("wasn't sent again");
	}
	if (keys === 'none' || keys === 'own') {
		const unsure = new Set(
			entries()
				.filter((entry) => !wasSeen(entry))
				.map(itemOf),
		);
		after.forEach((times, index) => {
			if (!unsure.has(index)) expect(times).toBe(1);
		});
	}
}

it(`holds in ${RUNS} random runs: never twice, never lost, never told wrongly`, async () => {
	await fc.assert(fc.asyncProperty(setup, check), { numRuns: RUNS });
}, 1_200_000);
