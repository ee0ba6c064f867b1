/** A later try of the same run, by Retry On Fail or by Retry, sends what the earlier one didn't. */
import * as help from './help';
import { clickRetry, engine, once, received, textsOf, told } from './help';
import type { Sending } from '../engine/workflows';
import * as flows from '../engine/workflows';
import { CONTINUE, customer, customers, cuts, looped, rejects } from '../engine/workflows';

const { ONE_BY_ONE } = flows;
const { stoppedAt, toOneCustomer } = help;

/** The service rejects the request with this number, and no other. */
const rejectsNth = (...nth: number[]) => rejects({ nth });

describe.each<[string, Sending]>([
	['Max Messages', { safeguards: { maxMessages: 1 } }],
	['an option', { options: { timeout: 'soon' } }],
	['Do Not Contact', { safeguards: { doNotContact: 'no one' } }],
	['the credential', {}],
])('when %s rejects the whole list in the second try', (what, broken) => {
	const spec = { parameters: help.EXECUTION_ID };
	const breakCredential = () => engine.useCredential({ baseUrl: 'not a URL' });
	const secondTry = async (how: Sending) => {
		const failed = await stoppedAt(2, spec);
		if (what === 'the credential') breakCredential();
		const second = await clickRetry(failed, { ...spec, ...broken, ...how });
		engine.useCredential();
		expect(received()).toEqual([1, 1, 0, 0, 0]);
		return { failed, second };
	};

	it('what was accepted stays so, and the others fail', async () => {
		const { second } = await secondTry(CONTINUE);
		const others = [2, 3, 4].map(() => help.failedWith(/./));
		expect(told(second)).toEqual(['accepted', 'accepted', ...others]);
	});

	it('a third try, when it is corrected, sends the others', async () => {
		const { second } = await secondTry({});
		expect(second.status).toBe('error');
		expect((await clickRetry(second, spec)).status).toBe('success');
		expect(received()).toEqual(once());
	});

	it('a second click, when it is corrected, sends the others', async () => {
		const { failed } = await secondTry(CONTINUE);
		const corrected = await clickRetry(failed, { ...spec, ...CONTINUE });
		expect(told(corrected)).toEqual(new Array(5).fill('accepted'));
		expect(received()).toEqual(once());
	});
});

/** The texts of one customer's rows. */
type List = [what: string, texts: string[]];

describe.each<List>([
	['three equal messages', ['a', 'a', 'a']],
	['three other messages', ['a', 'b', 'c']],
	['two equal messages and another one', ['a', 'a', 'b']],
	['one between two equal messages', ['a', 'b', 'a']],
])('one customer with %s', (_, texts) => {
	const rows = toOneCustomer(...texts);
	const sorted = () => textsOf(0).sort();

	describe.each([1, 2, 3])('of which the %i. is rejected at first', (nth) => {
		it('gets each once by Retry On Fail', async () => {
			engine.faults(rejectsNth(nth));
			const execution = await engine.send({ ...ONE_BY_ONE, tries: 2 }, rows);
			expect(execution.status).toBe('success');
			expect(textsOf(0)).toEqual(texts);
		});

		it('gets each once by Retry', async () => {
			const failed = await help.stoppedBy(rejectsNth(nth), {}, rows);
			expect((await clickRetry(failed)).status).toBe('success');
			expect(textsOf(0)).toEqual(texts);
		});

		it.each(help.CLICKS)('gets each once by two clicks, %s', async (__, click) => {
			const failed = await help.stoppedBy(rejectsNth(nth), {}, rows);
			const clicks = await click(async () => await clickRetry(failed, CONTINUE));
			expect(sorted()).toEqual(texts.toSorted());
			help.expectNoneDropped(clicks, 3);
		});

		it.each(help.CLICKS)('gets three by two clicks, %s, if they change', async (__, click) => {
			const spec = { parameters: help.EXECUTION_ID };
			const failed = await help.stoppedBy(rejectsNth(nth), spec, rows);
			const clicks = await click(async () => await clickRetry(failed, { ...spec, ...CONTINUE }));
			expect(received(1)).toEqual([3]);
			help.expectNoneDropped(clicks, 3);
		});

		it('gets three by Retry On Fail if they change', async () => {
			engine.faults(rejectsNth(nth));
			await engine.send({ ...ONE_BY_ONE, tries: 2, parameters: help.CHANGING[2][1] }, rows);
			expect(textsOf(0).map((text) => text[0])).toEqual(texts);
		});
	});

	it.each(help.CLICKS)('gets three where the node had not run before, %s', async (__, click) => {
		const flow = looped({ ...CONTINUE, parameters: help.EXECUTION_ID }, 1);
		const failed = await help.stoppedAtSheet(flow, rows, rows);
		await click(async () => await clickRetry(failed));
		expect(received(1)).toEqual([3]);
	});

	it('gets three, of which none is sent again while one is uncertain', async () => {
		engine.faults(cuts({ nth: 2 }));
		const spec = { ...ONE_BY_ONE, tries: 3 };
		const failed = await engine.send(spec, rows);
		await clickRetry(failed);
		await clickRetry(failed);
		expect(sorted()).toEqual(texts.toSorted());
	});
});

describe('a customer has a row in several turns of a loop', () => {
	const [hi, equal, other] = toOneCustomer('Hi', 'Hi', 'Bye');
	const [, second, third] = customers(3);
	const rows = [hi, second, equal, third, other];
	const spec = { ...ONE_BY_ONE, parameters: help.says('={{ $json.text }}') };
	const changing = { ...ONE_BY_ONE, parameters: help.EXECUTION_ID };
	const [, customer2, customer3] = [0, 1, 2].map(customer);

	/** How many messages each customer has. */
	function messages() {
		const [customer1, customer2, customer3] = received(3);
		return { customer1, customer2, customer3 };
	}
	const ALL = { customer1: 3, customer2: 1, customer3: 1 };

	it.each<[what: string, Sending]>([
		['with texts that stay the same', spec],
		['with texts that change', changing],
	])('%s: a row that was rejected is sent by the next Retry, and none twice', async (_, how) => {
		const failed = await help.stoppedAtSheet(looped(how, 1), rows, rows);
		engine.faults(rejects({ recipient: customer2 }));
		const first = await clickRetry(failed);
		expect(first.status).toBe('error');
		expect(messages()).toEqual({ customer1: 1, customer2: 0, customer3: 0 });
		// It begins in a later turn.
		engine.faults(rejects({ recipient: customer3 }));
		const next = await clickRetry(first);
		expect(next.status).toBe('error');
		expect(messages()).toEqual({ customer1: 2, customer2: 1, customer3: 0 });
		engine.faults();
		expect((await clickRetry(next)).status).toBe('success');
		expect(messages()).toEqual(ALL);
		// The second click begins at the first turn.
		await clickRetry(failed);
		expect(messages()).toEqual(ALL);
	});

	it.each<[what: string, Sending]>([
		['with texts that stay the same', spec],
		['with texts that change', changing],
	])('%s: Retry On Fail in a Retry does not count them twice', async (_, how) => {
		const flow = looped({ ...how, tries: 3 }, 2);
		const failed = await help.stoppedAtSheet(flow, rows, rows);
		engine.faults(rejectsNth(2, 4, 6));
		const first = await clickRetry(failed);
		expect(first.status).toBe('success');
		expect(messages()).toEqual(ALL);
		engine.faults();
		await clickRetry(failed);
		expect(messages()).toEqual(ALL);
	});
});
