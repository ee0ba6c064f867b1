import type { INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Failed, Outcome } from '../delivery/outcome';
import { isFailed } from '../delivery/outcome';
import { countOutcomes, countsInWords } from './progress';
import type { ReadItem } from '../parameters/readMessages';
import type { Failure } from '../delivery/failure';

const MOST_NAMED = 10;

/** One output item per input item, in input order, each paired with its input. */
export function outputItems(node: INode, outcomes: Outcome[]): INodeExecutionData[] {
	return outcomes.map((outcome, itemIndex) => outputItem(node, outcome, itemIndex));
}

function outputItem(node: INode, outcome: Outcome, itemIndex: number): INodeExecutionData {
	const pairedItem = { item: itemIndex };
	if (outcome.delivery === 'accepted') return { json: outcome.record, pairedItem };
	if (outcome.delivery === 'skipped') {
		const { sendOnceKey } = outcome;
		return { json: { skipped: true, reason: 'alreadySent', sendOnceKey }, pairedItem };
	}
	const { title: error, description: message, statusCode, code } = outcome.failure;
	// n8n sends an item to the error output, with the input's fields, only if these are its only keys.
	const details = { delivery: outcome.delivery, statusCode, code, itemIndex };
	const item = { json: { error, message, details }, pairedItem };
	return node.onError === 'continueErrorOutput' ? markedAsFailed(node, item) : item;
}

/**
 * Releases of n8n up to 2.32 send an item with `details` to the success output, unless it has an `error` beside its
 * `json`. Not enumerable, so that it gets lost when n8n copies the item: otherwise its message would replace the `json`.
 */
function markedAsFailed(node: INode, item: INodeExecutionData): INodeExecutionData {
	const { error, message } = item.json;
	const value = new NodeOperationError(node, `${String(error)}. ${String(message)}`);
	return Object.defineProperty(item, 'error', { value, writable: true, configurable: true });
}

/** What a dry run shows for each item: the request without the key, or why the item would be refused. */
export function dryRunItems(node: INode, items: ReadItem[]): INodeExecutionData[] {
	return items.map((item, itemIndex) => {
		if ('refused' in item) return outputItem(node, rejected(item.refused), itemIndex);
		const { url, body } = item.message.request;
		return {
			json: { dryRun: true, request: { method: 'POST', url, body } },
			pairedItem: { item: itemIndex },
		};
	});
}

export function rejected(failure: Failure): Failed {
	return { delivery: 'rejected', failure };
}

/** The error of a list with items that cannot become messages; undefined when all of them can. */
export function listError(node: INode, items: ReadItem[]): Error | undefined {
	const refused = items.flatMap((item, itemIndex) => ('refused' in item ? [itemIndex] : []));
	if (refused.length === 0) return undefined;
	const [itemIndex] = refused;
	const { refused: failure } = items[itemIndex] as { refused: Failure };
	const rest =
		items.length === 1
			? ''
			: ` All ${items.length} items are checked before the first message leaves; to be mended: ${named(refused)}.`;
	return nodeError(
		node,
		failure,
		`${sentence(failure.description)} Nothing was sent.${rest}`,
		itemIndex,
	);
}

/** The error of a run in which something was not accepted; undefined when nothing failed. */
export function runError(node: INode, outcomes: Outcome[], isCanceled: boolean): Error | undefined {
	const itemIndex = tellingFailure(outcomes);
	if (itemIndex === undefined) return undefined;
	const { failure } = isCanceled ? { failure: CANCELED } : (outcomes[itemIndex] as Failed);
	const uncertain = outcomes.flatMap(({ delivery }, index) =>
		delivery === 'uncertain' ? [index] : [],
	);
	const description = [
		sentence(failure.description),
		...(outcomes.length > 1
			? [`Of ${outcomes.length} messages: ${countsInWords(countOutcomes(outcomes))}.`]
			: []),
		...(uncertain.length > 0 && outcomes.length > 1 ? [`Uncertain: ${named(uncertain)}.`] : []),
		...(!isCanceled && outcomes.some(({ delivery }) => delivery === 'accepted')
			? ['A retry does not send accepted messages again.']
			: []),
	].join(' ');
	return nodeError(node, failure, description, itemIndex);
}

/** n8n knows by the word "canceled" that the execution did not fail by itself: no error workflow is started then. */
const CANCELED: Failure = {
	title: 'The execution was canceled before all messages were sent',
	description:
		'Run the workflow again with the items that are left: n8n offers no retry for a canceled execution, and only a Send Once Key keeps another one from sending accepted messages again',
};

/** The failure that tells most: a new one before one that is only remembered, any before what was not attempted. */
function tellingFailure(outcomes: Outcome[]): number | undefined {
	const rank = (outcome: Outcome) => {
		if (!isFailed(outcome)) return 0;
		if (outcome.delivery === 'notAttempted') return 1;
		if (outcome.fromPreviousTry) return 2;
		return outcome.isFatal ? 4 : 3;
	};
	let best: number | undefined;
	outcomes.forEach((outcome, index) => {
		if (rank(outcome) > (best === undefined ? 0 : rank(outcomes[best]))) best = index;
	});
	return best;
}

/** An error of n8n's own kind with exactly these words: n8n would put stock texts in place of some of them. */
function nodeError(node: INode, failure: Failure, description: string, itemIndex: number): Error {
	const { title: message, statusCode, n8nCause: cause } = failure;
	const options = { message, description, itemIndex, failure: cause };
	const error =
		statusCode === undefined
			? new NodeOperationError(node, message, options)
			: new NodeApiError(node, {}, { ...options, httpCode: String(statusCode) });
	error.message = message;
	if (isTool(node)) {
		// An AI agent gets to read the message alone, and has to act on it.
		error.message = `${sentence(message)} ${description}`;
		error.description = undefined;
	}
	return error;
}

/** n8n gives a node that is a tool of an AI agent a type of its own. */
function isTool({ type }: INode): boolean {
	return type.endsWith('Tool');
}

function sentence(text: string): string {
	return /[.!?]$/.test(text) ? text : `${text}.`;
}

function named(itemIndexes: number[]): string {
	const shown = itemIndexes.slice(0, MOST_NAMED).join(', ');
	const rest = itemIndexes.length - MOST_NAMED;
	const noun = itemIndexes.length === 1 ? 'item' : 'items';
	return `${noun} ${shown}${rest > 0 ? ` and ${rest} more` : ''} (counted from 0)`;
}
