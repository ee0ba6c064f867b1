import {
	allowedHours,
	formatOnClock,
	isAllowed,
	nextBegin,
} from '../../../nodes/OutboundMessaging/safeguards/allowedHours';
import { refusalOf } from '../help';

const BERLIN = 'Europe/Berlin';
const window = (from: string, until: string, days: string[] = [], timezone = BERLIN) =>
	allowedHours({ from, until, days, timezone }, 'UTC');
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];

describe('whether a message may be sent now', () => {
	it.each<[string, [string, string, string[]?, string?], string, boolean]>([
		['the first minute', ['08:00', '20:00'], '2026-01-15T07:00:00Z', true],
		['before it', ['08:00', '20:00'], '2026-01-15T06:59:59.999Z', false],
		['the last minute', ['08:00', '20:00'], '2026-01-15T18:59:59.999Z', true],
		['after it: the end is exclusive', ['08:00', '20:00'], '2026-01-15T19:00:00Z', false],
		['in summer the clock is two hours ahead', ['08:00', '20:00'], '2026-07-15T06:00:00Z', true],
		['and an hour earlier it is not', ['08:00', '20:00'], '2026-07-15T05:59:00Z', false],
		['a weekday', ['08:00', '20:00', WEEKDAYS], '2026-11-20T12:00:00Z', true],
		['a Saturday', ['08:00', '20:00', WEEKDAYS], '2026-11-21T12:00:00Z', false],
		['past midnight, in the evening', ['22:00', '02:00', ['friday']], '2026-11-20T21:30:00Z', true],
		[
			'past midnight, on the day after',
			['22:00', '02:00', ['friday']],
			'2026-11-21T00:30:00Z',
			true,
		],
		['past midnight, over', ['22:00', '02:00', ['friday']], '2026-11-21T01:00:00Z', false],
		[
			'past midnight, begun on a day that is not allowed',
			['22:00', '02:00', ['saturday']],
			'2026-11-21T00:30:00Z',
			false,
		],
		['until 24:00', ['20:00', '24:00'], '2026-11-20T22:59:00Z', true],
		['the whole day', ['00:00', '24:00', ['friday']], '2026-11-20T22:59:00Z', true],
		['another time zone', ['08:00', '20:00', [], 'Asia/Kolkata'], '2026-11-20T02:30:00Z', true],
		[
			'the day of that time zone',
			['00:00', '24:00', ['saturday'], 'Pacific/Auckland'],
			'2026-11-20T12:00:00Z',
			true,
		],
	])('%s', (...row) => {
		const [, parts, now, expected] = row;
		expect(isAllowed(window(...parts), Date.parse(now))).toBe(expected);
	});
});

describe('when the next window begins', () => {
	it.each<[string, [string, string, string[]?, string?], string, string]>([
		['today', ['08:00', '20:00'], '2026-11-20T05:00:00Z', 'Friday 2026-11-20 08:00'],
		['tomorrow', ['08:00', '20:00'], '2026-11-20T20:00:00Z', 'Saturday 2026-11-21 08:00'],
		[
			'after the weekend',
			['08:00', '20:00', WEEKDAYS],
			'2026-11-20T20:00:00Z',
			'Monday 2026-11-23 08:00',
		],
		[
			'in a week',
			['08:00', '20:00', ['friday']],
			'2026-11-20T20:00:00Z',
			'Friday 2026-11-27 08:00',
		],
		[
			'past midnight',
			['22:00', '02:00', ['friday']],
			'2026-11-21T05:00:00Z',
			'Friday 2026-11-27 22:00',
		],
		[
			'after the clocks went forward',
			['08:00', '20:00'],
			'2026-03-28T20:00:00Z',
			'Sunday 2026-03-29 08:00',
		],
		[
			'after the clocks went back',
			['08:00', '20:00'],
			'2026-10-24T20:00:00Z',
			'Sunday 2026-10-25 08:00',
		],
		[
			'at a time that the clocks skip',
			['02:30', '20:00'],
			'2026-03-28T20:00:00Z',
			'Sunday 2026-03-29 03:30',
		],
	])('%s', (...row) => {
		const [, parts, now, expected] = row;
		const hours = window(...parts);
		const begin = nextBegin(hours, Date.parse(now));
		expect(formatOnClock(begin, hours.timezone)).toBe(`${expected} (${BERLIN})`);
		expect(isAllowed(hours, begin)).toBe(true);
		expect(begin).toBeGreaterThan(Date.parse(now));
	});
});

describe('a window', () => {
	it("without days and time zone: every day, in the workflow's time zone", () => {
		const hours = allowedHours({ from: '8:00', until: '20:00' }, 'America/New_York');
		expect(hours.timezone).toBe('America/New_York');
		expect(hours.days.size).toBe(7);
	});

	it.each<[string, unknown, string]>([
		['the same time twice', { from: '08:00', until: '08:00' }, "in 'From' and 'Until'"],
		['no time', { from: '', until: '20:00' }, "in 'From', which isn't a time"],
		['nothing', undefined, "in 'From', which isn't a time"],
		['an hour that is none', { from: '08:00', until: '25:00' }, "in 'Until', which isn't a time"],
		['a minute that is none', { from: '08:60', until: '20:00' }, "in 'From', which isn't a time"],
		['the end of a day as its begin', { from: '24:00', until: '20:00' }, "in 'From'"],
		['an American time', { from: '8 am', until: '8 pm' }, "in 'From', which isn't a time"],
		['a day that is none', { from: '08:00', until: '20:00', days: ['someday'] }, "in 'Days'"],
		[
			'a time zone that is none',
			{ from: '08:00', until: '20:00', timezone: 'Mars' },
			"in 'Time Zone'",
		],
	])('with %s is rejected', (_, value, words) => {
		const { message, fix } = refusalOf(() => allowedHours(value, 'UTC'));
		expect(message).toContain(words);
		expect(fix).toMatch(/\w{3}/);
	});
});
