import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { type Failure, type Failed, isFailed } from '../delivery/outcome';
import type { EndedItem, PlannedItem } from '../delivery/message';
import { misconfigured, RunRejected } from '../delivery/runRejected';
import { errorMessage } from '../common/errorMessage';
import { twoLines } from '../common/twoLines';
import { fixOf, formatCounts, formatItems, numberOf, reasonsOf, sentences } from './words';

/** How many messages were sent before, uncertain ones included: by earlier tries of this run, and by all runs of the node. */
interface SentBefore {
	inEarlierTries: number;
	inExecution: number;
	/** Whether send-once keys keep a new execution from sending them again. */
	hasKeys: boolean;
	/** Whether a retry sends again what is uncertain. */
	resends?: boolean;
}

/** The failure that rejects a run, from whatever was thrown before anything was sent. */
export function failureOfRun(error: unknown): Failure {
	if (error instanceof RunRejected) return error.failure;
	const { description: given } = error as { description?: unknown };
	const description = typeof given === 'string' ? given : CHECK_SETTINGS;
	return misconfigured({ title: errorMessage(error), description }).failure;
}
const CHECK_SETTINGS =
	"Check the node's parameters and its credential, then run the workflow again";

/** The error of a run that is rejected as a whole, in stop mode. */
export const rejectedRunError = (node: INode, failure: Failure, sent: SentBefore) =>
	nodeError(node, failure, undefined, sentSoFar(sent));

/** The error of a list with items that can't become messages, in stop mode; undefined if all can. */
export function rejectedListError(node: INode, items: PlannedItem[], sent: SentBefore) {
	const rejected = failedOf(items).filter(({ delivery }) => delivery === 'rejected');
	if (rejected.length === 0) return undefined;
	const [{ itemIndex, failure }] = rejected;
	// A column in another format fails in many rows: one change fixes them all.
	const same = rejected.filter((each) => each.failure.description === failure.description).length;
	const isList = items.length > 1;
	const canRunAgain = sent.hasKeys || sent.inExecution === 0;
	return nodeError(
		node,
		failure,
		itemIndex,
		sentSoFar(sent),
		isList && `All ${items.length} items are checked before the first message is sent`,
		isList && `To fix: ${formatItems(rejected)}`,
		same > 1 && `${same} of ${rejected.length} need the same fix`,
		otherReasons(rejected),
		canRunAgain ? isList && NEW_DATA : UNSENT_DATA,
	);
}

const failedOf = (items: PlannedItem[]): Array<Failed & { itemIndex: number }> =>
	items.flatMap(({ outcome }, itemIndex) =>
		outcome && isFailed(outcome) ? [{ ...outcome, itemIndex }] : [],
	);

function sentSoFar({ inEarlierTries, inExecution, hasKeys }: SentBefore): string {
	if (inExecution === 0 && inEarlierTries === 0) return 'Nothing was sent.';
	if (inEarlierTries === 0)
		return `Nothing was sent in this step; this execution sent ${numberOf(inExecution, 'message')} before it.`;
	const butNewRun = hasKeys ? '' : ', but a new execution does';
	return `Nothing was sent in this try; an earlier try sent ${numberOf(inEarlierTries, 'message')}. ${RETRY} doesn't send them again${butNewRun}.`;
}

/** The error of a run in which something was not accepted, in stop mode; undefined when nothing failed. */
export function runError(node: INode, items: EndedItem[], sent: SentBefore, isCanceled: boolean) {
	const { inEarlierTries, inExecution, hasKeys, resends = false } = sent;
	const failed = failedOf(items);
	if (failed.length === 0) return undefined;
	const outcomes = items.map(({ outcome }) => outcome);
	const { itemIndex, failure } = mostRelevant(failed);
	const isList = outcomes.length > 1;
	const sentEarlier = inExecution - inEarlierTries;
	const hasAccepted = outcomes.some(({ delivery }) => delivery === 'accepted');
	const hasRejected = outcomes.some(({ delivery }) => delivery === 'rejected');
	const uncertain = failed.filter(({ delivery }) => delivery === 'uncertain');
	const isLeft = ({ delivery, fromPreviousTry }: Failed) =>
		delivery === 'notAttempted' || (resends && fromPreviousTry);
	const hasUnsentRest = failed.some(isLeft) || (hasAccepted && hasRejected);
	const stopsAgain = hasRejected || (resends && uncertain.length > 0);
	return nodeError(
		node,
		isCanceled ? CANCELED_RUN : failure,
		itemIndex,
		!hasKeys && (sentEarlier > 0 || hasAccepted) && SENT_AGAIN,
		isList && formatCounts(outcomes),
		otherReasons(failed.filter(({ delivery }) => delivery !== 'notAttempted')),
		sentEarlier > 0 && `This execution sent ${numberOf(sentEarlier, 'message')} before this step`,
		isList && uncertain.length > 0 && `Uncertain: ${formatItems(uncertain)}`,
		!hasUnsentRest && hasAccepted && BATCH_SENT,
		hasUnsentRest && (hasKeys || !isCanceled) && restOf(hasKeys, stopsAgain),
		uncertain.length > 0 && !isCanceled && withoutUncertain(resends),
	);
}

/** The first line of an error is one reason: the others are listed with it, as a hint does. */
function otherReasons(failed: Failed[]): string | undefined {
	const isSame = failed.every(({ failure }) => failure.title === failed[0].failure.title);
	return isSame ? undefined : reasonsOf(failed);
}

/** Of the two retries in n8n's menu, this one also takes up what the user has fixed. */
const RETRY = "'Retry with currently saved workflow' in the executions list";

const BATCH_SENT = "The other messages of this batch were sent. In a loop, later batches weren't";
/** n8n keeps the items of an execution for its retries. */
const NEW_DATA = 'A retry uses the old data: after you correct the data, run the workflow again';
const UNSENT_DATA =
	"A retry uses the old data: to send corrected data, run the workflow with only the rows that weren't sent";
/** @param stopsAgain whether a row that failed would end the step in stop mode again */
function restOf(hasKeys: boolean, stopsAgain: boolean): string {
	const way = hasKeys ? RUN_AGAIN : `choose ${RETRY}`;
	if (!stopsAgain) return `To send the rest, ${way}`;
	const oldData = hasKeys ? '' : `. ${UNSENT_DATA}`;
	return `To send the rest, set 'On Error' to Continue, then ${way}. It tries the failed rows again: execute one on its own only if it fails once more${oldData}`;
}
const RUN_AGAIN = "run the workflow again: 'Send Once Key' skips the accepted messages";
const SENT_AGAIN = 'Running the workflow or this step again sends the accepted messages again';
/** A retry of an uncertain message stops again, and so would a loop for good. */
const withoutUncertain = (resends: boolean) =>
	`To continue without what's uncertain, set ${resends ? "'If Delivery Is Uncertain' to Don't Resend and " : ''}'On Error' to Continue, then choose ${RETRY}`;

/** n8n knows by the word "canceled" that the execution didn't fail on its own: no error workflow is started then. */
const CANCELED_RUN: Failure = twoLines`The execution was canceled before all messages were sent
	Run the workflow again with the remaining items`;

/** The failure that says most: a fatal one, then a new one, then one from an earlier try, then what was not attempted. */
function mostRelevant<F extends Failed>(failed: F[]): F {
	const attempted = failed.filter(({ delivery }) => delivery !== 'notAttempted');
	const ofThisTry = attempted.filter(({ fromPreviousTry }) => !fromPreviousTry);
	return ofThisTry.find(({ isFatal }) => isFatal) ?? ofThisTry[0] ?? attempted[0] ?? failed[0];
}

/** An error of n8n's own kind with exactly these words, `more` at its end: n8n would replace some of them with stock texts. */
function nodeError(
	node: INode,
	failure: Failure,
	itemIndex: number | undefined,
	...more: Array<string | false | undefined>
): Error {
	const { title: message, statusCode, n8nCause } = failure;
	const fix = fixOf(failure);
	// The fix of a safeguard may say one of them already.
	const others = more.filter((text): text is string => !!text && !fix.includes(text));
	const description = sentences(fix, ...others);
	const options = { message, description, itemIndex, failure: n8nCause };
	const error =
		statusCode === undefined
			? new NodeOperationError(node, message, options)
			: new NodeApiError(node, {}, { ...options, httpCode: String(statusCode) });
	error.message = message;
	return error;
}
