import type { INodeProperties } from 'n8n-workflow';
import { WAIT_INDEFINITELY } from 'n8n-workflow';

import { isObject } from '../isObject';
import { instantOf } from '../safeguards/allowedHours';
import { InvalidValue, quoteForError } from '../validation/invalidValue';
import { choiceOf, numberIn } from '../validation/setting';

const UNIT_MS: Record<string, number> = { days: 86_400_000, hours: 3_600_000, minutes: 60_000 };
const UNITS = [
	{ name: 'Days', value: 'days' },
	{ name: 'Hours', value: 'hours' },
	{ name: 'Minutes', value: 'minutes' },
];
const TYPES = [
	{ name: 'After Time Interval', value: 'afterTimeInterval' },
	{ name: 'At Specified Time', value: 'atSpecifiedTime' },
];
const MAX_AMOUNT = 10_000;
const interval = { show: { limitType: ['afterTimeInterval'] } };

const values: INodeProperties[] = [
	{
		displayName: 'Limit Type',
		name: 'limitType',
		type: 'options',
		options: TYPES,
		default: 'afterTimeInterval',
		description: 'Whether to wait for some time, or until a date and time',
	},
	{
		displayName: 'Amount',
		name: 'resumeAmount',
		type: 'number',
		displayOptions: interval,
		typeOptions: { minValue: 0, maxValue: MAX_AMOUNT, numberPrecision: 2 },
		default: 1,
		description: 'How many minutes, hours or days to wait',
	},
	{
		displayName: 'Unit',
		name: 'resumeUnit',
		type: 'options',
		displayOptions: interval,
		options: UNITS,
		default: 'hours',
		description: 'What the amount is counted in',
	},
	{
		displayName: 'Max Date and Time',
		name: 'maxDateAndTime',
		type: 'dateTime',
		displayOptions: { show: { limitType: ['atSpecifiedTime'] } },
		default: '',
		description: "Until when to wait, in the workflow's time zone",
	},
];

/** As n8n's own nodes that wait for an answer have it. */
export const limitWaitTime: INodeProperties = {
	displayName: 'Limit Wait Time',
	name: 'limitWaitTime',
	type: 'fixedCollection',
	displayOptions: { show: { '/operation': ['sendAndWait'] } },
	default: { values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' } },
	description:
		'How long to wait for the answer. After that, the workflow continues without one. Without this option, it waits until someone answers.',
	options: [{ displayName: 'Values', name: 'values', values }],
};

/**
 * When waiting ends.
 * @param limit the values of 'Limit Wait Time'; empty when it isn't set
 * @throws InvalidValue
 */
export function waitEnd(limit: unknown, now: number, timezone: string): Date {
	if (!isObject(limit) || Object.keys(limit).length === 0) return WAIT_INDEFINITELY;
	const { limitType = 'afterTimeInterval', resumeAmount = 1, resumeUnit = 'hours' } = limit;
	if (choiceOf(TYPES)(limitType) === 'afterTimeInterval') {
		const amount = numberIn({ min: 0.01, max: MAX_AMOUNT, whole: false })(resumeAmount);
		return new Date(now + amount * UNIT_MS[choiceOf(UNITS)(resumeUnit)]);
	}
	const end = instantFrom(limit.maxDateAndTime, timezone);
	if (end > now) return new Date(end);
	throw new InvalidValue(
		`has ${quoteForError(limit.maxDateAndTime)}, which isn't a time in the future`,
		"Choose a date and time in the future, or set 'Limit Type' to 'After Time Interval'",
	);
}

/** The editor stores the time on a clock, without its time zone; an expression can have one. */
function instantFrom(value: unknown, timezone: string): number {
	const isClockTime = typeof value === 'string' && /^[\d-]+[T ][\d:.]+$/.test(value);
	const time = isClockTime
		? Date.parse(`${value.replace(' ', 'T')}Z`)
		: new Date(value as string).getTime();
	return isClockTime && !Number.isNaN(time) ? instantOf(time, timezone) : time;
}
