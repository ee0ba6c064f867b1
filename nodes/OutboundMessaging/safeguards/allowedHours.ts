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
export function isAllowed(hours: AllowedHours, now: number): boolean {
	const { from, until, days } = hours;
	const { minutes, day } = wallClock(now, hours.timezone);
	if (from < until) return days.has(day) && minutes >= from && minutes < until;
	return (days.has(day) && minutes >= from) || (days.has((day + 6) % 7) && minutes < until);
}

/**
 * When the next window begins.
 * @returns milliseconds since 1970
 */
export function nextBegin(hours: AllowedHours, now: number): number {
	const today = wallClock(now, hours.timezone);
	for (let ahead = 0; ahead <= 7; ahead++) {
		if (!hours.days.has((today.day + ahead) % 7)) continue;
		const begin = instantOf(
			today.midnight + ahead * DAY_MS + hours.from * MINUTE_MS,
			hours.timezone,
		);
		if (begin > now) return begin;
	}
	// The only allowed day is today, and its window has begun: a week from now.
	return instantOf(today.midnight + 7 * DAY_MS + hours.from * MINUTE_MS, hours.timezone);
}

/** A time on the clock of a time zone, e.g. "Monday 2026-11-23 08:00 (Europe/Berlin)". */
export function formatOnClock(instant: number, timezone: string): string {
	const { day, minutes, midnight } = wallClock(instant, timezone);
	const name = DAYS[day].replace(/./, (letter) => letter.toUpperCase());
	const date = new Date(midnight).toISOString().slice(0, 10);
	const time = [Math.floor(minutes / 60), minutes % 60].map((part) =>
		String(part).padStart(2, '0'),
	);
	return `${name} ${date} ${time.join(':')} (${timezone})`;
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

/** Making one takes long, and a list has few time zones. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timezone: string): Intl.DateTimeFormat {
	const clock =
		clocks.get(timezone) ??
		new Intl.DateTimeFormat('en-US', {
			timeZone: timezone,
			hourCycle: 'h23',
			year: 'numeric',
			month: 'numeric',
			day: 'numeric',
			hour: 'numeric',
			minute: 'numeric',
		});
	clocks.set(timezone, clock);
	return clock;
}

interface WallClock {
	/** The date's midnight, as if in UTC. */
	midnight: number;
	/** Since midnight. */
	minutes: number;
	/** 0 is Sunday. */
	day: number;
}

/** The last reading in each time zone: thousands of messages ask in the same minute, and a reading takes 10 microseconds. */
const lastReadings = new Map<string, { minute: number; wall: WallClock }>();

/** The local time in a time zone. */
function wallClock(instant: number, timezone: string): WallClock {
	const minute = Math.floor(instant / MINUTE_MS);
	const last = lastReadings.get(timezone);
	if (last?.minute === minute) return last.wall;
	const wall = readClock(instant, timezone);
	lastReadings.set(timezone, { minute, wall });
	return wall;
}

function readClock(instant: number, timezone: string): WallClock {
	const parts = new Map(
		clockOf(timezone)
			.formatToParts(instant)
			.map(({ type, value }) => [type, Number(value)]),
	);
	const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
	const midnight = Date.UTC(part('year'), part('month') - 1, part('day'));
	return {
		midnight,
		minutes: part('hour') * 60 + part('minute'),
		day: new Date(midnight).getUTCDay(),
	};
}

/** The moment at which the clock of a time zone shows this time; where it skips it, the moment after the skip. */
function instantOf(wall: number, timezone: string): number {
	const offsetAt = (instant: number) => {
		const { midnight, minutes } = wallClock(instant, timezone);
		return midnight + minutes * MINUTE_MS - Math.floor(instant / MINUTE_MS) * MINUTE_MS;
	};
	const guess = wall - offsetAt(wall);
	return wall - offsetAt(guess);
}
