import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { CHECK_FIRST, type Failure } from '../delivery/outcome';
import type { MessageEntry, NodeState } from '../n8n/nodeState';
import { entriesOfRun, isUncertainEntry } from '../n8n/nodeState';
import { otherSenders } from '../n8n/internals';
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
export function uncertainItems(context: IExecuteFunctions) {
	const isSameMessage = comparedWith(uncertainBefore(context));
	return (itemIndex: number, message?: Message): boolean => {
		if (message && isSameMessage(message)) return true;
		const details = uncertainDetails(context.getInputData()[itemIndex].json);
		return details !== undefined && !goesToSomeoneElse(details, message);
	};
}

/** A phone number and a customer ID can be the same customer's: there, the same text counts as the same message. */
function comparedWith(entries: MessageEntry[]) {
	const contents = new Set(entries.map((each) => `${each.recipient} ${each.url} ${each.content}`));
	const worded = entries.filter(({ text }) => text !== undefined);
	const texts = new Set(worded.map(({ recipient, text }) => `${isPhone(recipient)} ${text}`));
	return (message: Message): boolean => {
		const { recipient, request } = message;
		const name = `${recipient} ${request.url} ${contentOf(message)}`;
		return contents.has(name) || texts.has(`${!isPhone(recipient)} ${textOf(message)}`);
	};
}

const isPhone = (recipient: string) => recipient.startsWith('+');

/** What the other nodes of this type left uncertain, and this one: a loop or a second branch runs it again. */
function uncertainBefore(context: IExecuteFunctions): MessageEntry[] {
	const own = context.getNode().name;
	const data = context.getWorkflowDataProxy(0);
	return [own, ...otherSenders(context)].flatMap((name) => {
		const { context: state } = data.$(name) as { context: NodeState };
		return uncertainEntries(state, name === own ? Number(data.$runIndex) : undefined);
	});
}

/**
 * What the runs of a node, or an agent's calls of it, left uncertain.
 * @param ownRun given for the node itself: in this run, and in its calls, the memory decides
 */
export function uncertainEntries(state: NodeState, ownRun?: number): MessageEntry[] {
	const { leftUncertain = {}, runs = {}, calls = {} } = state;
	const ofOthers = <T>(byRun: Record<string, T>): T[] =>
		Object.entries(byRun).flatMap(([run, its]) => (run === String(ownRun) ? [] : [its]));
	const sent = [...ofOthers(runs), ...(ownRun === undefined ? Object.values(calls) : [])];
	return [...ofOthers(leftUncertain), ...sent.map(entriesOfRun)].flat().filter(isUncertainEntry);
}

/** The failure's fields in an item, also if the item was rejected for this reason: it's as uncertain as before. */
export function uncertainDetails(json: unknown): IDataObject | undefined {
	const details = isObject(json) ? json.details : undefined;
	const isUncertain =
		isObject(details) && (details.delivery === 'uncertain' || details.code === CODE);
	return isUncertain ? details : undefined;
}

const goesToSomeoneElse = ({ recipient }: IDataObject, message?: Message): boolean =>
	message !== undefined &&
	typeof recipient === 'string' &&
	sameCustomer(recipient) !== message.recipient;
