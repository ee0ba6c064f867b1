import type { DateTime } from 'luxon';
import { type IExecuteFunctions, tryToParseDateTime, WAIT_INDEFINITELY } from 'n8n-workflow';

import { WAITING_OPERATION } from '../n8n/internals';
import { twoLines } from '../common/twoLines';
import { misconfigured } from '../delivery/runRejected';
import { groupEntries, field, group, list, number, shownFor } from '../fields/field';
import { invalid, quoteForError } from '../validation/invalidValue';

const limitType = list('Limit Type', 'Whether to wait for some time, or until a date and time', {
	afterTimeInterval: 'After Time Interval',
	atSpecifiedTime: 'At Specified Time',
});
const resumeAmount = number('Amount', 'How many minutes, hours or days to wait', {
	preset: 1,
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
const DEFAULTS = { limitType: 'afterTimeInterval', resumeAmount: 1, resumeUnit: 'hours' };

/** When a wait ends that begins now. */
export type WaitLimit = (timezone: string) => Date;

/** As n8n's own nodes that wait for an answer have it. */
export const limitWaitTime = {
	...group(
		'Limit Wait Time',
		'How long to wait for the answer. After that, the workflow continues without one. Without this option, it waits until someone answers.',
		'Values',
		{
			limitType,
			...shownFor('limitType', 'afterTimeInterval', { resumeAmount, resumeUnit }),
			...shownFor('limitType', 'atSpecifiedTime', { maxDateAndTime }),
		},
		{
			displayOptions: { show: { '/operation': [WAITING_OPERATION] } },
			default: {
				values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' },
			},
			off: (): Date => WAIT_INDEFINITELY,
		},
	),
	check(value: unknown): WaitLimit {
		const [given = {}] = groupEntries(value, 'values');
		if (Object.keys(given).length === 0) return () => WAIT_INDEFINITELY;
		// A value that an expression doesn't find is there, but undefined.
		const limit: Record<string, unknown> = { ...DEFAULTS, ...given };
		if (limitType.check(limit.limitType) === 'atSpecifiedTime')
			return momentOf(limit.maxDateAndTime);
		const amount = resumeAmount.check(limit.resumeAmount);
		const duration = { [resumeUnit.check(limit.resumeUnit)]: amount };
		return (timezone) => tryToParseDateTime(new Date(), timezone).plus(duration).toJSDate();
	},
};

/** n8n-workflow brings luxon with it, but doesn't export it. */
const Luxon = tryToParseDateTime(new Date()).constructor as typeof DateTime;

/** What isn't ISO 8601 or SQL can be read in several ways: in 05/12/2027, which one is the month? */
function parsed(value: unknown, zone?: string): DateTime {
	// As a text, luxon's own objects are ISO 8601.
	const text = String(value instanceof Date ? value.toJSON() : (value ?? '')).trim();
	const iso = Luxon.fromISO(text, { zone });
	return iso.isValid ? iso : Luxon.fromSQL(text, { zone });
}

function momentOf(value: unknown): WaitLimit {
	if (!parsed(value).isValid)
		throw invalid`${(value ?? '') === '' ? 'is empty' : `is ${quoteForError(value)}, not a date and time`}
			Write it as 2027-12-31 18:00, choose it, or use an expression such as {{ $now.plus(2, 'hours') }}`;
	return (timezone) => {
		const end = parsed(value, timezone).toJSDate();
		// n8n takes a year with five digits, as 9999 has in some time zones, for the past.
		return end < WAIT_INDEFINITELY ? end : WAIT_INDEFINITELY;
	};
}

/** When waiting ends. @returns tells it for a wait that begins now. @throws RunRejected */
export function waitEnd(context: IExecuteFunctions, limit: WaitLimit): () => Date {
	const end = () => limit(context.getTimezone());
	if (end() > new Date()) return end;
	const text = twoLines`'Limit Wait Time' isn't in the future
		Enter an amount above 0, or a date and time in the future`;
	throw misconfigured(text, 'invalidInput');
}
