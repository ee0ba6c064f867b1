import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { mapInTurns } from '../common/eventLoop';
import { type Message, type PlannedItem, isToSend, sentTo } from '../delivery/message';
import { type Outcome, isFailed } from '../delivery/outcome';
import { fixOf } from './words';

/** One output item per input item, in input order, each paired with its input. */
export const outputItems = async (node: INode, outcomes: Outcome[], items: PlannedItem[]) =>
	await mapInTurns(outcomes, (outcome, itemIndex) =>
		outputItem(node, outcome, itemIndex, items[itemIndex]?.message),
	);

function outputItem(
	node: INode,
	outcome: Outcome,
	itemIndex: number,
	message?: Message,
): INodeExecutionData {
	const pairedItem = { item: itemIndex };
	if (outcome.delivery === 'accepted') return { json: outcome.record, pairedItem };
	if (outcome.delivery === 'skipped')
		return { json: { skipped: true, reason: outcome.why.reason, ...outcome.details }, pairedItem };
	const { delivery, failure } = outcome;
	const { title, statusCode, code, reason, sendAfter } = failure;
	const fix = fixOf(failure);
	const own = { delivery, fix, statusCode, code: reason ?? code };
	const recipient = message && sentTo(message);
	// n8n sends an item to the error output, with the input's fields merged in, if `json` has an `error` and no other keys
	// than `message` and `details`. No `message`: it would replace the input's own field of that name, and the next node
	// would send it to a customer.
	const item = {
		json: { error: title, details: { ...own, sendAfter, recipient, itemIndex } },
		pairedItem,
	};
	if (node.onError !== 'continueErrorOutput') return item;
	// Releases of n8n up to 2.32 send an item with `details` to the success output, unless it has an `error` next to its
	// `json`. Not enumerable, so that it's lost when n8n copies the item: otherwise its message would replace the `json`.
	const value = new Error(`${title}. ${fix}`);
	return Object.defineProperty(item, 'error', { value, writable: true, configurable: true });
}

/** The items with the fields of their input, too, except failed ones: n8n knows those by having no other keys. */
export const withInput = (
	items: INodeExecutionData[],
	outcomes: Array<Outcome | undefined>,
	inputs: INodeExecutionData[],
): INodeExecutionData[] =>
	items.map((item, index) => {
		const outcome = outcomes[index];
		if (outcome && isFailed(outcome)) return item;
		return { ...item, json: { ...item.json, input: inputs[index].json } };
	});

/** What a dry run shows for an item: who gets what, and the request without the key, or why the item would be rejected. */
export function dryRunItem(
	node: INode,
	item: PlannedItem,
	itemIndex: number,
	input: IDataObject,
): INodeExecutionData {
	if (!isToSend(item)) {
		const shown = outputItem(node, item.outcome, itemIndex, item.message);
		// At an error output, n8n adds the input's fields itself, and takes no other.
		const isRouted = !isFailed(item.outcome) || node.onError === 'continueErrorOutput';
		return isRouted ? shown : { ...shown, json: { ...shown.json, input } };
	}
	const { text, gaps = [], request } = item.message;
	const { url, body } = request;
	const read = { ...(text && { text }), ...(gaps.length > 0 && { emptyPaths: gaps }) };
	// What a person looks at comes first.
	const json = { dryRun: true, recipient: sentTo(item.message), ...read };
	return {
		json: { ...json, request: { method: 'POST', url, body } },
		pairedItem: { item: itemIndex },
	};
}
