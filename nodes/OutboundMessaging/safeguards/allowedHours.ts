import type { AllowedHours } from '../delivery/message';
import { InvalidValue, quoteForError } from '../validation/invalidValue';

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const DAY_MS = DAY_MINUTES * MINUTE_MS;

/**
 * Reads the window of an item.
 * @param value `{ from: "08:00", until: "20:00", days: ["monday"], timezone: "Europe/Berlin" }`; without days all of them
 *   count, without a time zone the workflow's
 * @param isExpression whether an expression fills a field: one that finds nothing is an error, not a default
 * @throws InvalidValue
 */
export function allowedHours(
	value: unknown,
	workflowTimezone: string,
	isExpression: (field: string) => boolean,
): AllowedHours {
	const window = (typeof value === 'object' && value !== null ? value : {}) as Record<
		string,
		unknown
	>;
	const from = minutesOf(window.from, 'From');
	const until = minutesOf(window.until, 'Until');
	if (from === until) {
		throw new InvalidValue(
			`has the same time in 'From' and 'Until'`,
			"Enter two different times, e.g. 08:00 and 20:00. To send at any time, remove 'Allowed Hours'",
		);
	}
	return {
		from,
		until,
		days: daysOf(window.days, isExpression('days')),
		timezone: timezoneOf(window.timezone, workflowTimezone, isExpression('timezone')),
	};
}

/** Whether a message may be sent now. A window past midnight belongs to the day on which it began. */
export function isAllowed({ from, until, days, timezone }: AllowedHours, now: number): boolean {
	const wall = new Date(wallClock(now, timezone));
	const minutes = wall.getUTCHours() * 60 + wall.getUTCMinutes();
	const day = wall.getUTCDay();
	if (from < until) return days.has(day) && minutes >= from && minutes < until;
	return (days.has(day) && minutes >= from) || (days.has((day + 6) % 7) && minutes < until);
}

/**
 * When the next window begins: in a week if today is its only day.
 * @returns milliseconds since 1970
 */
export function nextBegin({ from, days, timezone }: AllowedHours, now: number): number {
	const wall = wallClock(now, timezone);
	for (let midnight = wall - (wall % DAY_MS); ; midnight += DAY_MS) {
		if (!days.has(new Date(midnight).getUTCDay())) continue;
		const begin = instantOf(midnight + from * MINUTE_MS, timezone);
		if (begin > now) return begin;
	}
}

/** A time on the clock of a time zone, e.g. "Monday 2026-11-23 08:00 (Europe/Berlin)". */
export function formatOnClock(instant: number, timezone: string): string {
	const wall = new Date(wallClock(instant, timezone));
	const day = DAYS[wall.getUTCDay()].replace(/./, (letter) => letter.toUpperCase());
	const [date, time] = wall.toISOString().split('T');
	return `${day} ${date} ${time.slice(0, 5)} (${timezone})`;
}

function minutesOf(value: unknown, label: string): number {
	const [, hours, minutes = 0] = /^\s*(\d{1,2})(?::(\d{2}))?\s*$/.exec(String(value)) ?? [];
	const total = Number(hours) * 60 + Number(minutes);
	const isMidnightAtTheEnd = label === 'Until' && total === DAY_MINUTES;
	if (Number(minutes) < 60 && (total < DAY_MINUTES || isMidnightAtTheEnd)) return total;
	throw new InvalidValue(
		`has ${quoteForError(value)} in '${label}', which isn't a time`,
		'Enter hours and minutes on a 24-hour clock, e.g. 08:00 or 20:30',
	);
}

function daysOf(value: unknown, isExpression: boolean): Set<number> {
	const names: unknown[] = typeof value === 'string' ? value.split(',') : [value ?? []].flat();
	if (names.length === 0 && !isExpression) return new Set(DAYS.keys());
	if (names.length === 0) throw foundNothing('Days');
	return new Set(
		names.map((name) => {
			const word = String(name).trim().toLowerCase();
			const day = DAYS.findIndex((each) => word.length >= 3 && each.startsWith(word));
			if (day >= 0) return day;
			throw new InvalidValue(
				`has ${quoteForError(name)} in 'Days', which isn't a day`,
				`Use ${DAYS.join(', ')}`,
			);
		}),
	);
}

function timezoneOf(value: unknown, workflowTimezone: string, isExpression: boolean): string {
	const timezone = String(value ?? '').trim();
	if (timezone === '' && isExpression) throw foundNothing('Time Zone');
	if (timezone === '') return workflowTimezone;
	try {
		clockOf(timezone);
		return timezone;
	} catch {
		throw unknownTimezone(timezone);
	}
}

function unknownTimezone(timezone: string): InvalidValue {
	return new InvalidValue(
		`has ${quoteForError(timezone)} in 'Time Zone', which isn't a time zone`,
		'Enter a name such as Europe/Berlin or America/New_York',
	);
}

function foundNothing(label: string): InvalidValue {
	return new InvalidValue(
		`has nothing in '${label}': the expression found no value`,
		'Check that the input item has that field',
	);
}

/** A time zone's clock, and its last reading: a reading takes microseconds, and thousands of messages ask in one minute. */
interface ZoneClock {
	format: Intl.DateTimeFormat;
	minute?: number;
	wall: number;
}

/** Making one takes long, and a list has few time zones. */
const clocks = new Map<string, ZoneClock>();

function clockOf(timezone: string): ZoneClock {
	const clock = clocks.get(timezone) ?? {
		format: new Intl.DateTimeFormat('en-US', {
			timeZone: timezone,
			hourCycle: 'h23',
			year: 'numeric',
			month: 'numeric',
			day: 'numeric',
			hour: 'numeric',
			minute: 'numeric',
		}),
		wall: 0,
	};
	clocks.set(timezone, clock);
	return clock;
}

/** What the clock of a time zone shows, to the minute, as milliseconds since 1970 as if it were in UTC. */
function wallClock(instant: number, timezone: string): number {
	const clock = clockOf(timezone);
	const minute = Math.floor(instant / MINUTE_MS);
	if (clock.minute !== minute) {
		const parts = clock.format.formatToParts(instant);
		const part = (name: Intl.DateTimeFormatPartTypes) =>
			Number(parts.find(({ type }) => type === name)?.value);
		const midnight = Date.UTC(part('year'), part('month') - 1, part('day'));
		clock.wall = midnight + (part('hour') * 60 + part('minute')) * MINUTE_MS;
		clock.minute = minute;
	}
	return clock.wall;
}

/** The moment at which the clock of a time zone shows this time; where it skips it, the moment after the skip. */
function instantOf(wall: number, timezone: string): number {
	const offsetAt = (instant: number) =>
		wallClock(instant, timezone) - Math.floor(instant / MINUTE_MS) * MINUTE_MS;
	const guess = wall - offsetAt(wall);
	return wall - offsetAt(guess);
}
