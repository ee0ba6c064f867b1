/**
 * The page of a question in a browser, on a phone: how it's read, seen and pressed. No n8n is
 * needed for that.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import axe from 'axe-core';
import fastify from 'fastify';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import * as pages from '../../nodes/OutboundMessaging/waitForResponse/page.ts';
import {
	type Question,
	PAGE_TEXTS,
} from '../../nodes/OutboundMessaging/waitForResponse/question.ts';
import { launchBrowser } from './stage.cts';

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
/** What n8n sends where an execution continues. */
const SANDBOX = 'sandbox allow-forms allow-scripts allow-top-navigation-by-user-activation';

const GERMAN = {
	...PAGE_TEXTS,
	...{ title: 'Salon Aurora', description: 'Wir freuen uns auf Sie.', language: 'de' },
	...{ buttonLabel: 'Senden', deadlineMessage: 'Antwort bis:' },
	...{ completionMessage: 'Danke. Ihre Antwort:', invalidMessage: 'Bitte noch einmal.' },
};
const ARABIC = { ...PAGE_TEXTS, title: 'صالون أورورا', buttonLabel: 'إرسال', language: 'ar' };
const deadline = pages.formatDeadline(new Date('2026-11-27T12:30:00Z'), 'de', 'Europe/Berlin');

const TEXT: Question = { message: 'Why?', type: 'freeText', texts: PAGE_TEXTS };
const APPROVAL: Question = { ...TEXT, type: 'approval', labels: ['Approve', 'Decline'] };
const TEN: Question = {
	...{ message: 'Welcher Termin passt Ihnen?\nEr dauert etwa eine Stunde.', type: 'choice' },
	labels: [...'0123456789'].map(
		(day) => `Freitag, 2${day}. November, um 10:00 Uhr bei Dr. Hildegard Müller-Lüdenscheidt`,
	),
	texts: GERMAN,
};
const RIGHT_TO_LEFT: Question = {
	...{ message: 'Acme: هل يناسبك يوم الجمعة الساعة 10:00؟', type: 'choice', texts: ARABIC },
	labels: ['نعم', 'لا، أفضل موعدًا آخر', '10:00 (Zoom)'],
};

const PAGES: Record<string, string> = {
	approval: pages.questionPage(APPROVAL, 'a'),
	'ten choices': pages.questionPage({ ...TEN, deadline }, 'a'),
	'right to left': pages.questionPage(RIGHT_TO_LEFT, 'a'),
	'free text': pages.questionPage({ ...TEXT, texts: ARABIC }, 'a'),
	'no answer': pages.questionPage(
		{ ...TEXT, texts: GERMAN },
		'a',
		GERMAN.invalidMessage,
		'x\u200b',
	),
	answered: pages.answeredPage(TEN, 'Freitag'),
	closed: pages.closedPage(ARABIC),
};

/** With what its types leave out. */
type Axe = typeof axe & { commons: { color: AxeColors } };
interface AxeColors {
	Color: new () => { parseString(color: string): void };
	getContrast(...colors: object[]): number;
}
/** What the forms sent. */
const sent: string[] = [];

const server = fastify({ forceCloseConnections: true });
const FORM = 'application/x-www-form-urlencoded';
server.addContentTypeParser(FORM, { parseAs: 'string' }, (_, body, done) => done(null, body));
server.all<{ Params: { name: string } }>('/:name', async ({ method, params, body }, reply) => {
	void reply.headers({ ...pages.PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' });
	if (method === 'GET') return PAGES[params.name] ?? '';
	sent.push(String(body));
	// As long as n8n may take.
	await sleep(500);
	void reply.header('content-security-policy', SANDBOX);
	return PAGES.answered;
});

let browser: Browser;
let url: string;

beforeAll(async () => {
	browser = await launchBrowser();
	url = await server.listen({ host: '127.0.0.1', port: 0 });
}, 60_000);
afterAll(async () => {
	await browser?.close();
	await server.close();
});

beforeEach(() => void sent.splice(0));

let page: Page;
async function open(name: string, look: BrowserContextOptions = {}): Promise<void> {
	page = await browser.newPage({ ...PHONE, ...look });
	await page.goto(`${url}/${encodeURIComponent(name)}`);
}
afterEach(async () => await page?.close());

const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
	Object.keys(PAGES).map((name) => ({ name, colorScheme })),
);

test.each(looks)(
	'$name, $colorScheme: axe objects to nothing, all is in view, and borders are seen',
	async ({ name, colorScheme }) => {
		await open(name, { colorScheme });
		await page.evaluate(axe.source);
		const { violations, width, fields } = await page.evaluate(async () => {
			const { axe } = globalThis as unknown as { axe: Axe };
			const found = await axe.run({
				runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'],
			});
			const { Color, getContrast } = axe.commons.color;
			const colorOf = (element: Element, name: string) => {
				const color = new Color();
				color.parseString(getComputedStyle(element).getPropertyValue(name));
				return color;
			};
			const card = colorOf(document.querySelector('main')!, 'background-color');
			return {
				violations: found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
				width: document.documentElement.scrollWidth,
				fields: [...document.querySelectorAll('button, textarea')].map((field) => ({
					contrast: getContrast(card, colorOf(field, 'border-top-color')),
					height: field.getBoundingClientRect().height,
				})),
			};
		});
		expect([violations, width]).toEqual([[], PHONE.viewport.width]);
		for (const { contrast, height } of fields) {
			expect(contrast).toBeGreaterThanOrEqual(3);
			expect(height).toBeGreaterThanOrEqual(44);
		}
	},
);

test('screen readers name every field and button; the focus is on what is new', async () => {
	await open('no answer');
	const field = page.getByRole('textbox', { name: 'Why?' });
	expect(await field.inputValue()).toBe('x\u200b');
	expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
	expect(await page.getByRole('alert').textContent()).toBe('Bitte noch einmal.');
	expect(await page.getByRole('heading').textContent()).toBe('Salon Aurora');
	await page.getByRole('button', { name: 'Senden' }).click();
	const status = page.getByRole('status');
	await status.waitFor();
	expect(await status.textContent()).toBe('Danke. Ihre Antwort:Freitag');
	expect(await status.evaluate((element) => element === document.activeElement)).toBe(true);
});

test('a double tap sends one answer, and after going back the buttons work', async () => {
	await open('approval');
	await page.getByRole('button', { name: 'Decline' }).evaluate((button: HTMLElement) => {
		button.click();
		// The request for the first one is on its way.
		setTimeout(() => button.click(), 150);
	});
	await page.getByRole('status').waitFor();
	expect(sent).toEqual(['token=a&answer=1']);
	await page.goBack();
	await page.getByRole('button', { name: 'Approve' }).tap();
	await page.getByRole('status').waitFor();
	expect(sent).toEqual(['token=a&answer=1', 'token=a&answer=0']);
});

test('without scripts, everything works, and a long text is not cut', async () => {
	await open('free text', { javaScriptEnabled: false });
	const long = 'x'.repeat(10_001);
	await page.getByRole('textbox').fill(`Weil\nes passt ${long}`);
	await page.getByRole('button').click();
	await page.getByRole('status').waitFor();
	expect(sent).toEqual([`token=a&answer=Weil%0D%0Aes+passt+${long}`]);
});
