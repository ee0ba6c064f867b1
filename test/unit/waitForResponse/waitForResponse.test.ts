import { WAIT_INDEFINITELY } from 'n8n-workflow';

import {
	checkLink,
	SAMPLE_LINK,
	withLink,
} from '../../../nodes/OutboundMessaging/waitForResponse/link';
import {
	notePage,
	PAGE_HEADERS,
	questionPage,
	thanksPage,
} from '../../../nodes/OutboundMessaging/waitForResponse/page';
import { readAnswer } from '../../../nodes/OutboundMessaging/waitForResponse/question';
import { waitEnd } from '../../../nodes/OutboundMessaging/waitForResponse/waitLimit';
import { refusalOf } from '../help';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const interval = (resumeAmount: unknown, resumeUnit: unknown) => ({
	limitType: 'afterTimeInterval',
	resumeAmount,
	resumeUnit,
});
const until = (maxDateAndTime: unknown) => ({ limitType: 'atSpecifiedTime', maxDateAndTime });

it.each<[unknown, string]>([
	[interval(1.5, 'minutes'), '2026-11-23T12:01:30.000Z'],
	[interval('2', 'hours'), '2026-11-23T14:00:00.000Z'],
	[interval(10_000, 'days'), '2054-04-10T12:00:00.000Z'],
	[{ limitType: 'afterTimeInterval' }, '2026-11-23T13:00:00.000Z'],
	[until('2026-11-23T13:30:00'), '2026-11-23T12:30:00.000Z'],
	[until('2027-07-01 08:00'), '2027-07-01T06:00:00.000Z'],
	[until('2026-11-23T13:30:00+09:00'), undefined as never],
	[until('2026-11-23T13:30:00Z'), '2026-11-23T13:30:00.000Z'],
	[until(new Date(NOW + 1)), '2026-11-23T12:00:00.001Z'],
])('waits with the limit %j until %s, on the clock of the workflow', (limit, end) => {
	const wait = () => waitEnd(limit, NOW, 'Europe/Berlin').toISOString();
	if (end === undefined) expect(refusalOf(wait).message).toMatch(/in the future$/);
	else expect(wait()).toBe(end);
});

it('waits for as long as it takes without a limit', () => {
	for (const limit of [{}, '', undefined])
		expect(waitEnd(limit, NOW, 'UTC')).toBe(WAIT_INDEFINITELY);
});

it.each<[unknown, string]>([
	[interval(0, 'minutes'), 'is "0"'],
	[interval(10_001, 'days'), 'is "10001"'],
	[interval(1, 'weeks'), 'is "weeks"'],
	[{ limitType: 'never' }, 'is "never"'],
	[until('2026-11-23T12:59:00'), 'has "2026-11-23T12:59:00", which isn\'t a time in the future'],
	[until(''), 'has "", which isn\'t a time in the future'],
	[until('soon'), 'has "soon", which isn\'t a time in the future'],
	[until('2026-13-45T99:00:00'), 'has "2026-13-45T99:00:00", which isn\'t a time in the future'],
])('rejects the limit %j: %s', (limit, words) => {
	expect(refusalOf(() => waitEnd(limit, NOW, 'Europe/Berlin')).message).toBe(words);
});

const SERVICE = 'https://api.example.com';

it.each<[string, string | undefined, string?]>([
	['https://n8n.example.com/webhook-waiting/1/a', undefined],
	['http://localhost:5678/a', undefined, 'http://127.0.0.1:4010'],
	['http://127.0.0.1:5678/a', undefined, 'http://[::1]:4010'],
	['https://192.168.0.7/a', 'only people in the same network can answer'],
	['https://n8n.local/a', 'only people in the same network can answer'],
	['http://n8n.example.com/a', 'answers travel unencrypted'],
])('the link %s: %s', (link, hint, baseUrl = SERVICE) => {
	const said = checkLink(link, baseUrl);
	if (hint === undefined) expect(said).toBeUndefined();
	else expect(said).toContain(hint);
});

it.each([
	'localhost:5678',
	'n8n.localhost',
	'127.8.0.1',
	'[::1]:5678',
	'0.0.0.0:5678',
	'localhost.',
])('no one else can open a link to %s', (host) => {
	const { message, fix } = refusalOf(() => checkLink(`http://${host}/a`, SERVICE));
	expect([message, fix]).toEqual([
		expect.stringContaining(host.split(':')[0]),
		expect.stringContaining('WEBHOOK_URL'),
	]);
});

it('the link goes to the end of what a person reads, whatever it has in it', () => {
	const link = 'https://n8n.example.com/$&?a=1';
	const body = {
		to: '1',
		text: `${SAMPLE_LINK}\n${SAMPLE_LINK}`,
		attributes: { '1': SAMPLE_LINK },
	};
	expect(withLink(body, link)).toEqual({
		to: '1',
		text: `${SAMPLE_LINK}\n${link}`,
		attributes: { '1': link },
	});
});

const button = (label: string) => ({ label, data: { choice: label } });
const CHOICE = { message: 'When?', buttons: [button('<b>9:00</b>'), button('10:00')] };
const TEXT = { message: 'Why?' };

it.each<[object, unknown, object | undefined]>([
	[CHOICE, { answer: '10:00' }, { choice: '10:00' }],
	[CHOICE, { answer: '11:00' }, undefined],
	[CHOICE, { answer: ['10:00', '10:00'] }, undefined],
	[CHOICE, { choice: '10:00' }, undefined],
	[CHOICE, '10:00', undefined],
	[CHOICE, null, undefined],
	[TEXT, { answer: ' a\r\nb\r' }, { text: 'a\nb' }],
	[TEXT, { answer: '<script>' }, { text: '<script>' }],
	[TEXT, { answer: ' \r\n' }, undefined],
	[TEXT, { answer: 'x'.repeat(2000) }, { text: 'x'.repeat(2000) }],
	[TEXT, { answer: 'x'.repeat(2001) }, undefined],
	[TEXT, { answer: { $gt: '' } }, undefined],
])('an answer to %j: %j', (question, body, data) => {
	expect(readAnswer(question as typeof CHOICE, body)?.data).toEqual(data);
});

const HOSTILE = `</p><script>alert(1)</script><img src=x onerror=alert(1)> " ' & {{ 7*7 }}`;

it.each<[string, string]>([
	['a question', questionPage({ message: HOSTILE, buttons: [button(HOSTILE)] }, HOSTILE)],
	['a question without buttons', questionPage({ message: HOSTILE })],
	['thanks', thanksPage({ message: HOSTILE }, HOSTILE)],
	['a note', notePage(HOSTILE)],
])(
	'the page of %s has no tag that someone typed, no script and nothing from elsewhere',
	(_, page) => {
		expect(page).toContain('&#60;script&#62;');
		expect(page).not.toMatch(/<(?:script|img)|javascript:|https?:|\son\w+=(?!x)"/i);
		expect(page).toContain('<meta name="robots" content="noindex, nofollow">');
		expect(page).toContain(
			'http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;',
		);
	},
);

it('the page is a secret that nothing keeps or finds', () => {
	expect(PAGE_HEADERS).toMatchObject({
		'Content-Security-Policy': expect.stringMatching(
			/^default-src 'none';.*frame-ancestors 'none'$/,
		),
		'X-Robots-Tag': 'noindex, nofollow',
		'Referrer-Policy': 'no-referrer',
		'Cache-Control': 'no-store',
	});
});
