import type { IExecuteFunctions } from 'n8n-workflow';
import { tryToParseDateTime, WAIT_INDEFINITELY } from 'n8n-workflow';

import { WAITING_OPERATION } from '../common/n8n';
import { isObject } from '../common/isObject';
import { field, group, list, number, shownFor } from '../operations/field';
import { invalid, quoteForError } from '../validation/invalidValue';
import { unreadable } from './parameters';

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

/** As n8n's own nodes that wait for an answer have it. */
export const limitWaitTime = group(
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
	},
);

const DEFAULTS = { limitType: 'afterTimeInterval', resumeAmount: 1, resumeUnit: 'hours' };

/**
 * When waiting ends.
 * @returns tells it for a wait that begins now
 * @throws RunRejected
 */
export function waitEnd(context: IExecuteFunctions): () => Date {
	const limit = context.getNodeParameter('options.limitWaitTime.values', 0, {}) as unknown;
	if (!isObject(limit) || Object.keys(limit).length === 0) return () => WAIT_INDEFINITELY;
	try {
		// A value that an expression doesn't find is there, but undefined.
		const end = endOf({ ...DEFAULTS, ...limit }, context.getTimezone());
		if (end() > new Date()) return end;
		throw invalid`isn't in the future
			Enter an amount above 0, or a date and time in the future`;
	} catch (error) {
		throw unreadable(limitWaitTime.displayName, error);
	}
}

function endOf(limit: Record<string, unknown>, timezone: string): () => Date {
	if (limitType.check(limit.limitType) === 'atSpecifiedTime') {
		const end = dateAndTime(limit.maxDateAndTime, timezone).toJSDate();
		// n8n takes a year with five digits, as 9999 has in some time zones, for the past.
		return () => (end < WAIT_INDEFINITELY ? end : WAIT_INDEFINITELY);
	}
	const amount = resumeAmount.check(limit.resumeAmount);
	const duration = { [resumeUnit.check(limit.resumeUnit)]: amount };
	return () => tryToParseDateTime(new Date(), timezone).plus(duration).toJSDate();
}

function dateAndTime(value: unknown, timezone: string) {
	try {
		return tryToParseDateTime(value, timezone);
	} catch {
		const isEmpty = value === '' || value === null || value === undefined;
		throw invalid`${isEmpty ? 'is empty' : `is ${quoteForError(value)}, not a date and time`}
			Choose a date and time, or use an expression that gives one, e.g. {{ $now.plus(2, 'hours') }}`;
	}
}
