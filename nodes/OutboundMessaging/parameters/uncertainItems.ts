import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Failure } from '../delivery/failure';
import type { Entry } from '../delivery/memory';
import { contentOf, uncertainEntries } from '../delivery/memory';
import type { Message } from '../delivery/message';
import { isObject } from '../isObject';
import type { Parameters } from './parameters';

const CODE = 'uncertainDelivery';

/** Of an item whose message an earlier node, or an earlier turn of a loop, left uncertain. */
export const UNCERTAIN_ITEM: Failure = {
	title:
		'An earlier step sent this message without a clear response: the customer may already have it',
	description:
		"Check the service's dashboard first. To send it again, set 'If Delivery Is Uncertain' to 'Resend'",
	reason: CODE,
	n8nCause: { cause: 'configuration-invalid' },
};

/**
 * Tells whether an item would send what this node, or another one of its type, left uncertain: the same message, or any
 * message of an item that comes from an uncertain one, unless it's certain that another customer gets it. n8n merges the
 * failure's fields into the input's on an error output; where a node in between has dropped them, the items that n8n
 * has paired with this one still have them.
 * @returns a function of the item's index and its message, missing if the item can't become one
 */
export function uncertainItems(
	context: IExecuteFunctions,
	parameters: Parameters,
): (itemIndex: number, message?: Message) => boolean {
	const items = context.getInputData();
	const senders = sendersBefore(context).map((name) => ({
		name,
		left: leftUncertain(context, name),
	}));
	const left = senders.flatMap((sender) => sender.left);

	const pairOf = (itemIndex: number, sender: string): unknown => {
		try {
			// A call as a tool has no source, and n8n throws when it's asked for.
			const source = context.getInputSourceData();
			const { $getPairedItem } = parameters.dataOf(itemIndex);
			return $getPairedItem(sender, source, { item: itemIndex })?.json;
		} catch {
			// No pair: the item comes another way.
			return undefined;
		}
	};
	return (itemIndex, message) => {
		if (message && isAmong(left, message)) return true;
		const pairs = senders
			.map((sender) => ({ ...sender, details: uncertainDetails(pairOf(itemIndex, sender.name)) }))
			.filter(({ details }) => details !== undefined);
		if (pairs.length === 0) return uncertainDetails(items[itemIndex].json) !== undefined;
		const areKnown = pairs.every(({ left, details }) => left.length > 0 || details?.code === CODE);
		return !(message && areKnown && isForOther(left, message));
	};
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

/** What a node has left uncertain in this execution. Of its own run, the memory decides. */
function leftUncertain(context: IExecuteFunctions, sender: string): Entry[] {
	const data = context.getWorkflowDataProxy(0);
	const ownRun = sender === context.getNode().name ? Number(data.$runIndex) : undefined;
	try {
		const node = data.$(sender) as { context: IDataObject };
		return uncertainEntries(node.context, ownRun);
	} catch {
		// It hasn't run.
		return [];
	}
}

function isAmong(left: Entry[], message: Message): boolean {
	if (left.length === 0) return false;
	const content = contentOf(message);
	return left.some(
		(entry) =>
			entry.recipient === message.recipient &&
			entry.url === message.request.url &&
			entry.content === content,
	);
}

/** A phone number and a customer ID can be one customer, so this is certain only where all are of one kind. */
function isForOther(left: Entry[], { recipient }: Message): boolean {
	const isPhone = (each: string) => each.startsWith('+');
	return (
		left.length > 0 &&
		left.every(
			(entry) => isPhone(entry.recipient) === isPhone(recipient) && entry.recipient !== recipient,
		)
	);
}

/** Also of an item that was rejected for this reason: it's as uncertain as before. */
function uncertainDetails(json: unknown): IDataObject | undefined {
	const details = isObject(json) ? json.details : undefined;
	const isUncertain =
		isObject(details) && (details.delivery === 'uncertain' || details.code === CODE);
	return isUncertain ? details : undefined;
}
