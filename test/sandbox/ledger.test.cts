import { Ledger, type Entry } from '../../sandbox/ledger.cts';
import { useSandbox, bodies } from './sandbox.cts';

const used = useSandbox();

test('writes down every request to an endpoint', async () => {
	await used.post('text');
	await used.post('text', { customer_id: 'x', text: 'y' });
	await fetch(`${used.sandbox.url}/elsewhere`);
	const [taken, ...rest] = used.sandbox.ledger.entries();
	expect(taken).toMatchObject({
		operation: 'send_text_message',
		recipient: '42',
		body: bodies.text,
		status: 200,
		accepted: true,
		fault: null,
		keyOk: true,
	});
	expect(taken.endedAt).toBeGreaterThanOrEqual(taken.at);
	expect(rest).toMatchObject([
		{ seq: taken.seq + 1, recipient: 'x', status: 400, accepted: false },
	]);
});

test('counts deliveries, duplicates in whatever order their fields come, and what is in flight together', async () => {
	const to = (id: string, text = 'a') => used.post('text', { customer_id: id, text });
	const { ledger, faults } = used.sandbox;
	faults.set([{ what: 'latency', ms: 300 }]);
	const again = used.post('text', { text: 'a', customer_id: '1' });
	await Promise.all([to('1'), again, to('2'), to('3', 'b')]);
	await to('3', 'c');
	expect(Object.fromEntries(ledger.deliveriesByRecipient())).toEqual({ 1: 2, 2: 1, 3: 2 });
	expect(ledger.duplicates()).toMatchObject([{ recipient: '1', seqs: { length: 2 } }]);
	expect(['1', '3'].map((id) => ledger.maxInFlightOf(id))).toEqual([2, 1]);
	const counts = { received: 5, accepted: 5, duplicates: 1, maxInFlight: 4, byStatus: { 200: 5 } };
	expect(ledger.summary()).toMatchObject(counts);
});

test('a request that is open while the ledger is cleared is not counted later', () => {
	const ledger = new Ledger();
	const open = ledger.open('send_text_message', {}, true);
	ledger.clear();
	expect(ledger.maxInFlight).toBe(1);
	ledger.close(open, 200);
	expect(ledger.summary()).toMatchObject({ received: 0, rejected: 0, inFlight: 0, byStatus: {} });
});

test('over HTTP: ledger, pages of it, summary, and clearing', async () => {
	for (const id of ['1', '2', '3']) await used.post('text', { customer_id: id, text: 'a' });
	const get = async (path: string) =>
		(await (await used.control(path)).json()) as { entries: Entry[]; more: boolean };
	const page = await get('ledger?limit=2');
	expect([page.entries.length, page.more]).toEqual([2, true]);
	const rest = await get(`ledger?after=${page.entries[1].seq}`);
	expect(rest.more).toBe(false);
	expect([...page.entries, ...rest.entries]).toEqual(used.sandbox.ledger.entries());
	expect(await get('summary')).toEqual(used.sandbox.ledger.summary());
	expect((await used.control('ledger', 'DELETE')).status).toBe(204);
	expect(used.sandbox.ledger.entries()).toEqual([]);
});
