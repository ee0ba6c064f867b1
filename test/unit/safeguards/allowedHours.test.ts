import type { CheckFacts } from '../../../nodes/OutboundMessaging/parameters/field';
import * as clock from '../../../nodes/OutboundMessaging/safeguards/allowedHours';
import { refusalOf } from '../help';

const facts = { timezone: 'UTC' } as CheckFacts;
const read = (window: unknown) => clock.hoursIn({ window }, { ...facts, raw: { window } });

/** A window as `08:00-20:00`, its days, and its time zone. */
function window(hours: string, days: string[] = [], timezone = 'Europe/Berlin') {
	const [from, until] = hours.split('-');
	return read({ from, until, days, timezone });
}
type Window = Parameters<typeof window>;

const DAY = '08:00-20:00';
const NIGHT = '22:00-02:00';
const AUCKLAND: Window = ['00:00-24:00', ['saturday'], 'Pacific/Auckland'];
const NEW_YORK: Window = ['02:30-20:00', [], 'America/New_York'];
const LORD_HOWE: Window = ['02:15-20:00', [], 'Australia/Lord_Howe'];
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];

it.each<[string, Window, string, boolean]>([
	['from 8:00 to 20:00, the first minute', [DAY], '2026-01-15T07:00:00Z', true],
	['from 8:00 to 20:00, before it', [DAY], '2026-01-15T06:59:59.999Z', false],
	['from 8:00 to 20:00, at 20: the end is exclusive', [DAY], '2026-01-15T19:00:00Z', false],
	['in summer the clock is two hours ahead', [DAY], '2026-07-15T06:00:00Z', true],
	[
		'Friday from 22 to 2 hours, on Saturday at 1:30',
		[NIGHT, ['friday']],
		'2026-11-21T00:30:00Z',
		true,
	],
	[
		'Friday from 22 to 2 hours, on Saturday at 2',
		[NIGHT, ['friday']],
		'2026-11-21T01:00:00Z',
		false,
	],
	[
		'Saturday from 22 to 2 hours, on Saturday at 1:30',
		[NIGHT, ['saturday']],
		'2026-11-21T00:30:00Z',
		false,
	],
	[
		'from 8:00 to 20:00 in India, before it',
		[DAY, [], 'Asia/Kolkata'],
		'2026-11-20T02:29:00Z',
		false,
	],
	['Saturday in Auckland, while it is Friday in Europe', AUCKLAND, '2026-11-20T12:00:00Z', true],
])('with Allowed Hours, whether a message is sent: %s', (_, parts, now, isSent) => {
	const hours = window(...parts);
	expect({ parts, now, isSent: clock.isAllowed(hours, Date.parse(now)) }).toEqual({
		parts,
		now,
		isSent,
	});
});

it.each<[string, Window, string, string]>([
	['after the weekend', [DAY, WEEKDAYS], '2026-11-20T20:00:00Z', 'Monday 2026-11-23 08:00'],
	['as this one begins', [DAY], '2026-11-20T07:00:00Z', 'Saturday 2026-11-21 08:00'],
	['past midnight', [NIGHT, ['friday']], '2026-11-21T05:00:00Z', 'Friday 2026-11-27 22:00'],
	['after the clocks went forward', [DAY], '2026-03-28T20:00:00Z', 'Sunday 2026-03-29 08:00'],
	['after the clocks went back', [DAY], '2026-10-24T20:00:00Z', 'Sunday 2026-10-25 08:00'],
	['as the clocks go back', ['02:30-20:00'], '2026-10-24T20:00:00Z', 'Sunday 2026-10-25 02:30'],
	['the clocks skip it', ['02:30-20:00'], '2026-03-28T20:00:00Z', 'Sunday 2026-03-29 03:30'],
	['they skip it in the west', NEW_YORK, '2026-03-07T20:00:00Z', 'Sunday 2026-03-08 03:30'],
	['they skip half an hour', LORD_HOWE, '2026-10-03T10:00:00Z', 'Sunday 2026-10-04 02:45'],
])('when the next window begins: %s', (_, parts, now, expected) => {
	const hours = window(...parts);
	const begin = clock.nextBegin(hours, Date.parse(now));
	expect(clock.formatOnClock(begin, hours.timezone)).toBe(`${expected} (${hours.timezone})`);
	expect(clock.isAllowed(hours, begin)).toBe(true);
	expect(begin).toBeGreaterThan(Date.parse(now));
});

describe('a window', () => {
	it('is read as people write it', () => {
		const until = (hours: string) => {
			expect(window(hours).from).toBe(480);
			return window(hours).until;
		};
		const ends = [
			'08:00-20:00',
			'8:00-20',
			'8-24',
			' 8 - 20:30 ',
			'08:00:00-20:00:00',
			'08:00:00.000-24:00:00',
		].map(until);
		expect(ends).toEqual([1200, 1200, 1440, 1230, 1200, 1440]);
		expect([...window(DAY, ['Monday', 'mon', 'tue', 'tues', 'THU', 'Sun']).days]).toEqual([
			1, 2, 4, 0,
		]);
		expect(window(DAY, [], ' utc ').timezone).toBe('utc');
		const { from, days } = read({ from: 8, until: 20, days: 'fri, Sat' });
		expect([from, ...days]).toEqual([480, 5, 6]);
	});

	it.each<[unknown, string]>([
		[{ from: '08:00', until: '08:00' }, "in 'From' and 'Until'"],
		[{ from: 'at 08:00', until: '20:00' }, "in 'From', which isn't a time"],
		[undefined, 'has no hours'],
		[{ from: '08:00', until: '25:00' }, "in 'Until', which isn't a time"],
		[{ from: '08:60', until: '20:00' }, "in 'From', which isn't a time"],
		[{ from: '08:00:30', until: '20:00' }, "in 'From', which isn't a time"],
		[{ from: '24', until: '20:00' }, "in 'From'"],
		[{ from: '08:00', until: '8:0' }, "in 'Until', which isn't a time"],
		[{ from: '08:00', until: '20:00', days: ['mo'] }, "in 'Days', which isn't a day"],
		[{ from: '8', until: '20', days: ['someday'] }, "which isn't a day. Use Sunday, Monday"],
		// BST is Asia/Dhaka to a computer, AST Anchorage and IST India; EST has no summer time.
		...['Mars', 'Mars/Phobos', 'BST', 'AST', 'IST', 'EST', 'CET', 'GMT', '+01:00', 'Berlin'].map(
			(timezone): [unknown, string] => [
				{ from: '08:00', until: '20:00', timezone },
				`has "${timezone}" in 'Time Zone', which isn't a time zone. Enter a name with a slash`,
			],
		),
	])('%j is rejected', (value, part) => {
		const { title, description } = refusalOf(() => read(value));
		expect(`${title}. ${description}`).toContain(part);
		expect(description).toMatch(/\w{3}/);
	});
});
