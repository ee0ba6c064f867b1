import type { CountryCode } from 'libphonenumber-js/max';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { AllowedHours } from '../delivery/message';
import { allowedHours } from '../safeguards/allowedHours';
import type { Safeguards } from '../safeguards/applySafeguards';
import { doNotContactList, OPT_OUTS } from '../safeguards/doNotContact';
import { field, group, list, number } from '../operations/field';
import type { RecipientField } from '../operations/operation';
import { switchValue } from '../validation/setting';
import { collection, readRunValues } from './option';
import { invalid, InvalidValue } from '../validation/invalidValue';
import { isObject } from '../common/isObject';
import { rawParameter, unreadable } from './parameters';

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const days = field('Days', 'Days on which messages may be sent. Choose none for every day.', {
	type: 'multiOptions',
	options: DAYS.map((name) => ({ name, value: name.toLowerCase() })),
	default: [],
});

/**
 * Every safeguard: a new one is an entry here, and a rule in the folder safeguards. Each one acts with the value that the
 * editor stores when it's added: one that was added and does nothing would let a whole list out.
 */
export const safeguards = {
	allowedHours: group(
		'Allowed Hours',
		'When messages may be sent. Outside these hours an item fails, with the time to send it. Can differ between items.',
		'Window',
		{
			from: field('From', 'Sending starts at this time, on a 24-hour clock', { default: '08:00' }),
			until: field(
				'Until',
				'Sending stops at this time. If earlier than From, it means the next day.',
				{ default: '20:00' },
			),
			days,
			timezone: field(
				'Time Zone',
				"The time zone of these hours. Empty means the workflow's time zone.",
				{ placeholder: 'e.g. Europe/Berlin' },
			),
		},
		{
			// With its times: the editor doesn't store an added collection that is empty.
			default: { window: { from: '08:00', until: '20:00' } },
			placeholder: 'Set Hours',
			isPerItem: true,
		},
	),
	doNotContact: field(
		'Do Not Contact',
		'Recipients who get no message: a list, or one per line. Phone numbers for templates, otherwise customer IDs.',
		{
			typeOptions: { rows: 3 },
			placeholder: `e.g. ${OPT_OUTS}`,
		},
	),
	dryRun: field(
		'Dry Run',
		'Whether to check all items and show what would be sent, without sending anything',
		{ type: 'boolean', default: true, off: false, check: switchValue },
	),
	maxMessages: number(
		'Max Messages',
		'The most messages that one execution may send. If a step would exceed this, none of it is sent. 0 means no limit.',
		{ preset: 100, min: 0, max: 1000000, whole: true },
		{ off: 0 },
	),
	onUncertainDelivery: list(
		'If Delivery Is Uncertain',
		'Whether to resend when the service never confirmed the first try',
		{
			doNotResend: [
				"Don't Resend",
				'No customer gets the message twice, but it may not have arrived',
			],
			resend: [
				'Resend',
				'Each retry, and each execution at the same time, sends it again: the customer may get it several times',
			],
		},
	),
	repeatedRecipients: list(
		'Repeated Recipients',
		"What to do when one execution has several items for the same recipient. If you add it before a retry, earlier batches of a loop don't count.",
		{
			reject: ['Reject', 'A repeated recipient is an error in the list'],
			sendAll: ['Send All', 'Each item is a message, e.g. one per order'],
			sendFirst: [
				'Send First',
				'Each recipient gets the first item only. If that one is rejected, a later step can send one.',
			],
		},
		{ default: 'sendFirst', off: 'sendAll' },
	),
	sendOnceKey: field(
		'Send Once Key',
		'What the message is about, e.g. an order. Each customer gets one message per key, even from later executions.',
		{ placeholder: 'e.g. {{ $json.date }}-reminder', isPerItem: true },
	),
	stopAfterFailures: number(
		'Stop After Failures',
		'Stop after this many rejected or uncertain messages in a row, if On Error is set to continue. 0 means never.',
		{ preset: 25, min: 0, max: 1000000, whole: true },
	),
	testRecipient: field(
		'Test Recipient',
		'Your own phone number (customer ID for text and attachments). It gets the first three messages, and customers get none.',
		{ placeholder: 'e.g. +15550100200' },
	),
};

export const safeguardsProperty = collection(
	'Safeguards',
	'safeguards',
	'Add safeguard',
	'Who gets a message, and when. A safeguard acts as soon as you add it. Except for Allowed Hours and Send Once Key, each has the same value for every item.',
	safeguards,
);

/**
 * Reads the safeguards that are one value for all items.
 * @throws RunRejected
 */
export function readSafeguards(context: IExecuteFunctions) {
	const { onUncertainDelivery, ...values } = readRunValues(context, 'safeguards', safeguards);
	requireFilled(context, 'sendOnceKey');
	return { ...values, resendUncertain: onUncertainDelivery === 'resend' };
}

type Recipients = Pick<Safeguards, 'doNotContact' | 'testRecipient'>;

/**
 * Reads the safeguards that hold recipients.
 * @param countries where phone numbers without a country code belong: those of all items
 * @throws RunRejected
 */
export async function readRecipients(
	context: IExecuteFunctions,
	{ check, readings }: RecipientField,
	countries: CountryCode[],
): Promise<Recipients> {
	// An expression may fill these texts: one that finds nothing is an error, too.
	const read = async <T>(name: keyof Recipients, checkText: (value: unknown) => T | Promise<T>) => {
		if (!requireFilled(context, name)) return undefined;
		try {
			return await checkText(context.getNodeParameter(`safeguards.${name}`, 0, '') as unknown);
		} catch (error) {
			throw unreadable(safeguards[name].displayName, error);
		}
	};
	const readingsOf = (entry: unknown) => readings(entry, countries);
	const blocked = await read('doNotContact', (value) => doNotContactList(value, readingsOf));
	// An expression such as {{ $vars.testPhone }} turns the test off with an empty text.
	const testRecipient = await read('testRecipient', (value) =>
		value === '' ? undefined : check(value, countries),
	);
	return { doNotContact: blocked ?? new Set(), testRecipient };
}

/** Whether a safeguard is set that judges a message by what the node has sent in the whole execution. */
export function countsMessages(context: IExecuteFunctions): boolean {
	const off = { maxMessages: 0, repeatedRecipients: 'sendAll', testRecipient: '' };
	return Object.entries(off).some(
		([name, value]) => (rawParameter(context, `safeguards.${name}`) ?? value) !== value,
	);
}

/**
 * A text that was added and left empty isn't off: its sender believes in it.
 * @returns whether it was added
 */
function requireFilled(context: IExecuteFunctions, name: keyof typeof safeguards): boolean {
	const stored = rawParameter(context, `safeguards.${name}`);
	if (stored !== '') return stored !== null;
	const { displayName: label } = safeguards[name];
	const fix = `Enter a value, or remove '${label}' under Safeguards`;
	throw unreadable(label, new InvalidValue('is empty', fix));
}

/**
 * The check of 'Allowed Hours'.
 * @param stored as the workflow has them, with expressions anywhere inside
 * @returns the check, which throws InvalidValue
 */
export function hoursCheck(
	stored: unknown,
	workflowTimezone: string,
): (value: unknown) => AllowedHours {
	const window = isObject(stored) ? stored.window : stored;
	const isExpression = (field: string) =>
		JSON.stringify([isObject(window) ? window[field] : window]).includes('"=');
	return (value) => {
		if (window !== undefined && window !== '') {
			const hours = isObject(value) ? value.window : undefined;
			return allowedHours(hours, workflowTimezone, isExpression);
		}
		throw invalid`has no hours
			Click 'Set Hours' and enter them. To send at any time, remove 'Allowed Hours'`;
	};
}
