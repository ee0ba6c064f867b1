import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { MessageOptions } from '../operations/operation';
import { countries } from '../validation/countries';
import { templateText } from '../validation/templateText';
import { limitWaitTime } from './limitWaitTime';
import { type RunValues, choice, collection, number, perItem, readRunValues } from './option';

const TEMPLATE_ONLY = { show: { '/operation': ['sendTemplate'] } };
const ALSO_QUESTIONS = { show: { '/operation': ['sendTemplate', 'sendAndWait'] } };

/** Every option of the collection: a new one is an entry here. */
export const options = {
	attributeLineBreaks: choice({
		displayName: 'Line Breaks in Attributes',
		name: 'attributeLineBreaks',
		type: 'options',
		displayOptions: TEMPLATE_ONLY,
		options: [
			{
				name: 'Keep',
				value: 'keep',
				description: 'Send attributes as they are, e.g. because the service cleans them up',
			},
			{
				name: 'Reject',
				value: 'reject',
				description: "An item with such an attribute isn't sent",
			},
			{ name: 'Replace', value: 'replace', description: 'Replace each with one space' },
		],
		default: 'reject',
		description:
			'What to do with line breaks, tabs and more than four spaces in a row, which WhatsApp rejects in templates',
	}),
	defaultCountry: perItem({
		displayName: 'Default Country',
		name: 'defaultCountry',
		type: 'options',
		displayOptions: ALSO_QUESTIONS,
		options: [{ name: 'None', value: '' }, ...countries],
		default: '',
		description:
			'The country of phone numbers without a country code, e.g. 0151 23456789 in Germany. Can differ between items.',
	}),
	limitWaitTime: { field: limitWaitTime },
	maxConcurrency: number({
		displayName: 'Messages in Parallel',
		name: 'maxConcurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 1000, numberPrecision: 0 },
		default: 100,
		description:
			'How many messages are sent at the same time, up to 1,000. Messages to one customer go one after the other.',
	}),
	messagesPerSecond: number({
		displayName: 'Messages per Second',
		name: 'messagesPerSecond',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1000, numberPrecision: 2 },
		default: 0,
		description:
			'How many messages to start per second, evenly spaced. 0 means as fast as possible.',
	}),
	rateLimitWait: number({
		displayName: 'Rate Limit Wait (Seconds)',
		name: 'rateLimitWait',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 86400, numberPrecision: 2 },
		default: 60,
		description:
			'How long one message may wait in total while the service limits requests. After that, it counts as rejected.',
	}),
	templateText: {
		field: {
			displayName: 'Template Text',
			name: 'templateText',
			type: 'string',
			noDataExpression: true,
			typeOptions: { rows: 4 },
			displayOptions: ALSO_QUESTIONS,
			default: '',
			placeholder: 'e.g. Hi {{1}}, your table is booked for {{2}}.',
			description:
				"The template's text, to check that each item fills all its variables, and to show in a dry run what customers will read",
		} satisfies INodeProperties,
		check: templateText,
	},
	timeout: number({
		displayName: 'Timeout (Milliseconds)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 3600000, numberPrecision: 0 },
		default: 30000,
		description:
			"How long to wait for the service's response. A message without one counts as uncertain.",
	}),
};

/** How a run sends, as the user set it. Times are in milliseconds. */
export type Settings = RunValues<typeof options> & MessageOptions;

export const optionsProperty: INodeProperties = {
	...collection('Options', 'options', options),
	placeholder: 'Add option',
	description:
		'How messages are sent. Except for Default Country, each option has the same value for every item.',
};

/**
 * Reads the options that are one value for the whole run, from the first item.
 * @throws RunRejected
 */
export function readSettings(context: IExecuteFunctions): Settings {
	const { rateLimitWait, ...values } = readRunValues(context, 'options', options);
	return { ...values, rateLimitWait: rateLimitWait * 1000 };
}
