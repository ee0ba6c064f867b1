import { WAITING_OPERATION } from '../n8n/internals';
import { collection, field, list, number } from '../parameters/field';
import { countries, countryCode } from '../recipients/countries';
import { switchValue } from '../validation/setting';
import { templateText } from '../validation/templateText';
import { limitWaitTime } from '../waitForResponse/limitWaitTime';
import { responsePage } from '../waitForResponse/responsePage';

const onlyFor = (...operations: string[]) => ({
	displayOptions: { show: { '/operation': operations } },
});

/** Every option of the collection: a new one is an entry here. */
export const options = {
	attributeLineBreaks: list(
		'Line Breaks in Attributes',
		'What to do with line breaks, tabs and more than four spaces in a row, which WhatsApp ' +
			'rejects in templates',
		{
			keep: ['Keep', 'Send attributes as they are'],
			reject: ['Reject', "An item with such an attribute isn't sent"],
			replace: ['Replace', 'Replace each with one space'],
		},
		{ ...onlyFor('sendTemplate'), default: 'reject' },
	),
	defaultCountry: field(
		'Default Country',
		'The country of phone numbers without a country code, e.g. 0151 23456789 in Germany. Can ' +
			'differ between items.',
		{
			...onlyFor('sendTemplate', WAITING_OPERATION),
			type: 'options',
			options: [{ name: 'None', value: '' }, ...countries],
			isPerItem: true,
			check: countryCode,
		},
	),
	includeInputFields: field(
		'Include Input Fields',
		"Whether to add the item's own fields to the output, as input. Failed items don't get them.",
		{
			displayOptions: { hide: { '/operation': [WAITING_OPERATION] } },
			type: 'boolean',
			default: false,
			noDataExpression: true,
			check: switchValue,
		},
	),
	limitWaitTime: { ...limitWaitTime, ...onlyFor(WAITING_OPERATION) },
	maxConcurrency: number(
		'Messages in Parallel',
		'How many messages are sent at the same time, up to 1,000. Messages to one customer go ' +
			'one after the other.',
		{ preset: 100, min: 1, max: 1000, whole: true },
	),
	messagesPerSecond: number(
		'Messages per Second',
		'How many messages to start per second, evenly spaced. 0 means as fast as possible.',
		{ preset: 0, min: 0, max: 1000, whole: false },
	),
	rateLimitWait: number(
		'Rate Limit Wait (Seconds)',
		'How long a message may wait, from the first time that the service limits its own request. ' +
			"It isn't sent if the service asks for a longer pause.",
		{ preset: 60, min: 0, max: 86400, whole: false },
	),
	responsePage: { ...responsePage, ...onlyFor(WAITING_OPERATION) },
	templateText: field(
		'Template Text',
		"The template's text, to check that each item fills all its variables, and to show in a " +
			'dry run what customers will read',
		{
			...onlyFor('sendTemplate', WAITING_OPERATION),
			noDataExpression: true,
			typeOptions: { rows: 4 },
			placeholder: 'e.g. Hi {{1}}, your table is booked for {{2}}.',
			check: templateText,
			off: undefined,
		},
	),
	timeout: number(
		'Timeout (Milliseconds)',
		"How long to wait for the service's response. A message without one counts as uncertain.",
		{ preset: 30000, min: 1, max: 3600000, whole: true },
	),
};

export const optionsProperty = collection(
	'Options',
	'Add option',
	'How messages are sent. Except for Default Country, each option has the same ' +
		'value for every item.',
	options,
);
