import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { AllowedHours } from '../safeguards/allowedHours';
import { allowedHours } from '../safeguards/allowedHours';
import type { Safeguards } from '../safeguards/applySafeguards';
import { doNotContactList } from '../safeguards/doNotContact';
import type { MessageOptions, RecipientField } from '../operations/operation';
import { choice, collection, number, perItem, readRunValues, toggle } from './option';
import { InvalidValue } from '../validation/invalidValue';
import type { Parameters } from './parameters';
import { unreadable } from './unreadable';

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Every safeguard: a new one is an entry here, and a rule in the folder safeguards. */
export const safeguards = {
	allowedHours: perItem({
		displayName: 'Allowed Hours',
		name: 'allowedHours',
		type: 'fixedCollection',
		default: {},
		placeholder: 'Set Hours',
		description:
			"When messages may be sent, e.g. from 08:00 until 20:00. Outside these hours an item isn't sent, and fails with the time when they begin again. Each item can have its own time zone.",
		options: [
			{
				displayName: 'Window',
				name: 'window',
				values: [
					{
						displayName: 'Days',
						name: 'days',
						type: 'multiOptions',
						options: DAYS.map((name) => ({ name, value: name.toLowerCase() })),
						default: [],
						description: 'On which days messages may be sent. Choose none for every day.',
					},
					{
						displayName: 'From',
						name: 'from',
						type: 'string',
						default: '08:00',
						placeholder: 'e.g. 08:00',
						description: 'The first minute, on a 24-hour clock',
					},
					{
						displayName: 'Time Zone',
						name: 'timezone',
						type: 'string',
						default: '',
						placeholder: 'e.g. Europe/Berlin',
						description: "The time zone of these hours. Empty means the workflow's time zone.",
					},
					{
						displayName: 'Until',
						name: 'until',
						type: 'string',
						default: '20:00',
						placeholder: 'e.g. 20:00',
						description:
							'The minute from which nothing is sent any more. A time before From is on the next day.',
					},
				],
			},
		],
	}),
	doNotContact: {
		field: {
			displayName: 'Do Not Contact',
			name: 'doNotContact',
			type: 'string',
			typeOptions: { rows: 3 },
			default: '',
			placeholder: "e.g. {{ $('Opt-outs').all().map((row) => row.json.phone) }}",
			description:
				'Recipients who get no message: a list from an expression, or text with one per line or separated by commas, e.g. +15550100200, +15550100201. Phone numbers for templates, in any spelling, customer IDs otherwise. One list for the whole run: an expression must yield the same one for every item.',
		} satisfies INodeProperties,
	},
	dryRun: toggle({
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		default: false,
		description:
			'Whether to send nothing and only check all items, e.g. to look at a new list first. The output shows the requests that would be sent. One value for the whole run.',
	}),
	maxMessages: number({
		displayName: 'Max Messages',
		name: 'maxMessages',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1000000, numberPrecision: 0 },
		default: 0,
		description:
			'How many messages one execution may send, all runs of this node together, e.g. 500. One more, and the run is rejected before it sends anything. 0 means no limit.',
	}),
	onUncertainDelivery: choice({
		displayName: 'On Uncertain Delivery',
		name: 'onUncertainDelivery',
		type: 'options',
		options: [
			{
				name: 'Do Not Resend',
				value: 'doNotResend',
				description:
					"A retry doesn't send the message again: no customer gets it twice, but it may not have arrived",
			},
			{
				name: 'Resend',
				value: 'resend',
				description: 'Each retry sends the message again: the customer may get it several times',
			},
		],
		default: 'doNotResend',
		description:
			'What to do with a message that was sent without a clear response, e.g. after a timeout, when it comes again: in a retry, or as an item from an error output',
	}),
	repeatedRecipients: choice({
		displayName: 'Repeated Recipients',
		name: 'repeatedRecipients',
		type: 'options',
		options: [
			{
				name: 'Reject',
				value: 'reject',
				description: 'A repeated recipient is an error in the list',
			},
			{
				name: 'Send All',
				value: 'sendAll',
				description: 'Each item is a message, e.g. one per order',
			},
			{
				name: 'Send First',
				value: 'sendFirst',
				description:
					'The first item of each recipient is sent, later ones are skipped, even if the first one is rejected',
			},
		],
		default: 'sendAll',
		description:
			'What to do when several items of an execution have the same recipient, e.g. Send First for a newsletter',
	}),
	sendOnceKey: perItem({
		displayName: 'Send Once Key',
		name: 'sendOnceKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.orderId }}-confirmation',
		description:
			"A key that identifies this message, e.g. the order's ID and the kind of message. A second item with the same key isn't sent, not even in a later execution.",
	}),
	stopAfterFailures: number({
		displayName: 'Stop After Failures',
		name: 'stopAfterFailures',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1000000, numberPrecision: 0 },
		default: 25,
		description:
			'How many messages in a row may be rejected or uncertain before the run ends, e.g. because a template was paused. Applies when On Error is set to continue. 0 means that it never ends the run.',
	}),
	testRecipient: {
		field: {
			displayName: 'Test Recipient',
			name: 'testRecipient',
			type: 'string',
			default: '',
			placeholder: 'e.g. +15550100200',
			description:
				'Your own phone number, e.g. +15550100200 (customer ID for text and attachments). The first three messages of the execution go there, all others are skipped.',
		} satisfies INodeProperties,
	},
};

/** The safeguards that are one value for the whole run. */
export interface RunSafeguards extends Safeguards {
	dryRun: boolean;
	resendUncertain: boolean;
	stopAfterFailures: number;
}

export const safeguardsProperty = {
	...collection('Safeguards', 'safeguards', safeguards),
	placeholder: 'Add safeguard',
	description:
		'Rules that keep messages from being sent to the wrong people, too often or at the wrong time. Except for Allowed Hours and Send Once Key, each has one value for the whole run, the same for every item.',
};

/**
 * Reads the safeguards that are one value for the whole run, from the first item.
 * @param options of the run, which change how a recipient is read
 * @throws RunRejected
 */
export function readSafeguards(
	context: IExecuteFunctions,
	{ check, readings }: RecipientField,
	options: MessageOptions,
): RunSafeguards {
	const { onUncertainDelivery, ...values } = readRunValues(context, 'safeguards', safeguards);
	return {
		...values,
		resendUncertain: onUncertainDelivery === 'resend',
		doNotContact:
			readList(context, 'doNotContact', (value) =>
				doNotContactList(value, (entry) => readings(entry, options)),
			) ?? new Set<string>(),
		testRecipient: readList(context, 'testRecipient', (value) => check(value, options)),
	};
}

/** Whether a safeguard is set that counts what the node sends in the whole execution. */
export function countsMessages(context: IExecuteFunctions): boolean {
	return COUNTING.some((name) => {
		const off: unknown = safeguards[name].field.default;
		const options = { rawExpressions: true };
		const set: unknown = context.getNodeParameter(`safeguards.${name}`, 0, off, options);
		return set !== off && set !== 0;
	});
}

const COUNTING = [
	'maxMessages',
	'repeatedRecipients',
	'stopAfterFailures',
	'testRecipient',
] as const;

/** A field that is off while it's empty. An expression in it is never off: one that finds nothing is an error. */
function readList<T>(
	context: IExecuteFunctions,
	name: 'doNotContact' | 'testRecipient',
	check: (value: unknown) => T,
): T | undefined {
	const path = `safeguards.${name}`;
	const raw = context.getNodeParameter(path, 0, '', { rawExpressions: true }) as unknown;
	if (raw === '') return undefined;
	try {
		return check(context.getNodeParameter(path, 0, '') as unknown);
	} catch (error) {
		throw unreadable(safeguards[name].field.displayName, error);
	}
}

const NO_HOURS = new InvalidValue(
	'has no hours',
	"Click 'Set Hours' and enter them. To send at any time, remove 'Allowed Hours'",
);

/**
 * Reads 'Allowed Hours' of each item.
 * @returns undefined when the safeguard isn't added; otherwise a function that throws InvalidValue
 */
export function allowedHoursReader(
	parameters: Parameters,
	workflowTimezone: string,
): ((itemIndex: number) => AllowedHours | undefined) | undefined {
	const path = 'safeguards.allowedHours';
	const raw = parameters.raw(path) as { window?: unknown } | string | null;
	if (raw === null) return undefined;
	const window = typeof raw === 'string' ? raw : raw.window;
	const isExpression = (field: string) => {
		const part = typeof window === 'string' ? window : (window as Record<string, unknown>)[field];
		return JSON.stringify([part]).includes('"=');
	};
	return (itemIndex) => {
		if (window === undefined || window === '') throw NO_HOURS;
		const value = parameters.read(path, itemIndex) as { window?: unknown } | null;
		return allowedHours(value?.window, workflowTimezone, isExpression);
	};
}
