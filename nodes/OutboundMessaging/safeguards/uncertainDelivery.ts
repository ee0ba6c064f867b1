import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isObject } from '../common/isObject';
import type { Ledger } from '../delivery/ledger';
import { type Message, CHECK_FIRST, failed } from '../delivery/message';
import { list } from '../parameters/field';
import { isShared } from '../n8n/sharedValue';
import { rawParameter } from '../parameters/parameters';
import { sameCustomer } from '../recipients/sameCustomer';
import type { Safeguard } from './safeguard';

/**
 * Rejects what an earlier step, or another run of this one, left uncertain. What this run's own
 * tries left so, its ledger tells, and what other executions did, the keys.
 */
export const onUncertainDelivery = {
	...list(
		'If Delivery Is Uncertain',
		'Whether to resend when the service never confirmed the first try',
		{
			doNotResend: ["Don't Resend", "A retry doesn't send it again, and it may not have arrived"],
			resend: [
				'Resend',
				'Each retry, and each execution at the same time, sends it again: the customer may ' +
					'get it several times',
			],
		},
	),
	judges: {
		planned: ({ before }, value) =>
			value === 'doNotResend' && before?.by === 'item' ? rejectedAsUncertain() : undefined,
	},
} satisfies Safeguard<'doNotResend' | 'resend'>;

const UNCERTAIN = {
	title: 'An earlier step might have sent this customer a message, so this step sent nothing',
	description: CHECK_FIRST,
};

/** How an item ends that may have been sent before, whether or not it can be read now. */
export const rejectedAsUncertain = () =>
	failed('rejected', UNCERTAIN, {
		reason: 'uncertainDelivery',
		n8nCause: { cause: 'configuration-invalid' },
	});

/**
 * Tells whether an item would send what may have been sent before:
 *
 * the same message         that this node left uncertain in another run  may have been
 * comes from such an item  to its customer, or no one can tell           may have been
 * comes from such an item  to someone else                               not, e.g. an alert to the
 *                                                                        shop owner
 *
 * On an error output, n8n merges the failure's fields into the item: they show where it comes from.
 * @returns tells it by the item's `json`, and its message, which is missing if it can't become one
 */
export function uncertainItems(context: IExecuteFunctions, recipientName: string, ledger: Ledger) {
	const isInOtherRun = ledger.uncertainInOtherRun();
	const isForAll = isShared(rawParameter(context, recipientName));

	return (json: unknown, message?: Message): boolean => {
		if (message && isInOtherRun(message)) return true;
		const details = uncertainDetails(json);
		return details !== undefined && !goesToSomeoneElse(details, isForAll, message);
	};
}

/** Codes of rejected items whose customer has a message, or may have. */
const CODES = new Set<unknown>(['uncertainDelivery', 'sentByOtherRetry']);

/**
 * The failure's fields in an item whose customer may have a message; also if it was rejected for
 * this reason, since it's as uncertain as before, and after a 409, which reports an earlier one.
 */
export function uncertainDetails(json: unknown): IDataObject | undefined {
	if (!isObject(json) || !isObject(json.details)) return undefined;
	const { delivery, code, statusCode } = json.details;
	const mayHaveOne = delivery === 'uncertain' || CODES.has(code);
	const hasConflict = delivery === 'rejected' && statusCode === 409;
	return mayHaveOne || hasConflict ? json.details : undefined;
}

/**
 * No one can tell which phone number and which customer ID are one person's, except for one that
 * all items share.
 */
function goesToSomeoneElse({ recipient }: IDataObject, isForAll: boolean, message?: Message) {
	if (message === undefined || typeof recipient !== 'string') return false;
	const isSameKind = recipient.startsWith('+') === message.recipient.startsWith('+');
	return isSameKind ? sameCustomer(recipient) !== message.recipient : isForAll;
}
