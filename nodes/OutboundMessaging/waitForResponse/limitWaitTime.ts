import type { DateTime } from 'luxon';
import { type IDataObject, tryToParseDateTime, WAIT_INDEFINITELY } from 'n8n-workflow';

import { groupEntries, field, group, list, number, shownFor } from '../parameters/field';
import { invalid, quoteForError } from '../validation/invalidValue';

const limitType = list('Limit Type', 'Whether to wait for some time, or until a date and time', {
	afterTimeInterval: 'After Time Interval',
	atSpecifiedTime: 'At Specified Time',
});
const resumeAmount = number('Amount', 'How many minutes, hours or days to wait', {
	// n8n would put it in place of a limit in another shape.
	preset: 0,
	min: 0,
	max: 10_000,
	whole: false,
});
const resumeUnit = list('Unit', 'What the amount is counted in', {
	hours: 'Hours',
	minutes: 'Minutes',
	days: 'Days',
});
const maxDateAndTime = field(
	'Max Date and Time',
	"Until when to wait, in the workflow's time zone",
	{ type: 'dateTime' },
);

/** Tells when a wait ends that begins now. */
export type EndOfWait = () => Date;

/** As n8n's own nodes that wait for an answer have it. */
export const limitWaitTime = group(
	'Limit Wait Time',
	'How long to wait for the answer. After that, the workflow continues without one. Without ' +
		'this option, it waits until someone answers.',
	'Values',
	{
		limitType,
		...shownFor('limitType', 'afterTimeInterval', { resumeAmount, resumeUnit }),
		...shownFor('limitType', 'atSpecifiedTime', { maxDateAndTime }),
	},
	{
		default: {
			values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' },
		},
		off: (): Date => WAIT_INDEFINITELY,
		check: endOfWait,
	},
);

/** @throws InvalidValue */
function endOfWait(value: unknown, { timezone }: { timezone: string }): EndOfWait {
	const [limit = {}] = groupEntries(value, 'values');
	const isMoment = limitType.check(limit.limitType) === 'atSpecifiedTime';
	const end = isMoment ? endAt(limit.maxDateAndTime, timezone) : endAfter(limit, timezone);
	if (end() > new Date()) return end;
	throw invalid`isn't in the future
		Enter an amount above 0, or a date and time in the future`;
}

function endAfter(limit: IDataObject, timezone: string): EndOfWait {
	const amount = resumeAmount.check(limit.resumeAmount);
	const duration = { [resumeUnit.check(limit.resumeUnit)]: amount };
	return () => tryToParseDateTime(new Date(), timezone).plus(duration).toJSDate();
}

/** n8n-workflow brings luxon with it, but doesn't export it. */
const Luxon = tryToParseDateTime(new Date()).constructor as typeof DateTime;

/**
 * What isn't ISO 8601 or SQL can be read in several ways: in 05/12/2027, which one is the month?
 */
function endAt(value: unknown, zone: string): EndOfWait {
	// As a text, luxon's own objects are ISO 8601.
	const text = String(value instanceof Date ? value.toJSON() : (value ?? '')).trim();
	const iso = Luxon.fromISO(text, { zone });
	const moment = iso.isValid ? iso : Luxon.fromSQL(text, { zone });
	if (!moment.isValid) {
		throw invalid`${text === '' ? 'is empty' : `is ${quoteForError(value)}, not a date and time`}
			Write it as 2027-12-31 18:00, choose it, or use an expression such as \
				{{ $now.plus(2, 'hours') }}`;
	}
	// n8n takes a year with five digits, as 9999 has in some time zones, for the past.
	const end = Math.min(moment.toMillis(), WAIT_INDEFINITELY.getTime());
	return () => new Date(end);
}
