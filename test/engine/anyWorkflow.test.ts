/** Any list, settings, faults and tries: what must hold for all of them. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

// First: it lets time be virtual for the node that the others load.
import type { Execution } from './engine';
import { deliveryOf, settled, useEngine } from './engine';
import { type Campaign, campaign, CampaignRun, claimOf, type Planned } from './campaign';
import { FAILED } from './workflows';
import { isFixedSeed, SEED } from '../fuzz/seed';
import type { Entry } from '../../sandbox/index.cts';

const engine = useEngine();

/**
 * Of each part: in any workflow, three eighths of them without safeguards, and of an agent. The
 * fixed seed repeats the same runs: new ones come every night.
 */
const [RUNS, AGENT_RUNS] = isFixedSeed ? [40, 8] : [400, 32];

let runs = 0;

/** The part of a text that differs from message to message. */
const markOf = ({ body }: Pick<Entry, 'body'>) => body?.text ?? body?.attributes?.['1'] ?? '';

/** Whether the sender saw the record of an acceptance. */
const wasSeen = ({ accepted, fault }: Entry) => accepted && [null, 'latency'].includes(fault);

/** So many that the sender gave up may still be open at the service, besides those on their way. */
const givenUp = (entries: Entry[]) => entries.filter(({ fault }) => fault === 'hang').length;

/** Expects none of something; a failure shows its name. */
const none = (what: string, found: unknown[]) => expect({ [what]: found }).toEqual({ [what]: [] });

/** An output item, and the item that it's about where that is told. */
interface Told {
	json: IDataObject;
	pairedWith?: number;
}

/** What must hold for a run, by what the sandbox received and what came out. */
class CheckedRun extends CampaignRun {
	get entries(): Entry[] {
		return engine.ledger.entries().filter(({ recipient }) => this.owns(recipient));
	}

	get accepted(): Entry[] {
		return this.entries.filter((entry) => entry.accepted);
	}

	timesAccepted({ mark }: Planned): number {
		return this.accepted.filter((entry) => markOf(entry) === mark).length;
	}

	/** What must hold at the receiving end at any time, whatever went wrong. */
	receivingEnd(): void {
		const { given, blocked, tester, items } = this;
		if (given.dryRun) none('requests of a dry run', this.entries);
		const recipients = this.entries.map(({ recipient }) => String(recipient));
		const isWrong = (to: string) => (given.isTest ? to !== tester : blocked.has(to));
		none('recipients who must get no message', recipients.filter(isWrong));

		const messages = this.accepted.map((entry) => `${entry.recipient} ${markOf(entry)}`);
		const different = [...new Set(messages)];
		if (given.repeatedRecipients !== 'sendAll' && !given.isTest) {
			const toWhom = different.map((each) => each.split(' ')[0]);
			const repeated = toWhom.filter((each, index) => toWhom.indexOf(each) !== index);
			none('customers with two messages, though each is to get one', repeated);
		}
		if (!given.resend && !given.isTest && given.key !== 'customer') {
			const twice = items.filter((item) => this.timesAccepted(item) > 1);
			none('messages that a customer got twice', twice);
		}
		const limit = Math.min(given.isTest ? 3 : Infinity, given.maxMessages || Infinity);
		// What is resent was counted when it became uncertain.
		const counted = given.resend ? different : messages;
		none('messages beyond Max Messages, or the three of a test run', counted.slice(limit));

		const mayBeOpen = given.maxConcurrency + givenUp(engine.ledger.entries());
		expect(engine.ledger.maxInFlight).toBeLessThanOrEqual(mayBeOpen);
	}

	/** Messages to one recipient go in their order, one after the other. */
	order(): void {
		const { items, given } = this;
		const itemOf = (entry: Entry) => items.findIndex(({ mark }) => mark === markOf(entry));
		for (const recipient of new Set(this.entries.map((entry) => String(entry.recipient)))) {
			const requests = this.entries.filter((entry) => entry.recipient === recipient);
			const atOnce = engine.ledger.maxInFlightOf(recipient);
			const mayBeAtOnce = 1 + givenUp(requests);
			none('messages to one customer at the same time', new Array(atOnce).slice(mayBeAtOnce));
			if (given.key === 'customer') continue;
			// A later message overtakes an earlier one only if that one failed first, and was left
			// for another try.
			const accepted = requests.filter((entry) => entry.accepted);
			for (const [place, overtaking] of accepted.entries()) {
				for (const later of accepted.slice(place + 1)) {
					if (itemOf(later) >= itemOf(overtaking)) continue;
					const overtaken = requests.find((entry) => markOf(entry) === markOf(later))!;
					const isLeft = overtaken.seq < overtaking.seq;
					none('messages that overtook an earlier one', isLeft ? [] : [overtaking]);
				}
			}
		}
	}

	/** Each key is claimed exactly if its message was accepted, or may have been. */
	keys(): void {
		const { given, items, hasSharedKey } = this;
		const claimed = engine.deduplication.claimed().filter((key) => !/\bretry /.test(key));
		if (given.isTest || given.dryRun || given.key === 'none' || hasSharedKey) {
			expect(claimed).toEqual([]);
			return;
		}
		const uncertain = new Set(engine.deduplication.uncertain());
		for (const item of items) {
			// What can't be read has no key, and maybe the name of another one's.
			if (item.recipient === undefined) continue;
			const key = claimOf(item);
			// Where each customer gets one message, the others have the same key.
			const same = items.filter((each) => each.recipient !== undefined && claimOf(each) === key);
			const times = same.map((each) => this.timesAccepted(each));
			const isTwice = !given.resend && this.timesAccepted(item) > 1;
			none('messages with one key that were sent twice', isTwice ? [item] : []);
			if (times.some((each) => each > 0)) expect(claimed).toContain(key);
			else if (!uncertain.has(key)) expect(claimed).not.toContain(key);
			if (uncertain.has(key)) expect(same.some((each) => this.isUnclear(each))).toBe(true);
		}
	}

	/** Whether a request of the item got no answer that says what became of it. */
	private isUnclear({ mark }: Planned): boolean {
		return this.entries.some((entry) => {
			const { fault, status, accepted } = entry;
			if (markOf(entry) !== mark || fault === 'successFalse') return false;
			const isClear = accepted ? wasSeen(entry) : Number(status ?? 0) < 500;
			return !isClear || status === null;
		});
	}

	/** One output item per input item, in their order, and none says what isn't true. */
	output(told: Told[]): void {
		const { given, items } = this;
		expect(told).toHaveLength(items.length);
		told.forEach(({ json, pairedWith }, index) => {
			const item = items[index];
			const delivery = deliveryOf(json);
			if (given.batchSize === 0) expect(pairedWith).toBe(index);
			if (delivery === 'dryRun') return;
			if (json.skipped === true) expect(json.recipient).toBe(item.recipient);
			const times = this.timesAccepted(item);
			if (delivery === 'accepted') expect(times).toBeGreaterThan(0);
			if (given.isTest) return;
			const { customer_phone: phone, customer_id: id } = (json.extra ?? {}) as IDataObject;
			if (delivery === 'accepted') expect(String(phone ?? id)).toBe(item.recipient);
			if (given.key === 'customer' || json.reason === 'alreadySent') return;
			const seen = this.entries.some((entry) => markOf(entry) === item.mark && wasSeen(entry));
			const truths = times === 0 ? ['rejected', 'notAttempted', 'skipped', 'uncertain'] : [];
			if (times > 0) truths.push(seen ? 'accepted' : 'uncertain');
			none("items that say what isn't true", truths.includes(delivery) ? [] : [{ json, truths }]);
		});
	}

	/**
	 * In the continue modes, one at a time: so many failures in a row, and nothing goes after them.
	 */
	stopAfterFailures(): void {
		const { given } = this;
		const { stopAfterFailures: limit, maxConcurrency, tries, onError, batchSize } = given;
		if (limit === 0 || onError === 'stopWorkflow' || tries > 0 || maxConcurrency > 1) return;
		// Each later run sends one message as a probe.
		if (batchSize > 0) return;
		let inRow = 0;
		for (const entry of this.entries) {
			none('requests after Stop After Failures', inRow < limit ? [] : [entry]);
			if (['rateLimit', 'unavailable'].includes(entry.fault ?? '')) continue;
			inRow = wasSeen(entry) ? 0 : inRow + 1;
		}
	}

	/** Nothing went wrong: exactly what the rules leave was sent, or shown by a dry run. */
	asExpected(told: Told[]): void {
		const expected = this.expected().map(({ mark }) => mark);
		const requests = told.map(({ json }) => json.request as Entry | undefined);
		const shown = requests.flatMap((request) => (request ? [markOf(request)] : []));
		const { dryRun, maxConcurrency, maxMessages } = this.given;
		const sent = dryRun ? shown : this.accepted.map(markOf);
		expect(sent).toHaveLength(expected.length);
		// With keys, messages that are claimed at the same time share what a limit leaves in the order
		// of their claims.
		const isInOrder = maxConcurrency === 1 || maxMessages === 0 || !this.hasKeys;
		if (isInOrder) expect(sent.sort()).toEqual(expected.sort());
	}

	/** After a retry without faults, whoever got a clear response has the message, once. */
	complete(): void {
		const ended = this.items.filter((item) => !this.isUnclear(item));
		const without = ended.filter((item) => this.timesAccepted(item) === 0);
		none('customers whom neither the first try nor the retry sent anything', without);
		none(
			'messages that a retry sent again',
			ended.filter((item) => this.timesAccepted(item) > 1),
		);
	}
}

/** What came out of both outputs, in the order of the input, or what came out of a loop. */
function outputOf(execution: Execution, { batchSize, onError }: Campaign): Told[] {
	const told = execution
		.items(0, batchSize === 0 ? undefined : 'Done')
		.map(({ json, pairedItem }) => ({ json, pairedWith: (pairedItem as { item: number }).item }));
	if (onError !== 'continueErrorOutput') return told;
	const failed = execution
		.json(0, FAILED)
		.map((json) => ({ json, pairedWith: (json.details as { itemIndex: number }).itemIndex }));
	return [...told, ...failed].sort((one, other) => one.pairedWith - other.pairedWith);
}

function begin(given: Campaign): CheckedRun {
	engine.reset();
	engine.faults(...given.faults.map(({ rule, nth }) => ({ ...rule, when: { nth } })));
	return new CheckedRun(given, ++runs);
}

async function check(given: Campaign): Promise<void> {
	const checked = begin(given);
	const run = async () => await settled(engine.run(checked.flow(), checked.input()));
	let execution = await run();
	const all = () => {
		checked.receivingEnd();
		checked.keys();
		if (execution.status === 'success') checked.output(outputOf(execution, given));
	};
	checked.order();
	all();
	checked.stopAfterFailures();
	const stops = given.onError === 'stopWorkflow';
	if (!stops) expect(execution.status).toBe('success');
	const isUnreadable = checked.items.some(({ recipient }) => recipient === undefined);
	const isRejected = checked.hasSharedKey || (stops && isUnreadable && !given.dryRun);
	if (isRejected && given.batchSize === 0) {
		expect(checked.entries).toEqual([]);
		if (stops) expect(execution.status).toBe('error');
	}
	// A test run that failed sends its test messages again.
	const isComplete = execution.status === 'success' || !given.dryRun;
	const isAsPlanned = given.faults.length === 0 && isComplete;
	if (isAsPlanned && !(given.isTest && given.tries > 0))
		checked.asExpected(outputOf(execution, given));

	// Retries from the executions list, and then the next execution: the safeguards and
	// keys still hold.
	const wasError = execution.status === 'error';
	engine.faults();
	for (let retry = 0; retry < 2 && execution.status === 'error'; retry++) {
		execution = await settled(execution.retry());
		all();
	}
	if (wasError && !given.isGuarded && !isRejected) {
		if (given.key !== 'customer') checked.complete();
		// Only what is uncertain, and not resent, keeps a retry without faults from succeeding.
		if (given.resend) expect(execution.status).toBe('success');
		else if (execution.status === 'error') expect(execution.words).toContain("wasn't sent again");
	}
	if (given.key === 'none' || given.resend || given.isTest) return;
	const before = checked.accepted.length;
	await run();
	checked.keys();
	expect(checked.accepted.length - before).toBeLessThanOrEqual(given.maxMessages || Infinity);
}

/** Calls of an agent, one after the other or at the same time, whose words the model makes up. */
const agentRun = fc.record({
	kind: fc.constantFrom('test.agent', 'test.parallelAgent', 'test.engineAgent'),
	calls: fc.array(fc.nat(4), { minLength: 1, maxLength: 6 }),
	drawn: campaign,
});
type AgentRun = typeof agentRun extends fc.Arbitrary<infer T> ? T : never;

async function checkAgent({ kind, calls, drawn }: AgentRun): Promise<void> {
	const recipients = calls.map((customer) => ({ customer, spelling: 0 }));
	const own = { recipients, operation: 'sendText', key: 'none' } as const;
	const checked = begin({ ...drawn, ...own, maxConcurrency: calls.length });
	const execution = await settled(engine.run(checked.agent(kind), checked.input()));
	checked.receivingEnd();
	expect(execution.json(0, 'Agent')).toHaveLength(calls.length);
	if (!drawn.isGuarded && drawn.faults.length === 0)
		expect(checked.accepted).toHaveLength(calls.length);
}

/** Each part tells how far it is. */
const PARTS = [0, 1, 2, 3, 4, 5, 6, 7];

jest.setTimeout(1_200_000);

describe.each(PARTS.map((part) => SEED + part))('with random values of the seed %i', (seed) => {
	it('any agent sends each message once, and is told how it ended', async () => {
		await fc.assert(fc.asyncProperty(agentRun, checkAgent), { numRuns: AGENT_RUNS, seed });
	});

	it('any workflow sends each message once, drops none, and tells how it ended', async () => {
		await fc.assert(fc.asyncProperty(campaign, check), { numRuns: RUNS, seed });
	});
});
