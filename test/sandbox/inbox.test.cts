import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { FeedItem, MessageItem, SandboxState } from '../../sandbox/feed.cts';
import { bodies, useSandbox } from './sandbox.cts';

const used = useSandbox();

type FeedData = SandboxState & { items: FeedItem[] };

/** Reads the feed until it has shown as many items. */
async function listen(count: number, onHello = async () => {}) {
	const request = http.get(`${used.sandbox.inboxUrl}_sandbox/feed`);
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	const events: FeedData[] = [];
	for await (const line of createInterface(response)) {
		if (!line.startsWith('data: ')) continue;
		events.push(JSON.parse(line.slice('data: '.length)) as FeedData);
		if (events.length === 1) await onHello();
		if (events.flatMap(({ items }) => items).length >= count) break;
	}
	response.destroy();
	return events;
}

beforeEach(() => used.control('ledger', 'DELETE'));

test('a page opened late gets the last 500', async () => {
	for (let batch = 0; batch < 12; batch++) {
		const texts = Array.from({ length: 50 }, (_, index) => `${batch * 50 + index}`);
		await Promise.all(texts.map((text) => used.post('text', { customer_id: '1', text })));
	}
	const [{ items, counters }] = await listen(500);
	expect(items).toHaveLength(500);
	expect(items.at(-1)!.seq - items[0].seq).toBe(499);
	expect(counters.accepted).toBe(600);
});

test('live: a template and its text belong to one customer, rejections say why', async () => {
	const events = await listen(4, async () => {
		const { json } = await used.post('template');
		await used.post('text', { customer_id: `${json.extra.customer_id}`, text: 'x'.repeat(9000) });
		await used.post('text', { customer_id: '1', text: '' });
		await used.post('text', '', { [used.sandbox.headerName]: 'nope' });
	});
	const [template, text, empty, key] = events.flatMap(({ items }) => items);
	expect(template).toMatchObject({ kind: 'message', content: bodies.template });
	expect(text).toMatchObject({
		customerId: (template as MessageItem).customerId,
		content: { text: expect.stringMatching(/^x{4000}…$/) },
	});
	expect(empty).toMatchObject({ kind: 'rejected', status: 400, code: 'text_empty' });
	expect(key).toMatchObject({ kind: 'rejected', status: 401, code: 'invalid_key' });
});

test('the page is served and may load nothing from elsewhere', async () => {
	const { inboxUrl } = used.sandbox;
	for (const path of ['', 'inbox/style.css', 'inbox/inbox.js']) {
		const response = await fetch(inboxUrl + path);
		expect(response.status).toBe(200);
		expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
		expect(await response.text()).not.toMatch(/(src|href)="https?:|@import|url\(http/);
	}
});
