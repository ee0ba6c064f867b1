import type { IExecuteFunctions } from 'n8n-workflow';

import type { Failure } from '../delivery/failure';
import { isObject } from '../service/record';
import type { Parameters } from './parameters';

const CODE = 'uncertainDelivery';

/** Of an item whose message an earlier node, or an earlier turn of a loop, left uncertain. */
export const UNCERTAIN_ITEM: Failure = {
	title:
		'An earlier step sent this message without a clear response: the customer may already have it',
	description:
		"Check the service's dashboard first. To send it again, set 'On Uncertain Delivery' to 'Resend'",
	code: CODE,
	n8nCause: { cause: 'configuration-invalid' },
};

/**
 * Tells whether an item comes from a message that this node, or another one of its type, left uncertain. n8n merges the
 * failure's fields into the input's on an error output; where a node in between has dropped them, the items that n8n
 * has paired with this one still have them.
 */
export function uncertainItems(
	context: IExecuteFunctions,
	parameters: Parameters,
): (itemIndex: number) => boolean {
	const { name, type } = context.getNode();
	const items = context.getInputData();
	const senders = context.getParentNodes(name).filter((node) => node.type === type);
	return (itemIndex) =>
		isUncertain(items[itemIndex].json) ||
		senders.some((sender) => {
			try {
				return isUncertain(parameters.dataOf(itemIndex).$(sender.name).item.json);
			} catch {
				// No pair: the item comes another way.
				return false;
			}
		});
}

/** Also of an item that was rejected for this reason: it's as uncertain as before. */
function isUncertain(json: unknown): boolean {
	const details = isObject(json) ? json.details : undefined;
	return isObject(details) && (details.delivery === 'uncertain' || details.code === CODE);
}
