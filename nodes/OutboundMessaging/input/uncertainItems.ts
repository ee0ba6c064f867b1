import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Failure } from '../delivery/outcome';
import { type MessageEntry, stateIn } from '../n8n/nodeState';
import { uncertainEntries } from '../delivery/memory';
import { type Message, contentOf, textOf } from '../delivery/message';
import { isObject } from '../common/isObject';
import { twoLines } from '../common/twoLines';
import type { Parameters } from '../parameters/parameters';

const CODE = 'uncertainDelivery';

/** Of an item whose message an earlier node, or an earlier turn of a loop, left uncertain. */
export const UNCERTAIN_ITEM: Failure = {
	...twoLines`An earlier step sent this message without a clear response: the customer may already have it
		Check the service's dashboard first. To send it again, set 'If Delivery Is Uncertain' to 'Resend'`,
	reason: CODE,
	n8nCause: { cause: 'configuration-invalid' },
};

/**
 * Tells whether an item would send what this node, or another one of its type, left uncertain. n8n merges the failure's fields
 * into the item on an error output; where a node in between has dropped them, the items paired with this one still have them.
 *
 *   the same message   comes from an uncertain item         to its customer   uncertain
 *   yes                                                                       yes
 *   no                 no                                                     as the item itself says
 *   no                 yes, of an earlier execution         not known here    yes
 *   no                 yes, which a node here has sent      maybe             yes
 *   no                 yes, which a node here has sent      no                no, e.g. an alert to the shop owner
 *
 * @returns says which execution left an item uncertain, by its index and its message, which is missing if it can't become one
 */
export function uncertainItems(context: IExecuteFunctions, parameters: Parameters) {
	const items = context.getInputData();
	const senders = sendersBefore(context);
	const uncertain = uncertainMessages(senders.flatMap((sender) => sender.open));
	const saysSo = (itemIndex: number) =>
		uncertainDetails(items[itemIndex].json) && ('earlierExecution' as const);
	// Looking for the pairs of an item takes long.
	if (senders.every(({ open, hasRejected }) => open.length === 0 && !hasRejected)) return saysSo;

	const pairOf = (itemIndex: number, sender: string): unknown => {
		try {
			const source = context.getInputSourceData();
			const { $getPairedItem } = parameters.dataOf(itemIndex);
			return $getPairedItem(sender, source, { item: itemIndex })?.json;
		} catch {
			// A call as a tool has no source. Without a pair, the item comes another way.
			return undefined;
		}
	};
	return (itemIndex: number, message?: Message) => {
		if (message && uncertain.has(message)) return 'thisExecution';
		const pairs = senders
			.map((sender) => ({ ...sender, details: uncertainDetails(pairOf(itemIndex, sender.name)) }))
			.filter(({ details }) => details !== undefined);
		if (pairs.length === 0) return saysSo(itemIndex);
		const isSentHere = pairs.some(({ details, open, hasRejected }) =>
			details?.code === CODE ? !hasRejected : open.length > 0,
		);
		if (!isSentHere) return 'earlierExecution';
		return message === undefined || uncertain.mayReach(message) ? 'thisExecution' : undefined;
	};
}

function uncertainMessages(entries: MessageEntry[]) {
	const contents = new Set(entries.map((each) => `${each.recipient} ${each.url} ${each.content}`));
	const recipients = new Set(entries.map(({ recipient }) => recipient));
	const worded = entries.filter(({ text }) => text !== undefined);
	const texts = new Set(worded.map(({ recipient, text }) => `${isPhone(recipient)} ${text}`));
	return {
		has: (message: Message) =>
			contents.has(`${message.recipient} ${message.request.url} ${contentOf(message)}`),
		/** Whether it goes to one of their customers. A phone number and a customer ID tell only by the same text. */
		mayReach: (message: Message) =>
			recipients.has(message.recipient) ||
			texts.has(`${!isPhone(message.recipient)} ${textOf(message)}`),
	};
}

const isPhone = (recipient: string) => recipient.startsWith('+');

/** The nodes of this type that an item can come from, and this one: a loop or a second branch runs it again. */
function sendersBefore(context: IExecuteFunctions) {
	const node = context.getNode();
	const others = context.getParentNodes(node.name).filter(({ type }) => type === node.type);
	const data = context.getWorkflowDataProxy(0);
	return [...new Set([node, ...others].map(({ name }) => name))].map((name) => {
		// Empty for a node that hasn't run.
		const state = stateIn((data.$(name) as { context: IDataObject }).context);
		// What it left uncertain in this execution. Of its own run, the memory decides.
		const open = uncertainEntries(state, name === node.name ? Number(data.$runIndex) : undefined);
		return { name, open, hasRejected: state.hasRejected === true };
	});
}

/** Also of an item that was rejected for this reason: it's as uncertain as before. */
function uncertainDetails(json: unknown): IDataObject | undefined {
	const details = isObject(json) ? json.details : undefined;
	const isUncertain =
		isObject(details) && (details.delivery === 'uncertain' || details.code === CODE);
	return isUncertain ? details : undefined;
}
