import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { FeedItem, MessageItem } from '../../sandbox/feed.cts';
import { bodies, useSandbox } from './sandbox.cts';

const used = useSandbox();

test('live: a template and its text belong to one customer, rejections say why', async () => {
	const request = http.get(`${used.sandbox.inboxUrl}_sandbox/feed`);
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	const { json } = await used.post('template', { ...bodies.template, attributes: { '1': 'Ada' } });
	await used.post('text', { customer_id: `${json.extra.customer_id}`, text: 'x'.repeat(9000) });
	await used.post('text', { customer_id: '1', text: '' });
	await used.post('text', '', { [used.sandbox.headerName]: 'nope' });

	const items: FeedItem[] = [];
	for await (const line of createInterface(response)) {
		const [, data] = /^data: (.*)/.exec(line) ?? [];
		if (data) items.push(...(JSON.parse(data) as { items: FeedItem[] }).items);
		if (items.length === 4) break;
	}
	response.destroy();
	const { customerId } = items[0] as MessageItem;
	const cut = { text: expect.stringMatching(/^x{4000}…$/) };
	expect(items).toMatchObject([
		{ kind: 'message', content: bodies.template, text: 'Hi Ada, welcome!' },
		{ kind: 'message', customerId, content: cut },
		{ kind: 'rejected', status: 400, code: 'text_empty' },
		{ kind: 'rejected', status: 401, code: 'invalid_key' },
	]);
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
