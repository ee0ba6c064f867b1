import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { tryToParseDateTime, WAIT_INDEFINITELY } from 'n8n-workflow';

import { isObject } from '../isObject';
import { list, shownFor } from '../operations/field';
import { InvalidValue } from '../validation/invalidValue';
import { unreadable } from './unreadable';

const INTERVAL = 'afterTimeInterval';
const TYPES = [
	{ name: 'After Time Interval', value: INTERVAL },
	{ name: 'At Specified Time', value: 'atSpecifiedTime' },
];
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
		typeOptions: { minValue: 0, maxValue: 10_000, numberPrecision: 2 },
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
		const now = tryToParseDateTime(new Date(), context.getTimezone());
		const end =
			limitType === INTERVAL
				? now.plus({ [String(resumeUnit)]: Number(resumeAmount) })
				: tryToParseDateTime(maxDateAndTime, context.getTimezone());
		if (end > now) return end.toJSDate();
		throw new InvalidValue(
			"isn't in the future",
			'Enter an amount above 0, or a date and time in the future',
		);
	} catch (error) {
		throw unreadable('Limit Wait Time', error);
	}
}
