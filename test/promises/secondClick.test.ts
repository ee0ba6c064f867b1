/** Clicking Retry twice on a failed execution sends each message once, and tells about each row. */
import type { IDataObject } from 'n8n-workflow';

import * as help from './help';
import {
	clickRetry,
	CLICKS,
	engine,
	once,
	received,
	SENT_BEFORE,
	SENT_BY_OTHER,
	told,
} from './help';
import type { Sending } from '../engine/workflows';
import {
	CONTINUE,
	customer,
	customers,
	cuts,
	ERROR_OUTPUT,
	looped,
	NODE,
	ONE_BY_ONE,
	rejects,
	sending,
	START,
	toSend,
	workflow,
} from '../engine/workflows';

const { oneAfterTheOther, stoppedAt, stoppedAtSheet, textsOf } = help;

const ROWS = customers(5);

/** On the currently saved workflow, which continues with the next row. */
const andContinue = (spec: Sending): Sending => ({ ...spec, ...CONTINUE });

describe('a coupon that an earlier step makes in each turn of a loop', () => {
	it.each(CLICKS)('%s: each once', async (_, click) => {
		const addCoupon = (row: IDataObject) => ({ ...row, text: `Coupon ${Math.random()}` });
		const withCoupons = (spec: Sending = {}) =>
			help.addStep(looped(spec, 1), 'Loop', (rows) => rows.map(addCoupon), 1);
		engine.faults(rejects({ recipient: customer(1) }));
		const failed = await engine.run(withCoupons(), ROWS);
		engine.faults();
		const clicks = await click(async () => await clickRetry(failed, withCoupons(CONTINUE)));
		expect(received()).toEqual(once());
		help.expectNoneDropped(clicks, 5, 'Done');
	});
});

describe('where the other click has sent a message with another text', () => {
	const spec = { ...ONE_BY_ONE, parameters: help.EXECUTION_ID };

	it('a fallback at the error output sends that customer nothing', async () => {
		const first = sending({ name: 'First', ...ERROR_OUTPUT, ...spec });
		const fallback = sending({ ...CONTINUE, parameters: help.says('Fallback') });
		const flow = workflow([START, first, fallback]);
		const failed = await stoppedAtSheet(flow, ROWS, ROWS);
		await clickRetry(failed);
		await clickRetry(failed);
		expect(received()).toEqual(once());
	});

	it.each([
		['Stop Workflow', {}],
		['Continue', CONTINUE],
	])('with %s, the others are sent, also after 25 of them', async (_, how) => {
		const rows = customers(30);
		const failed = await stoppedAtSheet(toSend(spec), rows, rows);
		engine.faults({ what: 'status', status: 401, when: { nth: 29 } });
		await clickRetry(failed);
		expect(received(30)).toEqual([...once(28), 0, 0]);
		engine.faults();
		const saved = help.withSheet(toSend({ ...spec, ...how }), rows);
		const second = await clickRetry(failed, saved);
		expect(received(30)).toEqual(once(30));
		expect(second.status).toBe(how === CONTINUE ? 'success' : 'error');
	});
});

it('what the service rejected in the first click is sent in the second one', async () => {
	const spec = { parameters: help.EXECUTION_ID };
	const failed = await stoppedAt(2, spec);
	engine.faults(rejects({ recipient: customer(3) }));
	const first = await clickRetry(failed, andContinue(spec));
	expect(first.deliveries()[3]).toBe('rejected');
	engine.faults();
	const second = await clickRetry(failed, andContinue(spec));
	expect(received()).toEqual(once());
	expect(told(second)[3]).toBe('accepted');
});

it('what the first click left uncertain is uncertain in the second one, and not sent', async () => {
	const spec = { parameters: help.EXECUTION_ID };
	const failed = await stoppedAt(2, spec);
	engine.faults(cuts({ recipient: customer(3) }));
	await clickRetry(failed, andContinue(spec));
	engine.faults();
	const second = await clickRetry(failed, andContinue(spec));
	expect(received()).toEqual(once());
	expect(second.deliveries()[3]).toBe('uncertain');
});

it('a Retry of the first click, and a second click: each once', async () => {
	const spec = { parameters: help.EXECUTION_ID };
	const failed = await stoppedAt(2, spec);
	engine.faults(rejects({ recipient: customer(3) }));
	const first = await clickRetry(failed);
	engine.faults();
	const second = await clickRetry(failed, andContinue(spec));
	const retryOfFirst = await clickRetry(first, andContinue(spec));
	expect(received()).toEqual(once());
	help.expectNoneDropped([second, retryOfFirst], 5);
});

it.each(CLICKS)(
	'a Retry of the first click, and one of the second click, %s: each once',
	async (_, click) => {
		const spec = { parameters: help.EXECUTION_ID };
		const failed = await stoppedAt(2, spec);
		engine.faults(rejects({ recipient: customer(3) }));
		const stopped = await click(async () => await clickRetry(failed));
		engine.faults();
		for (const each of stopped) {
			if (each.status === 'error') await clickRetry(each, andContinue(spec));
		}
		expect(received()).toEqual(once());
	},
);

describe('rows that a sheet gives in another order for the second click', () => {
	const other = ROWS.toReversed();

	it('are skipped if their texts stay the same', async () => {
		const failed = await stoppedAtSheet(toSend(CONTINUE), ROWS, other);
		const [, second] = await oneAfterTheOther(async () => await clickRetry(failed));
		expect(received()).toEqual(once());
		expect(told(second)).toEqual(ROWS.map(() => SENT_BEFORE));
	});

	it('fail where their number in the text differs', async () => {
		const numbered = { parameters: help.says('=Number {{ $itemIndex }}') };
		const failed = await stoppedAtSheet(toSend(andContinue(numbered)), ROWS, other);
		const [, second] = await oneAfterTheOther(async () => await clickRetry(failed));
		expect(received()).toEqual(once());
		const expected = ROWS.map((__, index) => (index === 2 ? SENT_BEFORE : SENT_BY_OTHER));
		expect(told(second)).toEqual(expected);
	});

	it.each(CLICKS)('go to each once, %s', async (_, click) => {
		const numbered = { parameters: help.says('=Number {{ $itemIndex }}') };
		const failed = await stoppedAtSheet(toSend(andContinue(numbered)), ROWS, other);
		const clicks = await click(async () => await clickRetry(failed));
		expect(received()).toEqual(once());
		help.expectNoneDropped(clicks, 5);
	});
});

describe('a loop that begins again in each click', () => {
	const added = [{ customer: customer(5), text: 'text 5' }, ...ROWS];
	const gone = ROWS.slice(1);
	type Expected = [what: string, IDataObject[], text: string, told: string[]];
	const same = '={{ $json.text }}';
	const counted = '=Number {{ $runIndex }}';
	const five = (what: string) => new Array<string>(5).fill(what);

	it.each<Expected>([
		['with a row added at its top', added, same, ['accepted', ...five(SENT_BEFORE)]],
		[
			'with a row added, and its number in each text',
			added,
			counted,
			['accepted', ...five(SENT_BY_OTHER)],
		],
		['with a row gone at its top', gone, same, five(SENT_BEFORE).slice(1)],
		['with a row gone, and its number in each text', gone, counted, five(SENT_BY_OTHER).slice(1)],
	])('%s: each once', async (_, rows, text, expected) => {
		const flow = looped(andContinue({ parameters: help.says(text) }), 1);
		const failed = await stoppedAtSheet(flow, ROWS, rows);
		const [, second] = await oneAfterTheOther(async () => await clickRetry(failed));
		expect(received(6)).toEqual([...once(), rows === added ? 1 : 0]);
		expect(told(second, 'Done')).toEqual(expected);
	});

	it.each(CLICKS)('in batches of two, with a row added, %s: each once', async (_, click) => {
		const flow = looped(andContinue({ parameters: help.says(counted) }), 2);
		const failed = await stoppedAtSheet(flow, ROWS, added);
		await click(async () => await clickRetry(failed));
		expect(received(6)).toEqual(once(6));
	});
});

describe("a customer's own messages, of which the second click has others", () => {
	const [a, b, added] = help.toOneCustomer('a', 'b', 'new');
	const unreadable = { ...a, customer: '' };
	/** What the customer may have at most. */
	type Rows = [what: string, first: IDataObject[], second: IDataObject[], atMost: string[]];

	it.each<Rows>([
		['a new one before them', [a, b], [added, a, b], ['a', 'b', 'new']],
		['a new one between them', [a, b], [a, added, b], ['a', 'b', 'new']],
		['a new one after them', [a, b], [a, b, added], ['a', 'b', 'new']],
		['the first one gone', [a, b], [b], ['a', 'b']],
		['another order', [a, b], [b, a], ['a', 'b']],
		['the first one unreadable in the first click', [unreadable, b], [a, b], ['a', 'b']],
		['the first one unreadable in the second click', [a, b], [unreadable, b], ['a', 'b']],
		['the first one twice', [a, b], [a, a, b], ['a', 'a', 'b']],
	])('%s: none is sent twice, and none is dropped silently', async (_, first, second, atMost) => {
		const failed = await stoppedAtSheet(toSend(CONTINUE), first, second);
		await clickRetry(failed);
		const sentBefore = textsOf(0);
		const again = await clickRetry(failed);
		const sentNow = textsOf(0).slice(sentBefore.length);

		const expected = [...atMost];
		const tooMany = textsOf(0).filter((text) => {
			const place = expected.indexOf(text);
			if (place >= 0) expected.splice(place, 1);
			return place < 0;
		});
		expect(tooMany).toEqual([]);

		told(again).forEach((ending, index) => {
			const { text } = second[index];
			if (ending === 'accepted') expect(sentNow).toContain(text);
			else if (ending === SENT_BEFORE) expect(sentBefore).toContain(text);
			else expect(ending).toEqual(help.failedWith(/another retry|'Customer ID'/));
		});
	});
});

describe(
	'a customer with two messages, ' + 'of which the service rejects the first in the first click',
	() => {
		const [a, b] = help.toOneCustomer('a', 'b');
		const corrected = { ...a, customer: customer(1) };

		/** @param click both clicks, with the text of each row and what changes by itself */
		async function clickTwice(second: IDataObject[], text: string, click: help.ClickTwice) {
			const parameters = help.says(text);
			const flow = toSend({ ...CONTINUE, parameters });
			const failed = await stoppedAtSheet(flow, [a, b], second);
			engine.faults({ what: 'status', status: 400, when: { first: 1 } });
			const clicks = await click(async () => await clickRetry(failed));
			engine.faults();
			return clicks;
		}

		const hasOnce = (text: string) =>
			expect(textsOf(0).filter((each) => each.startsWith(text)).length).toBeLessThanOrEqual(1);

		it.each([
			['the same list', [a, b]],
			['the first one gone', [b]],
			['another order', [b, a]],
			['the first one corrected to go to someone else', [corrected, b]],
		])(
			'%s in the second click, with a text that changes: none is sent twice',
			async (_, second) => {
				for (const [, click] of CLICKS) {
					engine.ledger.clear();
					const clicks = await clickTwice(second, '={{ $json.text }} {{ $execution.id }}', click);
					hasOnce('a');
					hasOnce('b');
					const rows = [2, second.length];
					clicks.forEach((each, index) => expect(told(each)).toHaveLength(rows[index]));
				}
			},
		);

		it(
			'a text that is corrected in between is not sent, ' + 'and the second click says so',
			async () => {
				const second = [corrected, { ...b, text: 'b, corrected' }];
				const [, again] = await clickTwice(second, '={{ $json.text }}', oneAfterTheOther);
				expect(textsOf(0)).toEqual(['b']);
				expect(told(again)).toEqual(['accepted', SENT_BY_OTHER]);
			},
		);
	},
);

it.each(CLICKS)(
	'an accepted row that cannot be read in the second click, %s: its customer ' +
		'gets the other one once',
	async (_, click) => {
		const rows = help.toOneCustomer('a', 'b');
		const changes = help.says('={{ $json.text }} {{ $execution.id }}');
		const failed = await help.stoppedBy(
			{ what: 'status', status: 400, when: { nth: [2] } },
			{ parameters: changes },
			rows,
		);
		const hidden = { ...changes, customerId: "={{ $itemIndex === 0 ? '' : $json.customer }}" };
		const specs = [andContinue({ parameters: changes }), andContinue({ parameters: hidden })];
		let clicked = 0;
		await click(async () => await clickRetry(failed, specs[clicked++]));
		expect(textsOf(0).map((text) => text[0])).toEqual(['a', 'b']);
	},
);

it(
	'with a send-once key, the second click skips what the first one sent, ' + 'whatever its text',
	async () => {
		const spec = {
			parameters: help.EXECUTION_ID,
			safeguards: { sendOnceKey: '={{ $json.customer }}' },
		};
		const failed = await stoppedAt(2, spec);
		const [, second] = await oneAfterTheOther(
			async () => await clickRetry(failed, andContinue(spec)),
		);
		expect(received()).toEqual(once());
		expect(told(second).slice(2)).toEqual([SENT_BEFORE, SENT_BEFORE, SENT_BEFORE]);
	},
);

describe('a question', () => {
	const asks = (message: string): Sending => {
		return { parameters: { operation: 'sendAndWait', message } };
	};
	const CHANGES = asks('=Is Friday fine? ({{ $execution.id }})');

	it.each(CLICKS)('with a text that changes, %s, is asked once', async (_, click) => {
		const failed = await stoppedAt(0, CHANGES, customers(1));
		const clicks = await click(async () => await clickRetry(failed));
		expect(received(1)).toEqual([1]);
		expect(clicks.map(({ status }) => status).sort()).toEqual(['error', 'waiting']);
		const other = clicks.find(({ status }) => status === 'error')!;
		expect(other.words).toMatch(help.ANOTHER_RETRY);
	});

	it.each(CLICKS)('with the same text, %s, is asked once and then skipped', async (_, click) => {
		const failed = await stoppedAt(0, asks('Is Friday fine?'), customers(1));
		const clicks = await click(async () => await clickRetry(failed));
		expect(received(1)).toEqual([1]);
		expect(clicks.map(({ status }) => status).sort()).toEqual(['success', 'waiting']);
		const skipped = clicks.find(({ status }) => status === 'success')!;
		expect(told(skipped)).toEqual([SENT_BEFORE]);
	});

	it.each(CLICKS)('that had not been asked before, %s, is asked once', async (_, click) => {
		const failed = await stoppedAtSheet(toSend(CHANGES), customers(1), customers(1));
		await click(async () => await clickRetry(failed));
		expect(received(1)).toEqual([1]);
	});
});

it('the rows of one execution are not those of another one that failed alike', async () => {
	const spec = { parameters: help.EXECUTION_ID };
	const failed = [await stoppedAt(2, spec), await stoppedAt(2, spec)];
	for (const each of failed) await clickRetry(each);
	expect(received()).toEqual([2, 2, 2, 2, 2]);
	expect(failed[0].runs(NODE)).toHaveLength(1);
});
