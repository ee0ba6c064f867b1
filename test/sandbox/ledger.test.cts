import { Ledger } from '../../sandbox/ledger.cts';
import { useSandbox } from './sandbox.cts';

const used = useSandbox();

test('counts deliveries, duplicates in any order of fields, and what is in flight', async () => {
	const to = (id: string, text = 'a') => used.post('text', { customer_id: id, text });
	const { ledger, faults } = used.sandbox;
	faults.set([{ what: 'latency', ms: 300 }]);
	const again = used.post('text', { text: 'a', customer_id: '1' });
	await Promise.all([to('1'), again, to('2'), to('3', 'b')]);
	await to('3', 'c');
	expect(Object.fromEntries(ledger.deliveriesByRecipient())).toEqual({ 1: 2, 2: 1, 3: 2 });
	expect(ledger.duplicates()).toMatchObject([{ recipient: '1' }]);
	expect(['1', '3'].map((id) => ledger.maxInFlightOf(id))).toEqual([2, 1]);
	const counts = { received: 5, accepted: 5, duplicates: 1, maxInFlight: 4, byStatus: { 200: 5 } };
	expect(ledger.summary()).toMatchObject(counts);
});

test('a request that is open while the ledger is cleared is not counted later', () => {
	const ledger = new Ledger();
	const open = ledger.open('send_text_message', true);
	ledger.clear();
	expect(ledger.maxInFlight).toBe(1);
	ledger.close(open, 200);
	expect(ledger.summary()).toMatchObject({ received: 0, rejected: 0, inFlight: 0, byStatus: {} });
});

test('from another process: the ledger in pages, its summary, faults, a clean sheet', async () => {
	const { ledger, faults } = used.sandbox;
	const get = async (path: string) => await (await used.control(path)).json();
	const rules = [{ what: 'status', status: 500, when: { first: 1 } }];
	await used.control('faults', 'PUT', rules);
	for (const id of ['1', '2', '3']) await used.post('text', { customer_id: id, text: 'a' });
	expect(await get('faults')).toEqual([{ ...rules[0], matched: 3, hits: 1 }]);
	expect(await get('summary')).toMatchObject({ accepted: 2, byStatus: { 200: 2, 500: 1 } });
	const entries = ledger.entries();
	expect(await get('ledger?limit=2')).toEqual({ entries: entries.slice(0, 2), more: true });
	const rest = { entries: entries.slice(2), more: false };
	expect(await get(`ledger?after=${entries[1].seq}`)).toEqual(rest);
	for (const path of ['faults', 'ledger'])
		expect((await used.control(path, 'DELETE')).status).toBe(204);
	expect([faults.list(), ledger.entries()]).toEqual([[], []]);
});
