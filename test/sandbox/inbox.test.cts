import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright-core';
import type { FeedItem, MessageItem } from '../../sandbox/feed.cts';
import { launchBrowser } from '../ui/stage.cts';
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

describe('the page', () => {
	let browser: Browser;
	let page: Page;
	beforeAll(async () => {
		browser = await launchBrowser();
		page = await browser.newPage({ viewport: { width: 390, height: 800 } });
		page.setDefaultTimeout(10_000);
	});
	afterAll(async () => await browser?.close());
	beforeEach(async () => {
		await used.control('ledger', 'DELETE');
		await page.goto(used.sandbox.inboxUrl);
		await page.getByText('live', { exact: true }).waitFor();
	});

	test('shows the conversation with the newest message first', async () => {
		for (const end of [1, 2, 1]) {
			const attributes = { '1': 'Ada' };
			const customer_phone = `+491511234567${end}`;
			await used.post('template', { ...bodies.template, attributes, customer_phone });
		}
		await page.getByText('2 messages').waitFor();
		const phones = await page.locator('.phone h2').allInnerTexts();
		expect(phones).toEqual(['+4915112345671', '+4915112345672']);
	});

	test('says why a template that it knows has no text', async () => {
		await used.post('template');
		const attributes = { '1': 'Ada', '2': 'A-1042', '3': '59.90' };
		const order = { ...bodies.template, template_id: 'order_confirmation', attributes };
		await used.post('template', order);
		await page.getByText('2 messages').waitFor();
		const [welcome, confirmation] = await page.locator('.bubble').allInnerTexts();
		expect(welcome).toContain('Needs 1 value, got 0');
		expect(confirmation).toMatch(/Needs 2 or 4 values, got 3.*A-1042/s);
	});

	test('ends a line between the words of a long name', async () => {
		const template_id = 'campaign_subscribers_with_spring_vouchers_2026';
		await used.post('template', { ...bodies.template, template_id });
		const linesOfWords = await page.getByText(template_id).evaluate((name) =>
			[...name.childNodes].map((word) => {
				const range = document.createRange();
				range.selectNode(word);
				return range.getClientRects().length;
			}),
		);
		expect(Math.max(...linesOfWords)).toBe(1);
	});
});
