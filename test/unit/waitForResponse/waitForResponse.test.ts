import { WAIT_INDEFINITELY } from 'n8n-workflow';

import { waitEnd } from '../../../nodes/OutboundMessaging/parameters/limitWaitTime';
import * as pages from '../../../nodes/OutboundMessaging/waitForResponse/page';
import type { Question } from '../../../nodes/OutboundMessaging/waitForResponse/question';
import { readAnswer } from '../../../nodes/OutboundMessaging/waitForResponse/webhook';

const NOW = Date.parse('2026-11-23T12:00:00Z');
beforeAll(() => jest.useFakeTimers({ now: NOW }));
afterAll(() => jest.useRealTimers());

const limitType = 'afterTimeInterval';
const interval = (resumeAmount: unknown, resumeUnit: unknown) => ({
	limitType,
	resumeAmount,
	resumeUnit,
});
const until = (maxDateAndTime: unknown) => ({ limitType: 'atSpecifiedTime', maxDateAndTime });
const getTimezone = () => 'Europe/Berlin';
const endOf = (limit: unknown) => waitEnd({ getNodeParameter: () => limit, getTimezone } as never);

it.each<[unknown, string]>([
	[interval(1.5, 'minutes'), '2026-11-23T12:01:30.000Z'],
	[interval('2', 'hours'), '2026-11-23T14:00:00.000Z'],
	[interval(10_000, 'days'), '2054-04-10T11:00:00.000Z'],
	[{ limitType }, '2026-11-23T13:00:00.000Z'],
	[{ resumeAmount: 2 }, '2026-11-23T14:00:00.000Z'],
	[until('2026-11-23T13:30:00'), '2026-11-23T12:30:00.000Z'],
	[until('2027-07-01 08:00'), '2027-07-01T06:00:00.000Z'],
	[until('2026-11-23T13:30:00Z'), '2026-11-23T13:30:00.000Z'],
	[until(new Date(NOW + 1)), '2026-11-23T12:00:00.001Z'],
])('waits with the limit %j until %s, on the clock of the workflow', (limit, end) => {
	expect(endOf(limit).toISOString()).toBe(end);
});

it.each([{}, '', undefined])('waits for as long as it takes without a limit: %j', (limit) => {
	expect(endOf(limit)).toBe(WAIT_INDEFINITELY);
});

it.each<[unknown, string]>([
	[interval(0, 'minutes'), "isn't in the future"],
	[interval(-1, 'days'), 'is "-1"'],
	[interval('1,5', 'days'), 'is "1,5"'],
	[interval('', 'days'), 'is empty'],
	[interval(1, 'moons'), 'is "moons"'],
	[interval(1e9, 'days'), 'is "1000000000"'],
	[{ limitType: 'never' }, 'is "never"'],
	[until('2026-11-23T12:59:00'), "isn't in the future"],
	[until('2026-11-23T13:30:00+09:00'), "isn't in the future"],
	...['', undefined, null].map((nothing): [unknown, string] => [until(nothing), 'is empty']),
	[until('soon'), 'is "soon", not a date and time'],
	[until('2026-13-45T99:00:00'), 'is "2026-13-45T99:00:00", not a date and time'],
])('rejects the limit %j: %s', (limit, words) => {
	const failure = expect.objectContaining({ title: `'Limit Wait Time' ${words}` });
	expect(() => endOf(limit)).toThrow(expect.objectContaining({ failure }));
});

const CHOICE: Question = { message: 'When?', type: 'choice', labels: ['<b>9:00</b>', '10:00'] };
const TEXT: Question = { message: 'Why?', type: 'freeText' };
const APPROVAL: Question = { message: 'Well?', type: 'approval', labels: ['Yes', 'No'] };

it.each<[Question, unknown, object | undefined]>([
	[CHOICE, '10:00', { choice: '10:00' }],
	[CHOICE, '11:00', undefined],
	[CHOICE, ['10:00', '10:00'], undefined],
	[CHOICE, '', undefined],
	[CHOICE, undefined, undefined],
	[APPROVAL, 'Yes', { approved: true }],
	[APPROVAL, 'No', { approved: false }],
	[APPROVAL, 'true', undefined],
	[TEXT, ' a\r\nb\r', { text: 'a\nb' }],
	[TEXT, '<script>', { text: '<script>' }],
	[TEXT, ' \r\n', undefined],
	[TEXT, '\u200b', undefined],
	[TEXT, 'x'.repeat(2000), { text: 'x'.repeat(2000) }],
	[TEXT, 'x'.repeat(2001), undefined],
	[TEXT, { $gt: '' }, undefined],
])('an answer to %j: %j', (question, answer, data) => {
	expect(readAnswer(question, answer)?.data).toEqual(data);
});

const HOSTILE = `</p><script>alert(1)</script><img src=x onerror=alert(1)> " ' & {{ 7*7 }}`;

it.each([
	pages.questionPage({ ...CHOICE, message: HOSTILE, labels: [HOSTILE] }, HOSTILE),
	pages.questionPage({ ...TEXT, message: HOSTILE }),
	pages.notePage(HOSTILE, HOSTILE),
])('page %# has no tag that someone typed, no script and nothing from elsewhere', (page) => {
	expect(page).toContain('&#60;script&#62;');
	expect(page).not.toMatch(/<(?:script|img)|javascript:|https?:|\son\w+=(?!x)"/i);
	expect(page).toContain('<meta name="robots" content="noindex, nofollow">');
	expect(page).toContain(
		'http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;',
	);
});

it.each<[Question, string]>([
	[APPROVAL, 'Well?</p><form method="post"><button name="answer" value="Yes">Yes</button><'],
	[CHOICE, '&#60;/b&#62;</button><button name="answer" value="10:00">10:00</button></form>'],
	[TEXT, 'Why?</p><form method="post"><textarea name="answer"'],
])('the page of %j', (question, part) => expect(pages.questionPage(question)).toContain(part));

it('the page of several notes', () => {
	expect(pages.notePage('Thanks', 'No')).toContain(
		'<p dir="auto">Thanks</p><p dir="auto">No</p></main>',
	);
});

it('the page is a secret that nothing keeps or finds', () => {
	const policy = expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/);
	expect(pages.PAGE_HEADERS).toMatchObject({
		...{ 'Content-Security-Policy': policy, 'X-Robots-Tag': 'noindex, nofollow' },
		...{ 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' },
	});
});
