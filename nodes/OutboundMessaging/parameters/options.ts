import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** How a run sends, as the user set it. Times are in milliseconds. */
export interface Settings {
	dryRun: boolean;
	maxConcurrency: number;
	/** 0 means no pacing. */
	messagesPerSecond: number;
	resendUncertain: boolean;
	/** How long one message may wait in all while the service asks to slow down. */
	rateLimitWait: number;
	timeout: number;
}

export const optionsProperty: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [
		{
			displayName: 'Dry Run',
			name: 'dryRun',
			type: 'boolean',
			default: false,
			description:
				'Whether to send nothing and only check all items; the output shows the requests that would go out',
		},
		{
			displayName: 'Max Concurrency',
			name: 'maxConcurrency',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 1000 },
			default: 100,
			description:
				'How many messages may be on their way at the same time. Messages to the same customer always go one after the other.',
		},
		{
			displayName: 'Messages per Second',
			name: 'messagesPerSecond',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 2 },
			default: 0,
			description:
				'How many messages to start per second, evenly spaced. 0 means as fast as possible.',
		},
		{
			displayName: 'On Uncertain Delivery',
			name: 'onUncertainDelivery',
			type: 'options',
			options: [
				{
					name: 'Do Not Resend',
					value: 'doNotResend',
					description:
						'A retry leaves the message alone: the customer never gets it twice, but may not have got it',
				},
				{
					name: 'Resend',
					value: 'resend',
					description: 'A retry sends the message again: the customer may get it twice',
				},
			],
			default: 'doNotResend',
			description:
				'What a retry does with a message whose request left without a clear answer, e.g. after a timeout',
		},
		{
			displayName: 'Rate Limit Wait (Seconds)',
			name: 'rateLimitWait',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 60,
			description:
				'How long one message may wait in all while the service asks to slow down, before it counts as rejected',
		},
		{
			displayName: 'Send Once Key',
			name: 'sendOnceKey',
			type: 'string',
			default: '',
			placeholder: 'e.g. {{ $json.orderId }}-confirmation',
			description:
				'A key that names this message, e.g. the order and the kind of message. A second item with the same key is not sent, in a later execution either.',
		},
		{
			displayName: 'Timeout (Milliseconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 30000,
			description:
				'How long to wait for an answer of the service. A message without an answer counts as uncertain.',
		},
	],
};

/** Options that are one value for the whole run, by their label. Their defaults stand in the property above. */
const NUMBERS = {
	maxConcurrency: { label: 'Max Concurrency', least: 1, whole: true },
	messagesPerSecond: { label: 'Messages per Second', least: 0, whole: false },
	rateLimitWait: { label: 'Rate Limit Wait (Seconds)', least: 0, whole: false },
	timeout: { label: 'Timeout (Milliseconds)', least: 1, whole: true },
};

/**
 * Reads the options that hold for the whole run, from the first item.
 * @throws NodeOperationError when a number is out of its range
 */
export function readSettings(context: IExecuteFunctions): Settings {
	const option = (name: string) =>
		context.getNodeParameter(`options.${name}`, 0, defaultOf(name)) as unknown;

	const number = (name: keyof typeof NUMBERS) => {
		const { label, least, whole } = NUMBERS[name];
		const given = option(name);
		const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
		if (typeof value === 'number' && value >= least && (!whole || Number.isInteger(value))) {
			return value;
		}
		throw new NodeOperationError(context.getNode(), `${label} is ${JSON.stringify(given)}`, {
			description: `Set ${label} under Options to a ${whole ? 'whole ' : ''}number from ${least} up. Nothing was sent.`,
			failure: { cause: 'configuration-invalid' },
		});
	};

	return {
		dryRun: option('dryRun') === true,
		maxConcurrency: number('maxConcurrency'),
		messagesPerSecond: number('messagesPerSecond'),
		resendUncertain: option('onUncertainDelivery') === 'resend',
		rateLimitWait: number('rateLimitWait') * 1000,
		timeout: number('timeout'),
	};
}

function defaultOf(name: string): unknown {
	const option = optionsProperty.options?.find((candidate) => candidate.name === name);
	return option && 'default' in option ? option.default : undefined;
}
