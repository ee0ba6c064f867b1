/** `docs/promises.md`, "What a retry can't do": each sentence, by what the sandbox received. */
import type { IDataObject } from 'n8n-workflow';

import * as help from './help';
import {
	clickRetry,
	engine,
	once,
	received,
	stoppedAt,
	stoppedAtSheet,
	textsOf,
	told,
} from './help';
import type { Sending } from '../engine/workflows';
import * as flows from '../engine/workflows';
import { CONTINUE, customers, cuts, looped, NODE, toSend } from '../engine/workflows';

const TIME = help.CHANGING[0][1];

describe(
	"On a second click, a message fails, and isn't sent, if the first click sent this customer " +
		'another text in its place: the text changes by itself, you corrected it, ' +
		'a new message came before it, a row of this customer is gone or has moved, ' +
		'or the service rejected it in the first click and accepted a later one.',
	() => {
		const THREE_FAIL = ['accepted', 'accepted', ...new Array<string>(3).fill(help.SENT_BY_OTHER)];

		it('the text changes by itself', async () => {
			const spec: Sending = { ...CONTINUE, parameters: TIME };
			const failed = await stoppedAt(2, { parameters: TIME });
			await clickRetry(failed, spec);
			const second = await clickRetry(failed, spec);
			expect(told(second)).toEqual(THREE_FAIL);
			expect(received()).toEqual(once());
		});

		it('you corrected it', async () => {
			const failed = await stoppedAt(2);
			await clickRetry(failed);
			const corrected = { ...CONTINUE, parameters: help.says('={{ $json.text }}, corrected') };
			const second = await clickRetry(failed, corrected);
			expect(told(second)).toEqual(THREE_FAIL);
			expect(received()).toEqual(once());
			expect(textsOf(3)).toEqual(['text 3']);
		});

		it('a new message came before it', async () => {
			const [added, earlier] = help.toOneCustomer('new', 'a');
			const flow = toSend(CONTINUE);
			const failed = await stoppedAtSheet(flow, [earlier], [added, earlier]);
			await clickRetry(failed);
			const second = await clickRetry(failed);
			expect(told(second)[0]).toEqual(help.SENT_BY_OTHER);
			expect(textsOf(0)).toEqual(['a']);
		});

		it('a row of this customer is gone', async () => {
			const [gone, left] = help.toOneCustomer('a', 'b');
			const flow = toSend({ ...CONTINUE, parameters: TIME });
			const failed = await stoppedAtSheet(flow, [gone, left], [left]);
			engine.faults({ what: 'status', status: 400, when: { first: 1 } });
			await clickRetry(failed);
			engine.faults();
			const second = await clickRetry(failed);
			expect(told(second)).toEqual([help.SENT_BY_OTHER]);
			expect(textsOf(0)).toHaveLength(1);
		});

		it('the service rejected it in the first click and accepted a later one', async () => {
			const rows = help.toOneCustomer('a', 'b');
			const failed = await stoppedAtSheet(toSend(CONTINUE), rows, rows);
			engine.faults({ what: 'status', status: 400, when: { first: 1 } });
			await clickRetry(failed);
			engine.faults();
			const second = await clickRetry(failed);
			expect(told(second)).toEqual([help.SENT_BY_OTHER, help.SENT_BEFORE]);
			expect(textsOf(0)).toEqual(['b']);
		});
	},
);

describe('After that, the second click sends this customer no new message.', () => {
	it.each(help.CHANGING)(
		"with %s in the text, and a new row before the customer's earlier one",
		async (_, parameters) => {
			const [earlier, added] = help.toOneCustomer('a', 'new');
			const other = { customer: '2000', text: 'z' };
			const flow = toSend({ ...CONTINUE, parameters });
			const failed = await stoppedAtSheet(flow, [earlier, other], [added, earlier, other]);
			await clickRetry(failed);
			await clickRetry(failed);
			expect(engine.received().sort()).toEqual([earlier.customer, other.customer].sort());
		},
	);

	it.each(help.CHANGING)(
		"with %s in the text, and the customer's earlier one uncertain in the first click",
		async (_, parameters) => {
			const [earlier, added] = help.toOneCustomer('a', 'new');
			const flow = toSend({ ...CONTINUE, parameters });
			const failed = await stoppedAtSheet(flow, [earlier], [earlier, added]);
			engine.faults(cuts({ nth: 1 }));
			await clickRetry(failed);
			const second = await clickRetry(failed);
			expect(received(1)).toEqual([1]);
			expect(second.deliveries()).not.toContain('accepted');
		},
	);
});

describe(
	'Two executions that began in the same millisecond, failed before this node and are ' +
		'both retried: of different messages to one customer, the second one fails.',
	() => {
		it('with one customer in both', async () => {
			jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-23T03:00:00Z'));
			const [first, other] = help.toOneCustomer('a', 'b');
			const locked = undefined;
			const flow = help.withSheet(toSend(CONTINUE), locked, locked, [first], [other]);
			const [one, two] = [await engine.run(flow, [{}]), await engine.run(flow, [{}])];
			expect([one.status, two.status]).toEqual(['error', 'error']);
			expect(told(await clickRetry(one))).toEqual(['accepted']);
			expect(told(await clickRetry(two))).toEqual([help.SENT_BY_OTHER]);
			expect(textsOf(0)).toEqual(['a']);
		});
	},
);

describe(
	'An uncertain message that comes again through another node, behind a step that dropped ' +
		'details, or in another run of this node with a text that changes by itself, is sent.',
	() => {
		const ofStart = (field: string) => `={{ $('Start').item.json.${field} }}`;
		const mapped = { customerId: ofStart('customer'), text: ofStart('text') };

		it('through another node, behind a step that dropped details', async () => {
			engine.faults(cuts({ nth: 1 }));
			const flow = flows.workflow([
				flows.START,
				flows.sending({ ...flows.ERROR_OUTPUT, name: 'First' }),
				flows.node('Edit Fields', 'test.drop'),
				flows.sending({ ...CONTINUE, parameters: mapped }),
			]);
			const execution = await engine.run(flow, customers(1));
			expect(told(execution)).toEqual(['accepted']);
			expect(textsOf(0)).toEqual(['text 0', 'text 0']);
		});

		it('in another run of this node, with a text that changes by itself', async () => {
			engine.faults(cuts({ nth: 1 }));
			const changing: Sending = { ...CONTINUE, parameters: help.CHANGING[2][1] };
			await engine.run(looped(changing, 1), help.toOneCustomer('a', 'a'));
			expect(received(1)).toEqual([2]);
		});
	},
);

it(
	"A second click doesn't know what a fallback step sent in the first click, " +
		"and sends that customer this node's message, too.",
	async () => {
		const first = flows.sending({ name: 'First', ...flows.ERROR_OUTPUT, ...flows.ONE_BY_ONE });
		const fallback = flows.sending({ ...CONTINUE, parameters: help.says('Fallback') });
		const rows = customers(3);
		const failed = await stoppedAtSheet(flows.workflow([flows.START, first, fallback]), rows, rows);
		engine.faults(flows.rejects({ recipient: flows.customer(1), nth: 1 }));
		await clickRetry(failed);
		expect(textsOf(1)).toEqual(['Fallback']);
		await clickRetry(failed);
		expect(textsOf(1)).toEqual(['Fallback', 'text 1']);
	},
);

describe("After you rename the node, a retry doesn't know what it sent.", () => {
	/** A loop: the first turn's message is uncertain, and then another step fails. */
	async function stoppedBehindUncertain(rows: IDataObject[], name: string) {
		const failsOnce = [new Error('The log is locked')];
		const spec: Sending = { ...CONTINUE, name: NODE };
		const flow = help.addStep(looped(spec, 1), NODE, (json) => {
			const error = failsOnce.pop();
			if (error) throw error;
			return json;
		});
		engine.faults(cuts({ nth: 1 }));
		const failed = await engine.run(flow, rows);
		engine.faults();
		expect(failed.status).toBe('error');
		const renamed = JSON.stringify(flow)
			.replaceAll(`"name":"${NODE}"`, `"name":"${name}"`)
			.replaceAll(`"node":"${NODE}"`, `"node":"${name}"`)
			.replaceAll(`"${NODE}":`, `"${name}":`);
		return { failed, saved: JSON.parse(renamed) as typeof flow };
	}

	it.each<[what: string, name: string, timesReceived: number]>([
		['with its old name', NODE, 1],
		['with another name', 'Send reminders', 2],
	])('an uncertain message that comes again, %s', async (_, name, timesReceived) => {
		const rows = help.toOneCustomer('a', 'a');
		const { failed, saved } = await stoppedBehindUncertain(rows, name);
		expect((await clickRetry(failed, saved)).status).toBe('success');
		expect(received(1)).toEqual([timesReceived]);
	});
});
