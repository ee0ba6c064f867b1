import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { readExample } from '../n8n/example.cts';
import { useEngine } from './engine';
import * as flows from './workflows';
import { CONTINUE, customer, customers, cuts, rejects, toSend } from './workflows';

const engine = useEngine({ latency: 10 });

const KEY = { safeguards: { sendOnceKey: '={{ $json.order }}' } };

/** Items with a key each. */
const orders = (count: number): IDataObject[] =>
	customers(count).map((item, index) => ({ ...item, order: `order ${index}` }));

const SENT = ['accepted', 'accepted'];

// A node after this one may need its place.
afterEach(() => expect(engine.deduplication.isLocked).toBe(false));

it('a key that was sent is not sent again, and the output says so', async () => {
	expect((await engine.send(KEY, orders(3))).hints()).toEqual([]);
	const second = await engine.send(KEY, orders(5));
	const skipped = [0, 1, 2].map((index) => {
		const of = { recipient: customer(index), sendOnceKey: `order ${index}` };
		return { skipped: true, reason: 'alreadySent', ...of };
	});
	expect(second.json().slice(0, 3)).toEqual(skipped);
	const pairs = second.items().map(({ pairedItem }) => pairedItem);
	expect(pairs).toEqual([0, 1, 2, 3, 4].map((item) => ({ item })));
	expect(engine.timesDelivered(5)).toEqual([1, 1, 1, 1, 1]);
});

it('keys of all kinds are keys, each the same however its characters are composed', async () => {
	const keys = ['-100123', '/orders/1', 'A - B', '#7', 'nullable', '2026-12-01T9:00', 'caf\u00e9'];
	const items = orders(keys.length).map((item, index) => ({ ...item, order: keys[index] }));
	expect((await engine.send(KEY, items)).deliveries()).toEqual(keys.map(() => 'accepted'));
	const composed = items.map((item) => ({ ...item, order: item.order.normalize('NFD') }));
	await engine.send(KEY, composed);
	expect(engine.received()).toHaveLength(keys.length);
});

it(
	'a key that changes by itself, and so would skip no one, ' + 'is rejected: nothing is sent',
	async () => {
		const safeguards = { sendOnceKey: '={{ $json.order }} {{ $execution.id }}' };
		const stopped = await engine.send({ safeguards }, orders(2));
		const continued = await engine.send({ ...CONTINUE, safeguards }, orders(2));
		expect(engine.received()).toEqual([]);
		const TITLE = "'Send Once Key' changes by itself";
		expect(stopped.words).toContain(TITLE);
		expect(continued.json().map(({ error }) => String(error))).toEqual([
			expect.stringContaining(TITLE),
			expect.stringContaining(TITLE),
		]);
	},
);

it.each([
	'A\u00a01 gift',
	'A 1\tgift',
	'A  1\n gift',
	'A \u200b1 gi\u00adft',
	'\ufeffA\u202f1\u2003gift ',
])('keys that look equal are equal: %j', async (order) => {
	const [item] = customers(1);
	await engine.send(KEY, [{ ...item, order: 'A 1 gift' }]);
	const again = await engine.send(KEY, [{ ...item, order }]);
	expect(again.deliveries()).toEqual(['skipped']);
	const other = await engine.send(KEY, [{ ...item, order: 'A1 gift' }]);
	expect(other.deliveries()).toEqual(['accepted']);
});

describe("a key with a time zone's offset is a hint", () => {
	const hintsOf = async (order: string) => {
		const [item] = customers(1);
		return (await engine.send(KEY, [{ ...item, order }])).hints();
	};

	it.each([
		'2026-11-30T09:30:00+01:00',
		'2026-11-30T09:30:00.000-05:00',
		'2026-11-30T08:30:00Z',
		'2026-11-30T08:30Z-reminder',
		'A-1 2026-11-30 08:30:00+0100',
	])('%s', async (key) => {
		expect(await hintsOf(key)).toEqual([
			expect.stringContaining(`1 send-once key with a time zone's offset: "${key.slice(0, 50)}`),
		]);
	});

	it.each([
		'2026-11-30 09:30',
		'2026-11-30T09:30',
		'2026-11-30',
		'2026-11-30 09:30-42',
		'2026-11-30 09:30-1042',
		'2026-11-30 09:30-10:30',
		'09:30 Zumba',
		'A-10:20Zoe',
		'+491701234567',
	])('none: %s', async (key) => expect(await hintsOf(key)).toEqual([]));
});

it('a key that is added before a retry covers what was accepted or is uncertain', async () => {
	engine.faults(cuts({ nth: 2 }), rejects({ nth: 3 }));
	const failed = await engine.send(flows.ONE_BY_ONE, orders(3));
	engine.faults();
	await failed.retry(toSend({ ...KEY, ...CONTINUE }));
	expect((await engine.send({ ...KEY, ...flows.ONE_BY_ONE }, orders(4))).status).toBe('error');
	expect(engine.timesDelivered(4)).toEqual([1, 1, 1, 1]);
});

it('what is stored of a key stays readable for later releases', async () => {
	await engine.send(KEY, orders(1));
	const key = `${engine.sandbox.url} ${customer(0)} order 0`;
	const entries = [key, `\u0000content ${key}`, `\u0000ended ${key}`, `\u0000accepted ${key}`];
	expect(engine.deduplication.entries()).toEqual(entries);
});

it("the reminders' own key: a tidied phone is the same customer", async () => {
	const { nodes } = readExample('reminders.json');
	const remind = nodes.find(({ name }) => name === 'Remind') as flows.Sending;
	const { sendOnceKey, repeatedRecipients } = remind.parameters!.safeguards as INodeParameters;
	const parameters = {
		...{ ...remind.parameters, templateId: 'reminder', channelId: '5001', options: {} },
		safeguards: { sendOnceKey, repeatedRecipients },
	};
	const send = async (...rows: IDataObject[]) => {
		const appointment = { key: '2026-12-01 14:30', day: 'December 1', time: '14:30' };
		const items = rows.map((row) => ({ ...appointment, ...row }));
		return (await engine.send({ parameters }, items)).deliveries();
	};
	const ben = { Name: 'Ben', Phone: '0044 7700 900461' };
	expect(await send(ben, { Name: 'Ada', Phone: '+1 202 555 0143' })).toEqual(SENT);
	const tidied = { ...ben, Phone: '+44 7700 900461' };
	const corrected = { ...ben, Phone: '+44 7700 900462' };
	const brazil = ['+55 11 9 6123-4567', '+55 11 6123-4567'].map((Phone) => ({ Name: 'Ed', Phone }));
	expect(await send(tidied, corrected, ...brazil)).toEqual(['skipped', ...SENT, 'skipped']);
	expect(engine.received()).toHaveLength(4);
});
