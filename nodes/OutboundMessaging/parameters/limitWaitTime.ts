import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { tryToParseDateTime, WAIT_INDEFINITELY } from 'n8n-workflow';

import { isObject } from '../isObject';
import { list, shownFor } from '../operations/field';
import { invalid, InvalidValue, quoteForError } from '../validation/invalidValue';
import { choiceOf, numberIn } from '../validation/setting';
import { unreadable } from './unreadable';

const INTERVAL = 'afterTimeInterval';
const TYPES = [
	{ name: 'After Time Interval', value: INTERVAL },
	{ name: 'At Specified Time', value: 'atSpecifiedTime' },
];
const AMOUNT = { min: 0, max: 10_000, whole: false };
const UNITS = [
	{ name: 'Hours', value: 'hours' },
	{ name: 'Minutes', value: 'minutes' },
	{ name: 'Days', value: 'days' },
];

const values: INodeProperties[] = [
	list('Limit Type', 'limitType', TYPES, 'Whether to wait for some time, or until a date and time'),
	shownFor('limitType', INTERVAL, {
		displayName: 'Amount',
		name: 'resumeAmount',
		type: 'number',
		typeOptions: { minValue: AMOUNT.min, maxValue: AMOUNT.max, numberPrecision: 2 },
		default: 1,
		description: 'How many minutes, hours or days to wait',
	}),
	shownFor(
		'limitType',
		INTERVAL,
		list('Unit', 'resumeUnit', UNITS, 'What the amount is counted in'),
	),
	shownFor('limitType', 'atSpecifiedTime', {
		displayName: 'Max Date and Time',
		name: 'maxDateAndTime',
		type: 'dateTime',
		default: '',
		description: "Until when to wait, in the workflow's time zone",
	}),
];

/** As n8n's own nodes that wait for an answer have it. */
export const limitWaitTime: INodeProperties = {
	displayName: 'Limit Wait Time',
	name: 'limitWaitTime',
	type: 'fixedCollection',
	displayOptions: { show: { '/operation': ['sendAndWait'] } },
	default: { values: { limitType: INTERVAL, resumeAmount: 45, resumeUnit: 'minutes' } },
	description:
		'How long to wait for the answer. After that, the workflow continues without one. Without this option, it waits until someone answers.',
	options: [{ displayName: 'Values', name: 'values', values }],
};

/**
 * When waiting ends.
 * @throws RunRejected
 */
export function waitEnd(context: IExecuteFunctions): Date {
	const limit = context.getNodeParameter('options.limitWaitTime.values', 0, {}) as unknown;
	if (!isObject(limit) || Object.keys(limit).length === 0) return WAIT_INDEFINITELY;
	const { limitType = INTERVAL, resumeAmount = 1, resumeUnit = 'hours', maxDateAndTime } = limit;
	try {
		const now = new Date();
		const timezone = context.getTimezone();
		const end =
			choiceOf(TYPES)(limitType) === INTERVAL
				? tryToParseDateTime(now, timezone)
						.plus({ [choiceOf(UNITS)(resumeUnit)]: numberIn(AMOUNT)(resumeAmount) })
						.toJSDate()
				: dateAndTime(maxDateAndTime, timezone);
		if (end > now) return end;
		throw invalid`isn't in the future
			Enter an amount above 0, or a date and time in the future`;
	} catch (error) {
		throw unreadable('Limit Wait Time', error);
	}
}

function dateAndTime(value: unknown, timezone: string): Date {
	try {
		return tryToParseDateTime(value, timezone).toJSDate();
	} catch {
		// Below, in words of our own.
	}
	const isEmpty = value === '' || value === null || value === undefined;
	throw new InvalidValue(
		isEmpty ? 'is empty' : `is ${quoteForError(value)}, not a date and time`,
		"Choose a date and time, or use an expression that gives one, e.g. {{ $now.plus(2, 'hours') }}",
	);
}
