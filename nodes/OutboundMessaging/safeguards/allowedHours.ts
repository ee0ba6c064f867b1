import { tryToParseDateTime } from 'n8n-workflow';

import { type Message, type Failed, failed } from '../delivery/message';
import { twoLines } from '../common/failure';
import { type CheckFacts, field, group, groupEntries } from '../parameters/field';
import type { Safeguard } from './safeguard';
import { isObject } from '../common/isObject';
import { hasExpression, invalid, isNothing, quoteForError } from '../validation/invalidValue';
import { exactly } from '../common/text';

/**
 * When a message may be sent: from one minute of the day until before another one, if need be
 * of the next day.
 */
type AllowedHours = ReturnType<typeof hoursIn>;

const WEEK = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const DAY_MINUTES = 24 * 60;

const fields = {
	// Without defaults: n8n would put them in place of hours in another shape.
	from: field('From', 'Sending starts at this time, on a 24-hour clock', {
		placeholder: 'e.g. 08:00',
	}),
	until: field(
		'Until',
		'Sending stops at this time. If earlier than From, it means the next day.',
		{ placeholder: 'e.g. 20:00' },
	),
	days: field('Days', 'Days on which messages may be sent. Choose none for every day.', {
		type: 'multiOptions',
		options: [...WEEK.slice(1), WEEK[0]].map((name) => ({ name, value: name.toLowerCase() })),
		default: [],
	}),
	timezone: field(
		'Time Zone',
		"The time zone of these hours. Empty means the workflow's time zone.",
		{ placeholder: 'e.g. Europe/Berlin' },
	),
};

export const allowedHours = {
	...group(
		'Allowed Hours',
		'When messages may be sent. Outside these hours an item fails, with the time to send it. ' +
			'Can differ between items.',
		'Window',
		fields,
		{
			// With its times: the editor doesn't store an added collection that is empty.
			default: { window: { from: '08:00', until: '20:00' } },
			placeholder: 'Set Hours',
			isPerItem: true,
			check: hoursIn,
		},
	),
	// Also when a message's turn comes: a run can last longer than the hours.
	judges: {
		planned: outsideAllowedHours,
		due: outsideAllowedHours,
		claimed: outsideAllowedHours,
	},
} satisfies Safeguard<AllowedHours>;

/**
 * Reads the window of an item: no days mean all, no time zone the workflow's.
 * @returns `from` and `until` in minutes, and the days on which it may begin: 0 is Sunday
 * @throws InvalidValue
 */
export function hoursIn(value: unknown, { raw, timezone: defaultZone }: CheckFacts) {
	const stored = isObject(raw) ? raw.window : raw;
	const [window = {}] = groupEntries(value, 'window');
	if (isNothing(stored)) {
		throw invalid`has no hours
			Click 'Set Hours' and enter them. To send at any time, remove 'Allowed Hours'`;
	}
	for (const [name, { displayName }] of Object.entries(fields)) {
		const given = isObject(stored) ? stored[name] : stored;
		// What an expression doesn't find is no default.
		if (hasExpression(given) && isNothing([window[name]].flat().join())) {
			throw invalid`has nothing in '${displayName}': the expression found no value
				Check that the input item has that field`;
		}
	}
	const from = minutesOf(window.from, 'From');
	const until = minutesOf(window.until, 'Until');
	if (from === until) {
		throw invalid`has the same time in 'From' and 'Until'
			Enter two different times, e.g. 08:00 and 20:00. To send at any time, remove 'Allowed Hours'`;
	}
	const timezone = timezoneOf(window.timezone) || defaultZone;
	return { from, until, days: daysOf(window.days), timezone };
}

function outsideAllowedHours(_: Message, hours: AllowedHours): Failed | undefined {
	const now = Date.now();
	if (isAllowed(hours, now)) return undefined;
	const begin = nextBegin(hours, now);
	const sendAfter = new Date(begin).toISOString();
	const text = twoLines`This message wasn't sent: it's outside 'Allowed Hours', which begin again \
			on ${formatOnClock(begin, hours.timezone)}
		Send it then, or change 'Allowed Hours'`;
	return failed('notAttempted', text, {
		reason: 'outsideAllowedHours',
		sendAfter,
		forAgents: { step: "Don't call this tool again before that time." },
	});
}

/**
 * Whether a message may be sent now. A window past midnight belongs to the day on which it began.
 */
export function isAllowed({ from, until, days, timezone }: AllowedHours, now: number) {
	const { hour, minute, weekday } = onClock(now, timezone);
	const minutes = hour * 60 + minute;
	const day = weekday % 7;
	if (from < until) return days.has(day) && minutes >= from && minutes < until;
	return (days.has(day) && minutes >= from) || (days.has((day + 6) % 7) && minutes < until);
}

/**
 * When the next window begins, in milliseconds since 1970; where the clock skips that
 * time, after the skip.
 */
export function nextBegin({ from, days, timezone }: AllowedHours, now: number): number {
	for (let day = onClock(now, timezone).startOf('day'); ; day = day.plus({ days: 1 })) {
		const begin = day.set({ hour: Math.floor(from / 60), minute: from % 60 }).toMillis();
		if (days.has(day.weekday % 7) && begin > now) return begin;
	}
}

/** A time on the clock of a time zone, e.g. "Monday 2026-11-23 08:00 (Europe/Berlin)". */
export function formatOnClock(instant: number, timezone: string): string {
	return (
		`${onClock(instant, timezone).setLocale('en').toFormat('cccc yyyy-MM-dd HH:mm')} ` +
		`(${timezone})`
	);
}

/** Also 08:00:00, as databases write it. */
const CLOCK_TIME = exactly`^\s*(\d{1,2})(?::([0-5]\d)(?::00(?:\.0+)?)?)?\s*$`;

/** Minutes of the day. */
function minutesOf(value: unknown, label: string) {
	const [, hours, minutes = 0] = CLOCK_TIME.exec(String(value)) ?? [];
	const total = Number(hours) * 60 + Number(minutes);
	const isMidnightAtTheEnd = label === 'Until' && total === DAY_MINUTES;
	if (total < DAY_MINUTES || isMidnightAtTheEnd) return total;
	throw invalid`has ${quoteForError(value)} in '${label}', which isn't a time
		Enter hours and minutes on a 24-hour clock, e.g. 08:00 or 20:30`;
}

function daysOf(value: unknown): Set<number> {
	const names: unknown[] = typeof value === 'string' ? value.split(',') : [value ?? []].flat();
	if (names.length === 0) return new Set(WEEK.keys());
	return new Set(
		names.map((name) => {
			const word = String(name).trim().toLowerCase();
			const day = WEEK.findIndex((each) => word.length >= 3 && each.toLowerCase().startsWith(word));
			if (day >= 0) return day;
			throw invalid`has ${quoteForError(name)} in 'Days', which isn't a day
				Use ${WEEK.join(', ')}`;
		}),
	);
}

function timezoneOf(value: unknown) {
	const timezone = String(value ?? '').trim();
	// Short names mean several zones (BST is British summer and Bangladesh), and some of them
	// have no summer time.
	const isUnique = /\/|^UTC$/i.test(timezone);
	if (timezone === '' || (isUnique && onClock(0, timezone).isValid)) return timezone;
	throw invalid`has ${quoteForError(timezone)} in 'Time Zone', which isn't a time zone
		Enter a name with a slash, such as Europe/Berlin or America/New_York, or UTC`;
}

const onClock = (instant: number, timezone: string) =>
	tryToParseDateTime(new Date(instant)).setZone(timezone);
