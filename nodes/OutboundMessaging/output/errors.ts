import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	type Failed,
	isFailed,
	isToSend,
	type EndedItem,
	type PlannedItem,
} from '../delivery/message';
import {
	type Failure,
	misconfigured,
	RunRejected,
	errorMessage,
	twoLines,
} from '../common/failure';
import { fixOf, formatCounts, formatItems, numberOf, reasonsOf, sentences } from './words';

/** What was sent before, uncertain messages included, and what a new execution would send again. */
interface SentBefore {
	/** By all runs of the node. */
	inExecution: number;
	/** Whether send-once keys keep a new execution from sending them again. */
	hasKeys: boolean;
	/** Whether a new execution may send besides this node. */
	othersSend: boolean;
	/**
	 * The name of the workflow: where another one called it, only a retry of its own execution
	 * knows what was sent.
	 */
	workflow?: string;
}

/** The failure that rejects a run, from whatever was thrown before anything was sent. */
export function failureOfRun(error: unknown): Failure {
	if (error instanceof RunRejected) return error.failure;
	const { description: given } = error as { description?: unknown };
	const description =
		typeof given === 'string' ? given : "Check the node's parameters and credential";
	return misconfigured(twoLines`${errorMessage(error)}
		${description}`).failure;
}

/** The error of a run that is rejected as a whole, in stop mode. */
export function rejectedRunError(node: INode, failure: Failure, sent: SentBefore): Error {
	const more = [sentSoFar(sent)];
	// A retry has the same items: it doesn't help where those are at fault.
	if (!isFirst(sent) && failure.n8nCause !== undefined) more.push(retryRest(sent));
	return nodeError(node, { failure }, more);
}

/**
 * The error of a list with items that can't become messages, in stop mode; undefined if all can.
 */
export function rejectedListError(node: INode, items: PlannedItem[], sent: SentBefore) {
	const rejected = failedOf(items).filter(({ delivery }) => delivery === 'rejected');
	if (rejected.length === 0) return undefined;
	const [first] = rejected;
	const more = [sentSoFar(sent)];
	const isList = items.length > 1;
	if (isList) {
		const allChecked = `All ${items.length} items are checked before the first message is sent`;
		more.push(allChecked, `To fix: ${formatItems(rejected)}`);
	}
	// A column in another format fails in many rows: one change fixes them all.
	const { description } = first.failure;
	const same = rejected.filter(({ failure }) => failure.description === description).length;
	if (same > 1) more.push(`${same} of ${rejected.length} need the same fix`);
	more.push(...otherReasons(rejected));
	if (!isFirst(sent)) more.push(retryOthers(sent, items.some(isToSend)));
	else if (isList) more.push(NEW_DATA);
	return nodeError(node, first, more);
}

const failedOf = (items: PlannedItem[]): Array<Failed & { itemIndex: number }> =>
	items.flatMap(({ outcome }, itemIndex) =>
		outcome && isFailed(outcome) ? [{ ...outcome, itemIndex }] : [],
	);

/** Whether a new execution sends nothing again. */
const isFirst = ({ inExecution, othersSend }: SentBefore) => inExecution === 0 && !othersSend;

function sentSoFar(sent: SentBefore) {
	if (isFirst(sent)) return 'Nothing was sent.';
	const before =
		`; this execution sent ${numberOf(sent.inExecution, 'message')} ` +
		`before${sent.hasKeys ? '' : ', which a new execution sends again'}`;
	return `Nothing was sent this time${sent.inExecution > 0 ? before : ''}.`;
}

/**
 * The error of a run in which something was not accepted, in stop mode; undefined
 * when nothing failed.
 */
export function runError(node: INode, items: EndedItem[], sent: SentBefore, isCanceled: boolean) {
	const failed = failedOf(items);
	if (failed.length === 0) return undefined;
	const first = mostRelevant(failed);
	const outcomes = items.map(({ outcome }) => outcome);
	const isSent = sent.inExecution > 0 || outcomes.some(({ delivery }) => delivery === 'accepted');
	const more: string[] = [];
	if (isSent && !sent.hasKeys) more.push(SENT_AGAIN);
	if (items.length > 1) more.push(formatCounts(outcomes));
	more.push(...otherReasons(failed.filter(({ delivery }) => delivery !== 'notAttempted')));
	const uncertain = failed.filter(({ delivery }) => delivery === 'uncertain');
	if (items.length > 1 && uncertain.length > 0) more.push(`Uncertain: ${formatItems(uncertain)}`);
	if (isCanceled) return nodeError(node, { ...first, failure: CANCELED_RUN }, more);

	const areLeft = outcomes.some(({ delivery }) => delivery === 'notAttempted');
	more.push(isOfRow(first) ? retryOthers(sent, areLeft) : retryRest(sent));
	return nodeError(node, first, more);
}

/** The first line of an error is one reason: the others are listed with it, as a hint does. */
function otherReasons(failed: Failed[]) {
	const isSame = failed.every(({ failure }) => failure.title === failed[0].failure.title);
	return isSame ? [] : reasonsOf(failed);
}

/** n8n keeps the items of an execution for its retries. */
const NEW_DATA = 'A retry uses the old data: after you correct the data, run the workflow again';

/**
 * Whether a row is at fault, and would stop a retry again. One that skips what fails is the last
 * that n8n offers.
 */
const isOfRow = ({ delivery, failure }: Failed) =>
	delivery === 'uncertain' || (delivery === 'rejected' && failure.n8nCause === undefined);

/** n8n's menu has two retries: this one also takes up what the user has fixed. */
function retry({ workflow }: SentBefore) {
	const name = workflow ? `'${workflow}'` : 'this workflow';
	return `choose 'Retry with currently saved workflow' in the executions of ${name}`;
}

const retryRest = (sent: SentBefore) =>
	`To send the rest, ${retry(sent)}: it doesn't resend accepted messages`;

/**
 * For a row that would stop a retry, too.
 * @param areLeft whether this run has others to send; in a loop, others may still come
 */
function retryOthers(sent: SentBefore, areLeft: boolean) {
	const which = areLeft ? 'To send the other rows' : 'If other rows are left';
	return (
		`${which}, set 'On Error' to 'Continue', ${retry(sent)}, and then set it back: ` +
		"the retry doesn't resend accepted messages"
	);
}

const SENT_AGAIN = 'Running the workflow or this step again sends the accepted messages again';

/**
 * n8n knows by the word "canceled" that the execution didn't fail on its own: no error workflow
 * is started then.
 */
const CANCELED_RUN: Failure = twoLines`The execution was canceled before all messages were sent
	Run the workflow again with the remaining items`;

/**
 * The failure that says most: a fatal one, then a new one, then one from an earlier try, then what
 * was not attempted.
 */
function mostRelevant<F extends Failed>(failed: F[]): F {
	const attempted = failed.filter(({ delivery }) => delivery !== 'notAttempted');
	const ofThisTry = attempted.filter(({ origin }) => origin === undefined);
	return ofThisTry.find(({ isFatal }) => isFatal) ?? ofThisTry[0] ?? attempted[0] ?? failed[0];
}

/**
 * An error of n8n's own kind with exactly these words, `more` at its end: n8n would replace some of
 * them with stock texts.
 */
function nodeError(
	node: INode,
	{ failure, itemIndex }: { failure: Failure; itemIndex?: number },
	more: string[],
): Error {
	const { title: message, statusCode, n8nCause } = failure;
	const description = sentences(fixOf(failure), ...more);
	const options = { message, description, itemIndex, failure: n8nCause };
	const error =
		statusCode === undefined
			? new NodeOperationError(node, message, options)
			: new NodeApiError(node, {}, { ...options, httpCode: String(statusCode) });
	error.message = message;
	return error;
}
