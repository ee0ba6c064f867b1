import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { FeedItem, MessageItem } from '../../sandbox/feed.cts';
import { filledTemplate } from '../../sandbox/templates.cts';
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
	const [template, text, empty, key] = items;
	expect(template).toMatchObject({
		kind: 'message',
		content: bodies.template,
		text: 'Hi Ada, welcome!',
	});
	expect(text).toMatchObject({
		customerId: (template as MessageItem).customerId,
		content: { text: expect.stringMatching(/^x{4000}…$/) },
	});
	expect(empty).toMatchObject({ kind: 'rejected', status: 400, code: 'text_empty' });
	expect(key).toMatchObject({ kind: 'rejected', status: 401, code: 'invalid_key' });
});

test('a template that the sandbox knows is shown as the customer reads it', () => {
	const body = { ...bodies.template, attributes: { '1': 'Ada {{1}}' } };
	expect(filledTemplate(body)).toBe('Hi Ada {{1}}, welcome!');
	for (const other of [{ attributes: {} }, { template_id: 'unknown' }]) {
		expect(filledTemplate({ ...body, ...other })).toBeUndefined();
	}
	expect(filledTemplate(bodies.text)).toBeUndefined();
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
