/** Rows that can be read in one try and not in another one: no customer is sent the same twice, and none is left out. */
import type { IDataObject } from 'n8n-workflow';

import * as help from './help';
import { clickRetry, CLICKS, engine, once, received, textsOf, told } from './help';
import type { Sending } from '../engine/workflows';
import { CONTINUE, customer, customers, cuts, ONE_BY_ONE, rejects } from '../engine/workflows';
import { TEMPLATE, toSend } from '../engine/workflows';

const { stoppedAt, stoppedAtSheet, toOneCustomer } = help;

const UNREADABLE = help.failedWith(/'Customer ID'|'Text'/);

/** Lets expressions know whether the service has received something by now: `$vars.received`. */
function countReceived(): void {
	Object.defineProperty(engine.variables, 'received', {
		enumerable: true,
		get: () => engine.received().length,
	});
}
beforeEach(countReceived);

/** Rows whose customer can't be read before, or after, the service has received something. */
const without = (field: 'customerId' | 'text', when: 'before' | 'after', ...rows: number[]) => {
	const isTime = when === 'before' ? '$vars.received === 0' : '$vars.received > 0';
	const value = field === 'text' ? '$json.text' : '$json.customer';
	return {
		[field]: `={{ ${isTime} && ${JSON.stringify(rows)}.includes($itemIndex) ? '' : ${value} }}`,
	};
};

const FIELDS = ['customerId', 'text'] as const;

describe.each(FIELDS)('%s of an accepted row cannot be read in the second try', (field) => {
	const spec: Sending = { ...ONE_BY_ONE, parameters: without(field, 'after', 0) };

	it('Retry On Fail: it stays accepted, and the others are sent', async () => {
		engine.faults(rejects({ nth: 3 }));
		const execution = await engine.send({ ...spec, tries: 2 }, customers(5));
		expect(execution.status).toBe('success');
		expect(told(execution)).toEqual(new Array(5).fill('accepted'));
		expect(received()).toEqual(once());
	});

	it('Retry: it stays accepted, and the others are sent', async () => {
		const again = await clickRetry(await stoppedAt(2, spec));
		expect(again.status).toBe('success');
		expect(received()).toEqual(once());
	});

	it.each(CLICKS)('Retry, %s: each gets it once', async (_, click) => {
		const failed = await stoppedAt(2, spec);
		const clicks = await click(async () => await clickRetry(failed, { ...spec, ...CONTINUE }));
		expect(received()).toEqual(once());
		help.expectNoneDropped(clicks, 5);
	});

	it('it can be read again in the third try: each gets it once', async () => {
		const again = await stoppedAt(2, spec);
		engine.faults(rejects({ recipient: customer(3) }));
		const third = await clickRetry(again);
		expect(third.status).toBe('error');
		engine.faults();
		expect((await clickRetry(third, { ...CONTINUE })).json()).toHaveLength(5);
		expect(received()).toEqual(once());
	});

	it('an uncertain row stays uncertain', async () => {
		const uncertain = { ...spec, parameters: without(field, 'after', 1) };
		const failed = await help.stoppedBy(cuts({ nth: 2 }), uncertain);
		const again = await clickRetry(failed, { ...uncertain, ...CONTINUE });
		expect(again.deliveries()).toEqual(new Array(5).fill('accepted').with(1, 'uncertain'));
		expect(received()).toEqual(once());
	});

	it('a row that was not sent before fails, and is not taken for sent', async () => {
		const rejected = { ...spec, parameters: without(field, 'after', 2) };
		const failed = await stoppedAt(2, rejected);
		const again = await clickRetry(failed, { ...rejected, ...CONTINUE });
		expect(told(again)).toEqual(new Array(5).fill('accepted').with(2, UNREADABLE));
		expect(received()).toEqual(once().with(2, 0));
	});

	it('one of two rows of one customer: the other one is sent', async () => {
		const rows = [...toOneCustomer('a', 'b'), ...customers(3).slice(1)];
		const failed = await help.stoppedBy(rejects({ nth: 2 }), spec, rows);
		const again = await clickRetry(failed);
		expect(again.status).toBe('success');
		expect([textsOf(0), received(3)]).toEqual([
			['a', 'b'],
			[2, 1, 1],
		]);
	});

	it('one of two equal rows of one customer: the other one is sent', async () => {
		const rows = toOneCustomer('a', 'a', 'b');
		const failed = await help.stoppedBy(rejects({ nth: 2 }), spec, rows);
		await clickRetry(failed);
		expect(textsOf(0)).toEqual(['a', 'a', 'b']);
	});
});

describe.each(FIELDS)('%s of a row can be read only in the second try', (field) => {
	/** n8n tries again since the first row has an error, in the continue modes, too. */
	const spec = (...rows: number[]): Sending => {
		return { ...CONTINUE, ...ONE_BY_ONE, tries: 2, parameters: without(field, 'before', ...rows) };
	};

	it('it is sent, and no other is sent again', async () => {
		const execution = await engine.send(spec(0), customers(4));
		expect(told(execution)).toEqual(new Array(4).fill('accepted'));
		expect(received(4)).toEqual(once(4));
	});

	it('so are several rows', async () => {
		await engine.send(spec(0, 1, 3), customers(5));
		expect(received()).toEqual(once());
	});

	it('a row of a customer who got another one gets it too', async () => {
		await engine.send(spec(0), toOneCustomer('a', 'b', 'c'));
		expect(textsOf(0).sort()).toEqual(['a', 'b', 'c']);
	});

	it('an equal row of a customer who got one gets it too', async () => {
		await engine.send(spec(0), toOneCustomer('a', 'a', 'b'));
		expect(textsOf(0).sort()).toEqual(['a', 'a', 'b']);
	});

	it('with a text that changes, a customer gets as many messages as rows', async () => {
		const parameters = {
			text: '={{ $json.text }} {{ Math.random() }}',
			...without('customerId', 'before', 0),
		};
		const execution = await engine.send({ ...spec(), parameters }, toOneCustomer('a', 'b', 'c'));
		expect(received(1)).toEqual([3]);
		expect(told(execution)).toEqual(new Array(3).fill('accepted'));
	});
});

describe('a row of a customer that cannot be read in one of two clicks', () => {
	const bad = (rows: IDataObject[], ...which: number[]) =>
		rows.map((row, index) => (which.includes(index) ? { ...row, customer: '' } : row));
	const spec = { ...CONTINUE, parameters: help.EXECUTION_ID };

	it('in the first one: it is sent in the second one, and no other is sent again', async () => {
		const rows = customers(5);
		const failed = await stoppedAtSheet(toSend(spec), bad(rows, 1), rows);
		const first = await clickRetry(failed);
		const second = await clickRetry(failed);
		expect(told(first)[1]).toEqual(UNREADABLE);
		expect(told(second)[1]).toBe('accepted');
		expect(received()).toEqual(once());
	});

	it('in the second one: it fails there, and no other is sent again', async () => {
		const rows = customers(5);
		const failed = await stoppedAtSheet(toSend(spec), rows, bad(rows, 1));
		await clickRetry(failed);
		const second = await clickRetry(failed);
		expect(told(second)).toEqual(new Array(5).fill(help.SENT_BY_OTHER).with(1, UNREADABLE));
		expect(received()).toEqual(once());
	});
});

it('a phone number that was accepted and cannot be read later is not sent to again', async () => {
	const phones = ['+12025550143', '+12025550144', '+12025550145'].map((phone) => ({ phone }));
	const parameters = {
		...TEMPLATE,
		customerPhone: "={{ $vars.received > 0 && $itemIndex === 0 ? 'unknown' : $json.phone }}",
	};
	const failed = await help.stoppedBy(rejects({ nth: 2 }), { parameters }, phones);
	const again = await clickRetry(failed);
	expect(again.status).toBe('success');
	expect(engine.accepted()).toEqual(phones.map(({ phone }) => phone));
});
