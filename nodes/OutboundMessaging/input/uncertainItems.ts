import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { CHECK_FIRST, type Failure } from '../delivery/outcome';
import type { MessageEntry, NodeState } from '../n8n/nodeState';
import { entriesOfRun, isUncertainEntry, nodeState } from '../n8n/nodeState';
import { otherSenders } from '../n8n/internals';
import { isShared } from '../n8n/sharedValue';
import { rawParameter } from '../parameters/parameters';
import { type Message, contentOf, textOf } from '../delivery/message';
import { isObject } from '../common/isObject';
import { sameCustomer } from '../recipients/sameCustomer';

const CODE = 'uncertainDelivery';

/** Why an item is rejected whose message an earlier node, or an earlier turn of a loop, left uncertain. */
export const UNCERTAIN_ITEM: Failure = {
	title: 'An earlier step got no clear response for this customer, so this step sent nothing',
	description: CHECK_FIRST,
	reason: CODE,
	n8nCause: { cause: 'configuration-invalid' },
};

/**
 * Tells whether an item would send what this node, or another one of its type, left uncertain:
 *
 *   the same message           of this node, or of another one of its type     uncertain
 *   comes from such an item    to its customer, or no one knows to whom        uncertain
 *   comes from such an item    to someone else                                 not, e.g. an alert to the shop owner
 *
 * n8n merges the failure's fields into the item on an error output: by them it's known where it comes from.
 * @returns tells it for an item, by its index and its message, which is missing if it can't become one
 */
export function uncertainItems(context: IExecuteFunctions, recipientName: string) {
	const isSameMessage = comparedWith(uncertainBefore(context));
	const isForAll = isShared(rawParameter(context, recipientName));
	return (itemIndex: number, message?: Message): boolean => {
		if (message && isSameMessage(message)) return true;
		const details = uncertainDetails(context.getInputData()[itemIndex].json);
		return details !== undefined && !goesToSomeoneElse(details, isForAll, message);
	};
}

/**
 * Tells whether a message is one of them. No one knows which phone number and which customer ID are one person's: between these
 * two, an equal text is enough.
 */
function comparedWith(entries: MessageEntry[]) {
	const contents = new Set(entries.map((each) => `${each.recipient} ${each.url} ${each.content}`));
	const worded = entries.filter(({ text }) => text !== undefined);
	const texts = new Set(worded.map(({ recipient, text }) => `${kindOf(recipient)} ${text}`));
	return (message: Message): boolean => {
		const { recipient, request } = message;
		const otherKind = kindOf(recipient) === 'phone' ? 'ID' : 'phone';
		const name = `${recipient} ${request.url} ${contentOf(message)}`;
		return contents.has(name) || texts.has(`${otherKind} ${textOf(message)}`);
	};
}

const kindOf = (recipient: string) => (recipient.startsWith('+') ? 'phone' : 'ID');

/** What the other nodes of this type left uncertain, and this one in other runs: a loop or a second branch runs it again. */
function uncertainBefore(context: IExecuteFunctions): MessageEntry[] {
	const data = context.getWorkflowDataProxy(0);
	// Those that call a workflow have no such state.
	const others = otherSenders(context).map((name) => data.$(name) as { context: NodeState });
	const { leftUncertain, runs } = nodeState(context);
	const without = <T>(byRun: Record<string, T> = {}) =>
		Object.fromEntries(Object.entries(byRun).filter(([run]) => run !== String(data.$runIndex)));
	// In its own run, and in agents' calls of it, its memory decides.
	const own = { leftUncertain: without(leftUncertain), runs: without(runs) };
	return [own, ...others.map((other) => other.context)].flatMap(uncertainEntries);
}

/** What the runs of a node, and agents' calls of it, left uncertain. */
export function uncertainEntries({ leftUncertain = {}, runs = {}, calls = {} }: NodeState) {
	const sent = [runs, calls].flatMap((each) => Object.values(each)).map(entriesOfRun);
	return [...Object.values(leftUncertain), ...sent].flat().filter(isUncertainEntry);
}

/** The failure's fields in an item, also if the item was rejected for this reason: it's as uncertain as before. */
export function uncertainDetails(json: unknown): IDataObject | undefined {
	if (!isObject(json) || !isObject(json.details)) return undefined;
	const { delivery, code } = json.details;
	return delivery === 'uncertain' || code === CODE ? json.details : undefined;
}

/**
 * Whether a message goes to someone else, e.g. an alert. No one knows which phone number and which customer ID are one person's:
 * between these two, only a recipient that's the same for all items is someone else.
 */
function goesToSomeoneElse({ recipient }: IDataObject, isForAll: boolean, message?: Message) {
	if (message === undefined || typeof recipient !== 'string') return false;
	const isSameKind = kindOf(recipient) === kindOf(message.recipient);
	return isSameKind ? sameCustomer(recipient) !== message.recipient : isForAll;
}
