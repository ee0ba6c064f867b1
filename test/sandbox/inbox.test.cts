import type { FeedItem, MessageItem, SandboxState } from '../../sandbox/feed.cts';
import { bodies, useSandbox } from './sandbox.cts';

const used = useSandbox();

interface FeedEvent {
	event: string;
	data: SandboxState & { items: FeedItem[] };
}

/** Reads the feed until `enough` says so. */
async function listen(enough: (events: FeedEvent[]) => boolean | Promise<boolean>) {
	const abort = new AbortController();
	const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(3000)]);
	const response = await fetch(`${used.sandbox.inboxUrl}_sandbox/feed`, { signal });
	const events: FeedEvent[] = [];
	const decoder = new TextDecoder();
	let text = '';
	for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
		text += decoder.decode(chunk, { stream: true });
		const blocks = text.split('\n\n');
		text = blocks.pop() ?? '';
		for (const block of blocks) {
			const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block)!;
			events.push({ event, data: JSON.parse(data) as FeedEvent['data'] });
		}
		if (events.length > 0 && (await enough(events))) break;
	}
	abort.abort();
	return events;
}

beforeEach(() => used.control('ledger', 'DELETE'));

test('a page opened late gets the last 500', async () => {
	for (let batch = 0; batch < 12; batch++) {
		const texts = Array.from({ length: 50 }, (_, index) => `${batch * 50 + index}`);
		await Promise.all(texts.map((text) => used.post('text', { customer_id: '1', text })));
	}
	const [{ event, data }] = await listen(() => true);
	expect(event).toBe('hello');
	expect(data.items).toHaveLength(500);
	expect(data.items.at(-1)!.seq - data.items[0].seq).toBe(499);
	expect(data.counters.accepted).toBe(600);
});

test('live: a template and its text belong to one customer, rejections say why', async () => {
	let sent = false;
	const events = await listen(async (seen) => {
		if (!sent) {
			sent = true;
			const { json } = await used.post('template');
			await used.post('text', { customer_id: `${json.extra.customer_id}`, text: 'x'.repeat(9000) });
			await used.post('text', { customer_id: '1', text: '' });
			await used.postNothing('nope');
		}
		return seen.flatMap(({ data }) => data.items).length >= 4;
	});
	const [template, text, empty, key] = events.flatMap(({ data }) => data.items);
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
