import http from 'node:http';
import { Ledger, type Entry } from '../../sandbox/ledger.cts';
import { maxInFlight } from '../../sandbox/ledgerQueries.cts';
import { useSandbox, paths, bodies } from './sandbox.cts';

const used = useSandbox({ latency: 20 });

test('writes down every request to an endpoint', async () => {
	const before = Date.now();
	await used.post('text');
	await used.post('text', { customer_id: 'x', text: 'y' });
	await fetch(`${used.sandbox.url}/elsewhere`);
	const [taken, refused, ...rest] = used.sandbox.ledger.entries();
	expect(rest).toEqual([]);
	expect(taken).toMatchObject({
		operation: 'send_text_message',
		recipient: '42',
		body: bodies.text,
		status: 200,
		accepted: true,
		fault: null,
		keyOk: true,
	});
	expect(refused).toMatchObject({ seq: taken.seq + 1, recipient: 'x', status: 400 });
	expect(refused.accepted).toBe(false);
	expect(taken.at).toBeGreaterThan(before - 1000);
	expect(taken.endedAt).toBeGreaterThanOrEqual(taken.at);
	expect(used.sandbox.ledger.starts()).toEqual([taken.at, refused.at]);
});

test('counts deliveries, duplicates, connections and what is in flight together', async () => {
	const to = (id: string, text = 'a') => used.post('text', { customer_id: id, text });
	used.sandbox.faults.set([{ what: 'latency', ms: 300 }]);
	await Promise.all([to('1'), to('1'), to('2'), to('3', 'b')]);
	await to('3', 'c');
	const { ledger } = used.sandbox;
	expect(Object.fromEntries(ledger.deliveriesByRecipient())).toEqual({ 1: 2, 2: 1, 3: 2 });
	const [twice, ...others] = ledger.duplicates();
	expect(others).toEqual([]);
	expect(twice).toMatchObject({ recipient: '1', body: { customer_id: '1', text: 'a' } });
	expect(twice.seqs).toHaveLength(2);
	expect(ledger.maxInFlight).toBe(4);
	expect(ledger.maxInFlightOf('1')).toBe(2);
	expect(ledger.maxInFlightOf('3')).toBe(1);
	expect(maxInFlight(ledger.entries())).toBe(4);
	expect(ledger.summary()).toMatchObject({
		received: 5,
		accepted: 5,
		rejected: 0,
		duplicates: 1,
		inFlight: 0,
		maxInFlight: 4,
		byStatus: { 200: 5 },
	});
});

test('counts the connections that carried a message', async () => {
	const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
	const { url, headerName, apiKey, ledger } = used.sandbox;
	const send = () =>
		new Promise<void>((resolve, reject) => {
			const headers = { 'content-type': 'application/json', [headerName]: apiKey };
			http
				.request(url + paths.text, { method: 'POST', agent, headers }, (response) =>
					response.resume().once('end', () => resolve()),
				)
				.once('error', reject)
				.end(JSON.stringify(bodies.text));
		});
	for (let index = 0; index < 3; index++) await send();
	expect(ledger.summary()).toMatchObject({ received: 3, connections: 1 });
	agent.destroy();
});

test('the same message is the same in whatever order its fields come', async () => {
	await used.post('text', { customer_id: '1', text: 'a' });
	await used.post('text', { text: 'a', customer_id: '1' });
	expect(used.sandbox.ledger.summary().duplicates).toBe(1);
});

test('forgets the oldest when full, but not in the totals', () => {
	const ledger = new Ledger({ limit: 3, keepBodies: false });
	for (let index = 0; index < 5; index++) {
		const entry = ledger.open('send_text_message', {}, true);
		const body = { customer_id: `${index}`, text: 'a' };
		ledger.read(entry, body);
		ledger.accept(entry, body);
		ledger.close(entry, 200);
	}
	expect(ledger.entries().map(({ seq }) => seq)).toEqual([3, 4, 5]);
	expect(ledger.entries()[0].body).toBeNull();
	expect(ledger.summary()).toMatchObject({ received: 5, accepted: 5, kept: 3 });
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
	expect(await get('ledger')).toEqual({ entries: used.sandbox.ledger.entries(), more: false });
	const page = await get('ledger?limit=2');
	expect([page.entries.length, page.more]).toEqual([2, true]);
	const next = await get(`ledger?after=${page.entries[1].seq}`);
	expect(next.entries.map(({ recipient }) => recipient)).toEqual(['3']);
	expect(await get('summary')).toEqual(used.sandbox.ledger.summary());
	expect((await used.control('ledger', 'DELETE')).status).toBe(204);
	expect(used.sandbox.ledger.entries()).toEqual([]);
});
