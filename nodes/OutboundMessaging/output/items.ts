import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import {
	type Message,
	type PlannedItem,
	isToSend,
	sentTo,
	ONLY_THIS_ROW,
} from '../delivery/message';
import { fixOf } from './words';

/**
 * The output item of an input item, paired with it: how it ended, or in a dry run,
 * what would be sent.
 */
export function outputItem(node: INode, item: PlannedItem, itemIndex: number): INodeExecutionData {
	const pairedItem = { item: itemIndex };
	if (isToSend(item)) return { json: previewOf(item.message), pairedItem };
	const { message, outcome } = item;
	if (outcome.delivery === 'accepted') return { json: outcome.record, pairedItem };
	if (outcome.delivery === 'skipped')
		return { json: { skipped: true, reason: outcome.why.reason, ...outcome.details }, pairedItem };
	const { delivery, failure } = outcome;
	const { title, statusCode, code, reason, sendAfter } = failure;
	const hasFreeKey = message?.sendOnceKey !== undefined && delivery === 'notAttempted';
	const howToSend = message?.sendOnceKey ? NEXT_EXECUTION : `To send it, ${ONLY_THIS_ROW}`;
	const fix = fixOf(failure) + (failure.isUnsent || hasFreeKey ? `. ${howToSend}` : '');
	const details = {
		delivery,
		fix,
		statusCode,
		code: reason ?? code,
		sendAfter,
		recipient: message && sentTo(message),
		itemIndex,
	};
	// n8n sends an item to the error output, with the input's fields merged in, if `json` has an
	// `error` and no other keys than `message` and `details`. No `message`: it would replace the
	// input's own field of that name, and the next node would send it to a customer.
	const failed = { json: { error: title, details }, pairedItem };
	if (node.onError !== 'continueErrorOutput') return failed;
	// Releases of n8n up to 2.32 send an item with `details` to the success output, unless it has an
	// `error` next to its `json`. Not enumerable, so that it's lost when n8n copies the item:
	// otherwise its message would replace the `json`.
	const value = new Error(`${title}. ${fix}`);
	return Object.defineProperty(failed, 'error', { value, writable: true, configurable: true });
}

/** Its key is free. */
const NEXT_EXECUTION = 'The next execution that has this row sends it';

/** What a dry run shows of a message: who gets what, and the request without the API key. */
function previewOf(message: Message): IDataObject {
	const { text, gaps = [], request, link } = message;
	const { url, body } = request;
	// What a person looks at comes first.
	const json: IDataObject = {
		dryRun: true,
		recipient: sentTo(message),
		...(text && { text }),
		...(gaps.length > 0 && { emptyPaths: gaps }),
		request: { method: 'POST', url, body },
	};
	if (link === undefined) return json;
	// No one is asked, so nothing waits at the link.
	return JSON.parse(JSON.stringify(json).replaceAll(link, SAMPLE_LINK)) as IDataObject;
}

const SAMPLE_LINK = 'https://n8n.example.com/webhook-waiting/answer';
