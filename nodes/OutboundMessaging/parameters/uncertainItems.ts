import type { IExecuteFunctions } from 'n8n-workflow';

import type { Failure } from '../delivery/failure';
import { isObject } from '../isObject';
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
	const items = context.getInputData();
	const senders = sendersBefore(context);
	return (itemIndex) =>
		isUncertain(items[itemIndex].json) ||
		senders.some((sender) => {
			try {
				// A call as a tool has no source, and n8n throws when it's asked for.
				const source = context.getInputSourceData();
				const { $getPairedItem } = parameters.dataOf(itemIndex);
				return isUncertain($getPairedItem(sender, source, { item: itemIndex })?.json);
			} catch {
				// No pair: the item comes another way.
				return false;
			}
		});
}

/** The nodes of this type that an item can come from. In a loop, the node itself is one of them. */
function sendersBefore(context: IExecuteFunctions): string[] {
	const { name, type } = context.getNode();
	const parents = context.getParentNodes(name);
	const isInLoop = context
		.getChildNodes(name)
		.some((child) => parents.some((parent) => parent.name === child.name));
	const others = parents.filter((parent) => parent.type === type).map((parent) => parent.name);
	return isInLoop ? [name, ...others] : others;
}

/** Also of an item that was rejected for this reason: it's as uncertain as before. */
function isUncertain(json: unknown): boolean {
	const details = isObject(json) ? json.details : undefined;
	return isObject(details) && (details.delivery === 'uncertain' || details.code === CODE);
}
