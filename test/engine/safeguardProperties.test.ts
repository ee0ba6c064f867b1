import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

// First: it lets time be virtual for the node that the others load.
import type { Execution } from './engine';
import { settled, useEngine } from './engine';
import type { Campaign, Planned } from './campaign';
import { campaign, CampaignRun } from './campaign';
import { setWallClock } from './virtualTime';
import type { Entry } from '../../sandbox/index.cts';

const engine = useEngine();

const RUNS = 2000;

let runs = 0;

type Body = Entry['body'];

/** What tells messages apart, in what they say. */
const markIn = (body: Body) => body?.text ?? body?.attributes?.['1'] ?? '';
const markOf = ({ body }: Entry) => markIn(body);

const WAS_SEEN = [null, 'latency'];

class Checks {
	constructor(
		private readonly campaignRun: CampaignRun,
		/** From the ledger's clock to the one on the wall. */
		private readonly toWallClock: number,
	) {}

	get entries(): Entry[] {
		const { customers } = this.campaignRun;
		return engine.ledger.entries().filter(({ recipient }) => customers.owns(recipient));
	}

	get accepted(): Entry[] {
		return this.entries.filter((entry) => entry.accepted);
	}

	timesAccepted({ mark }: Planned): number {
		return this.accepted.filter((entry) => markOf(entry) === mark).length;
	}

	/** What must hold at the receiving end at any time, whatever went wrong. */
	receivingEnd(): void {
		const { given, blocked, tester, items } = this.campaignRun;
		if (given.dryRun) expect(this.entries).toEqual([]);
		const recipients = this.entries.map(({ recipient }) => String(recipient));
		if (given.isTest) {
			expect(recipients.filter((recipient) => recipient !== tester)).toEqual([]);
			expect(this.accepted.length).toBeLessThanOrEqual(3);
		} else {
			expect(recipients.filter((recipient) => blocked.has(recipient))).toEqual([]);
		}
		if (given.maxMessages > 0) {
			expect(this.accepted.length).toBeLessThanOrEqual(given.maxMessages);
		}
		if (given.repeatedRecipients !== 'sendAll' && !given.isTest) {
			const once = new Set(this.accepted.map((entry) => `${entry.recipient} ${markOf(entry)}`));
			const reached = new Set(this.accepted.map(({ recipient }) => recipient));
			expect([...once]).toHaveLength(reached.size);
		}
		if (!given.resend && !given.isTest) {
			for (const item of items) {
				if (given.key !== 'customer') expect(this.timesAccepted(item)).toBeLessThanOrEqual(1);
			}
		}
		this.hours();
	}

	/** A request was on its way for a moment when it arrived. */
	private hours(): void {
		const { items } = this.campaignRun;
		for (const entry of this.entries) {
			const arrived = entry.at + this.toWallClock;
			const candidates = items.filter(({ mark }) => mark === markOf(entry));
			const isOpen = candidates.some((item) =>
				[0, 500].some((before) => this.campaignRun.isOpen(item, arrived - before)),
			);
			expect({ entry, isOpen }).toMatchObject({ isOpen: true });
		}
	}

	/** Each key is claimed exactly if its message was accepted, or may have been. */
	keys(): void {
		const { given, items } = this.campaignRun;
		const claimed = engine.deduplication.claimed().filter((key) => !key.startsWith('retry '));
		if (given.isTest || given.dryRun || given.key === 'none') {
			expect(claimed).toEqual([]);
			return;
		}
		const uncertain = new Set(engine.deduplication.uncertain());
		for (const item of items) {
			const key = item.key ?? '';
			const times = this.timesAccepted(item);
			if (!given.resend) expect(times).toBeLessThanOrEqual(1);
			if (times > 0) expect(claimed).toContain(key);
			else if (!uncertain.has(key)) expect(claimed).not.toContain(key);
			if (uncertain.has(key)) expect(this.isUnclear(item)).toBe(true);
		}
	}

	/** Whether a request of the item got no answer that says what became of it. */
	private isUnclear({ mark }: Planned): boolean {
		return this.entries.some(({ fault, status, accepted, ...entry }) => {
			if (markIn(entry.body) !== mark || fault === 'successFalse') return false;
			const isClear = accepted ? WAS_SEEN.includes(fault) : Number(status ?? 0) < 500;
			return !isClear || status === null;
		});
	}

	/** One output item per input item, in their order, and none tells something that isn't so. */
	output(json: IDataObject[], isWhole = true): void {
		const { given, items } = this.campaignRun;
		if (isWhole) expect(json).toHaveLength(items.length);
		json.forEach((each, index) => {
			const item = items[index];
			const delivery = deliveryOf(each);
			if (delivery === 'dryRun') return;
			if (each.recipient !== undefined) expect(each.recipient).toBe(item.recipient);
			const isOwnMark = given.key !== 'customer';
			if (delivery === 'accepted') expect(this.timesAccepted(item)).toBeGreaterThan(0);
			if (given.isTest) return;
			if (delivery === 'accepted') expect(recipientOf(each)).toBe(item.recipient);
			const isUnsent = ['rejected', 'notAttempted', 'skipped'].includes(delivery);
			if (isUnsent && isOwnMark && each.reason !== 'alreadySent') {
				expect({ each, times: this.timesAccepted(item) }).toMatchObject({ times: 0 });
			}
		});
	}

	/** In the continue modes, one at a time: so many failures in a row, and nothing goes after them. */
	stopAfterFailures(): void {
		const { given } = this.campaignRun;
		const { stopAfterFailures: limit, maxConcurrency, tries, onError } = given;
		if (limit === 0 || onError === 'stopWorkflow' || tries > 0 || maxConcurrency > 1) return;
		let inRow = 0;
		for (const entry of this.entries) {
			expect(inRow).toBeLessThan(limit);
			if (['rateLimit', 'unavailable'].includes(entry.fault ?? '')) continue;
			inRow = entry.accepted && WAS_SEEN.includes(entry.fault) ? 0 : inRow + 1;
		}
	}

	/** Nothing went wrong: exactly what the rules leave was sent, or shown by a dry run. */
	expected(output: IDataObject[]): void {
		const expected = this.campaignRun.expected().map(({ mark }) => mark);
		if (!this.campaignRun.given.dryRun) {
			expect(this.accepted.map(markOf).sort()).toEqual(expected.sort());
			return;
		}
		const shown = output.flatMap(({ request }) => (request ? [request as { body: Body }] : []));
		expect(shown.map(({ body }) => markIn(body)).sort()).toEqual(expected.sort());
	}
}

function deliveryOf(json: IDataObject): string {
	if (json.dryRun === true) return 'dryRun';
	if (json.skipped === true) return 'skipped';
	if (json.function_name !== undefined) return 'accepted';
	return (json.details as { delivery: string }).delivery;
}

function recipientOf({ extra }: IDataObject): string {
	const { customer_phone: phone, customer_id: id } = extra as IDataObject;
	return String(phone ?? id);
}

/** The items that came out, of all batches. */
function outputOf(execution: Execution, { batchSize }: Campaign): IDataObject[] {
	return execution.json(0, batchSize === 0 ? undefined : 'Done');
}

async function check(given: Campaign): Promise<void> {
	engine.reset();
	const campaignRun = new CampaignRun(given, ++runs);
	setWallClock(campaignRun.start);
	const toWallClock = Date.now() - performance.now() - performance.timeOrigin;
	const checks = new Checks(campaignRun, toWallClock);
	engine.sandbox.faults.set(given.faults.map(({ rule, nth }) => ({ ...rule, when: { nth } })));

	const run = async () => await settled(engine.run(campaignRun.flow(), campaignRun.input()));
	let execution = await run();
	const all = () => {
		checks.receivingEnd();
		checks.keys();
		if (execution.status === 'success') checks.output(outputOf(execution, given));
	};
	all();
	checks.stopAfterFailures();
	if (given.onError !== 'stopWorkflow') expect(execution.status).toBe('success');
	const hasOracle = given.faults.length === 0 && campaignRun.isSteady;
	// A test run that failed sends its test messages again.
	const isComplete = execution.status === 'success' || !given.dryRun;
	if (hasOracle && isComplete && !(given.isTest && given.tries > 0)) {
		checks.expected(outputOf(execution, given));
	}

	// Retries from the executions list, and then the next execution: the safeguards and keys still hold.
	engine.sandbox.faults.clear();
	for (let retry = 0; retry < 2 && execution.status === 'error'; retry++) {
		execution = await settled(execution.retry());
		all();
	}
	if (given.key === 'none' || given.resend || given.isTest) return;
	const before = checks.accepted.length;
	await run();
	checks.keys();
	if (given.maxMessages > 0) {
		expect(checks.accepted.length - before).toBeLessThanOrEqual(given.maxMessages);
	}
}

/** Calls of an agent, one after the other or at the same time, whose words the model makes up. */
const agentRun = fc.record({
	kind: fc.constantFrom('test.agent', 'test.parallelAgent', 'test.engineAgent'),
	calls: fc.array(fc.nat(4), { minLength: 1, maxLength: 6 }),
	given: campaign,
});

async function checkAgent({
	kind,
	calls,
	given: drawn,
}: typeof agentRun extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
	engine.reset();
	const given: Campaign = {
		...drawn,
		items: calls.map((customer) => ({ who: { customer, spelling: 0 }, hours: 'open' })),
		operation: 'sendText',
		hasHours: false,
		key: 'none',
	};
	const campaignRun = new CampaignRun(given, ++runs);
	setWallClock(campaignRun.start);
	const checks = new Checks(campaignRun, 0);
	engine.sandbox.faults.set(given.faults.map(({ rule, nth }) => ({ ...rule, when: { nth } })));
	const execution = await settled(engine.run(campaignRun.agent(kind), campaignRun.input()));
	checks.receivingEnd();
	expect(execution.json(0, 'Agent')).toHaveLength(calls.length);
}

it(`safeguards hold in ${RUNS / 8} random runs of an agent`, async () => {
	await fc.assert(fc.asyncProperty(agentRun, checkAgent), { numRuns: RUNS / 8 });
}, 1_200_000);

it(`safeguards hold in ${RUNS} random campaigns`, async () => {
	await fc.assert(fc.asyncProperty(campaign, check), { numRuns: RUNS });
}, 1_200_000);
