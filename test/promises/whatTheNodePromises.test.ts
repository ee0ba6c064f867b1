/**
 * promises.md, its first promise: for any list, any service, any tries. The exceptions are further
 * down on the page.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { clickRetry, engine, stoppedAtSheet, told, withSheet } from './help';
import type { Execution } from '../engine/engine';
import { settled } from '../engine/engine';
import type { Sending } from '../engine/workflows';
import { CONTINUE, customer, cuts, looped, rejects, toSend } from '../engine/workflows';
import type { FaultRule } from '../../sandbox/index.cts';
import { isFixedSeed, SEED } from '../fuzz/seed';

const numRuns = isFixedSeed ? 100 : 400;

/** A row for one of three customers, with one of two texts. */
const row = fc.record({ who: fc.nat(2), text: fc.constantFrom('a', 'b') });

/** What one reading of the sheet does with the rows: another order, and rows without a customer. */
const reading = fc.record({ isReversed: fc.boolean(), unreadable: fc.subarray([0, 1, 2, 3]) });

/** What the service does with some requests of a try. */
const answer = fc.record({
	nth: fc.integer({ min: 1, max: 6 }),
	what: fc.constantFrom('rejects', 'cuts', 'fails'),
});
const answers = fc.uniqueArray(answer, { selector: ({ nth }) => nth, maxLength: 3 });

const given = fc.record({
	rows: fc.array(row, { minLength: 1, maxLength: 6 }),
	firstReading: reading,
	secondReading: reading,
	isLooped: fc.boolean(),
	/** With Stop Workflow, or with Continue. */
	stops: fc.boolean(),
	tries: fc.constantFrom(0, 2, 3),
	/** Whether the node had run before the first Retry. */
	hasRun: fc.boolean(),
	atOnce: fc.boolean(),
	answersByTry: fc.tuple(answers, answers, answers),
});
/** Whether the text has the execution's ID in it, and so changes from try to try. */
type Given = (typeof given extends fc.Arbitrary<infer T> ? T : never) & { changes: boolean };

function ruleOf({ nth, what }: { nth: number; what: string }): FaultRule {
	if (what === 'rejects') return rejects({ nth });
	return what === 'cuts' ? cuts({ nth }) : { what: 'status', status: 500, when: { nth } };
}

let runs = 0;

/** Each run has customers of its own: a request that was given up may arrive late. */
async function check(given: Given): Promise<void> {
	engine.reset();
	const base = 10 * ++runs;
	const all = given.rows.map(({ who, text }) => ({ who, customer: customer(base + who), text }));
	const read = ({ isReversed, unreadable }: Given['firstReading']): IDataObject[] => {
		const shown = all.map((each, index) => {
			return {
				...each,
				whose: each.customer,
				shown: unreadable.includes(index) ? '' : each.customer,
			};
		});
		return isReversed ? shown.toReversed() : shown;
	};
	const spec: Sending = {
		...(given.stops ? {} : CONTINUE),
		tries: given.tries,
		options: { maxConcurrency: 1 },
		parameters: {
			customerId: '={{ $json.shown }}',
			text: given.changes ? '={{ $json.text }} {{ $execution.id }}' : '={{ $json.text }}',
		},
	};
	const flow = given.isLooped ? looped(spec, 2) : toSend(spec);
	const [first, second, third] = given.answersByTry.map((each) => each.map(ruleOf));

	// The first execution stops at the sheet, or in the node.
	engine.faults(...first);
	const readings = [read(given.firstReading), read(given.secondReading)];
	const failed = given.hasRun
		? await settled(engine.run(withSheet(flow, ...readings), [{}]))
		: await stoppedAtSheet(flow, ...readings);
	const executions: Execution[] = [failed];
	engine.faults(...second);
	if (failed.status === 'error') {
		const click = async () => await settled(clickRetry(failed));
		const clicks = given.atOnce
			? await Promise.all([click(), click()])
			: [await click(), await click()];
		executions.push(...clicks);
		engine.faults(...third);
		for (const each of clicks)
			if (each.status === 'error') executions.push(await settled(clickRetry(each)));
	}
	notTwice(given, all);
	for (const execution of executions) noneDropped(given, execution, readings);
}

const acceptedFor = (recipient: unknown) =>
	engine.ledger.accepted().filter((entry) => entry.recipient === recipient);

/** Each customer has at most one message for each row. */
function notTwice({ changes }: Given, all: IDataObject[]): void {
	const tooOften: string[] = [];
	for (const { who, customer } of all.filter(isFirstOfCustomer)) {
		const rows = all.filter((row) => row.customer === customer);
		const sent = acceptedFor(customer).map(({ body }) => String(body.text)[0]);
		const compare = (what: string, times: number, atMost: number) => {
			if (times <= atMost) return;
			tooOften.push(
				`customer ${String(who)} received ${times} ${what}, its rows ask for ${atMost}`,
			);
		};
		compare('messages', sent.length, rows.length);
		// A text that changes says nothing about which row it's of.
		for (const text of changes ? [] : ['a', 'b']) {
			const ofText = rows.filter((row) => row.text === text);
			compare(`messages "${text}"`, sent.filter((one) => one === text).length, ofText.length);
		}
	}
	expect(tooOften).toEqual([]);
}

const isFirstOfCustomer = (row: IDataObject, index: number, all: IDataObject[]) =>
	all.findIndex(({ customer }) => customer === row.customer) === index;

/** What the node says of each row is true: what it doesn't call failed, the customer has. */
function noneDropped({ isLooped }: Given, execution: Execution, readings: IDataObject[][]): void {
	if (execution.status === 'error') {
		expect(execution.words).toMatch(/^[^]{21}/);
		return;
	}
	expect(execution.status).toBe('success');
	const endings = told(execution, isLooped ? 'Done' : undefined);
	expect(endings).toHaveLength(readings[0].length);
	const failed = (index: number) => endings[index].startsWith('failed: ');
	const droppedOf = (rows: IDataObject[]) =>
		rows.flatMap(({ who, whose }, index) => {
			const own = rows.filter((row, each) => row.whose === whose && !failed(each)).length;
			const received = acceptedFor(whose).length;
			if (failed(index) || own <= received) return [];
			const says = `row ${index + 1} to customer ${String(who)}: the node says "${endings[index]}"`;
			return [`${says}, the service received ${received} of ${own}`];
		});
	/** A retry of the node has the rows of one reading, and one of the sheet those of the other. */
	const [dropped] = readings.map(droppedOf).sort((one, other) => one.length - other.length);
	expect(dropped).toEqual([]);
}

jest.setTimeout(300_000);

describe(
	"In an execution and its retries, this node sends an item's message at most once, except " +
		'after a crash, in a loop that brings the item around again, ' +
		"with 'If Delivery Is Uncertain' on Resend, and where you aren't told.",
	() => {
		it.each([
			['stay the same', false],
			['change by themselves', true],
		])('with texts that %s', async (_, changes) => {
			const checkOne = async (drawn: Omit<Given, 'changes'>) => await check({ ...drawn, changes });
			await fc.assert(fc.asyncProperty(given, checkOne), { numRuns, seed: SEED });
		});
	},
);
