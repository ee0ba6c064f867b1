import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { type Failure, type Failed, type Outcome, isFailed } from '../delivery/outcome';
import { KEPT_KEYS } from '../delivery/keyStore';
import type { PlannedItem } from '../delivery/message';
import { RunRejected } from '../delivery/runRejected';
import { messageOf } from '../messageOf';
import { countOutcomes, formatCounts, formatIndexes, numberOf, sentence } from './words';

/** How many messages were sent before this try, uncertain ones included. */
interface SentBefore {
	/** In earlier tries of this run. */
	inEarlierTries: number;
	/** In all runs of the node, e.g. for the batches of a loop, those tries included. */
	inExecution: number;
}

/** What is known of the run that an error ends. */
interface RunState {
	/** Whether the messages have send-once keys. */
	hasSendOnceKeys: boolean;
	isCanceled: boolean;
}

/** The failure that rejects a run, from whatever was thrown before anything was sent. */
export function failureOfRun(error: unknown): Failure {
	if (error instanceof RunRejected) return error.failure;
	const { description } = error as { description?: unknown };
	return {
		title: messageOf(error),
		description: typeof description === 'string' ? description : CHECK_SETTINGS,
		n8nCause: { cause: 'configuration-invalid' },
	};
}

const CHECK_SETTINGS =
	"Check the node's parameters and its credential, then run the workflow again";

/** The error of a run that is rejected as a whole, in stop mode. */
export function rejectedRunError(node: INode, failure: Failure, sent: SentBefore): Error {
	return nodeError(node, failure, `${sentence(failure.description)} ${nothingSent(sent)}`);
}

/**
 * The error of a list with items that can't become messages, in stop mode; undefined when all of them can.
 * @param isRepeatable whether a new execution sends no message twice
 */
export function rejectedListError(
	node: INode,
	items: PlannedItem[],
	sent: SentBefore,
	isRepeatable: boolean,
): Error | undefined {
	const rejected = items.flatMap((item, itemIndex) =>
		'outcome' in item && ['rejected', 'notAttempted'].includes(item.outcome.delivery)
			? [{ itemIndex, failure: (item.outcome as Failed).failure }]
			: [],
	);
	if (rejected.length === 0) return undefined;
	const [{ itemIndex, failure }] = rejected;
	const indexes = rejected.map((each) => each.itemIndex);
	const failures = rejected.map((each) => each.failure);
	const rest =
		items.length === 1
			? ''
			: ` All ${items.length} items are checked before the first message is sent. To fix: ${formatIndexes(indexes)}.${needSameFix(failures, failure)} ${isRepeatable ? NEW_DATA : UNSENT_DATA}`;
	const description = `${sentence(failure.description)} ${nothingSent(sent, isRepeatable)}${rest}`;
	return nodeError(node, failure, description, itemIndex);
}

/** A column in another format fails in many rows: one change fixes them all. */
function needSameFix(failures: Failure[], { description }: Failure): string {
	const same = failures.filter((other) => other.description === description).length;
	return same === 1 ? '' : ` ${same} of ${failures.length} need the same fix.`;
}

function nothingSent({ inEarlierTries, inExecution }: SentBefore, isRepeatable = false): string {
	if (inExecution === 0 && inEarlierTries === 0) return 'Nothing was sent.';
	if (inEarlierTries === 0)
		return `Nothing was sent in this step; this execution sent ${numberOf(inExecution, 'message')} before it.`;
	const butNewRun = isRepeatable ? '' : ', but a new execution does';
	return `Nothing was sent in this try; an earlier try sent ${numberOf(inEarlierTries, 'message')}. ${RETRY} doesn't send them again${butNewRun}.`;
}

/** The error of a run in which something was not accepted, in stop mode; undefined when nothing failed. */
export function runError(
	node: INode,
	outcomes: Outcome[],
	{ inEarlierTries, inExecution }: SentBefore,
	state: RunState,
): Error | undefined {
	const itemIndex = mostRelevantFailure(outcomes);
	if (itemIndex === undefined) return undefined;
	const failure = state.isCanceled ? CANCELED_RUN : (outcomes[itemIndex] as Failed).failure;
	const sentences = [sentence(failure.description)];
	if (outcomes.length > 1) sentences.push(`${formatCounts(countOutcomes(outcomes))}.`);
	const sentEarlier = inExecution - inEarlierTries;
	if (sentEarlier > 0) {
		sentences.push(`This execution sent ${numberOf(sentEarlier, 'message')} before this step.`);
	}
	const uncertain = indexesOf(outcomes, 'uncertain');
	if (uncertain.length > 0 && outcomes.length > 1) {
		sentences.push(`Uncertain: ${formatIndexes(uncertain)}.`);
	}
	sentences.push(...howToSendTheRest(outcomes, sentEarlier, state));
	return nodeError(node, failure, sentences.join(' '), itemIndex);
}

function indexesOf(outcomes: Outcome[], ...deliveries: Array<Outcome['delivery']>): number[] {
	return outcomes.flatMap(({ delivery }, index) => (deliveries.includes(delivery) ? [index] : []));
}

/** As n8n's menu calls it. Of its two retries, this one also takes up what the user has fixed. */
const MENU_ITEM = "'Retry with currently saved workflow'";
const RETRY = `${MENU_ITEM} in the executions list`;

function howToSendTheRest(
	outcomes: Outcome[],
	sentEarlier: number,
	{ hasSendOnceKeys, isCanceled }: RunState,
): string[] {
	const accepted = indexesOf(outcomes, 'accepted');
	const rejected = indexesOf(outcomes, 'rejected').length;
	const rest = rejected + indexesOf(outcomes, 'notAttempted').length;
	const sentences: string[] = [];
	if (accepted.length > 0) {
		if (rest === 0) sentences.push(BATCH_SENT);
		else if (hasSendOnceKeys) sentences.push(REST_WITH_KEYS);
		else if (isCanceled) return ["Without 'Send Once Key', accepted messages are sent again."];
		else if (rest > KEPT_KEYS) return [restWithoutRetry(accepted)];
		else sentences.push(REST_BY_RETRY, ...(rejected > 0 ? [UNSENT_DATA] : []));
	}
	if (!hasSendOnceKeys && accepted.length + sentEarlier > 0) sentences.push(SENT_AGAIN);
	if (!isCanceled && indexesOf(outcomes, 'uncertain').length > 0) sentences.push(WITHOUT_UNCERTAIN);
	return sentences;
}

const BATCH_SENT = "The other messages of this batch were sent. In a loop, later batches weren't.";
/** n8n keeps the items of an execution for its retries. */
const NEW_DATA = 'A retry uses the old data: after you correct the data, run the workflow again.';
const UNSENT_DATA =
	"A retry uses the old data: to send corrected data, run the workflow with only the rows that weren't sent.";
const REST_WITH_KEYS =
	"To send the rest, run the workflow again: 'Send Once Key' skips the accepted messages.";
const REST_BY_RETRY = `To send the rest, open 'Executions', select this execution and choose ${MENU_ITEM}.`;
const SENT_AGAIN = 'Running the workflow or this step again sends the accepted messages again.';
/** A retry of an uncertain message stops again, and so would a loop for good. */
const WITHOUT_UNCERTAIN = `To continue without what's uncertain, set 'On Error' to Continue, then choose ${RETRY}.`;

const restWithoutRetry = (accepted: number[]) =>
	`To send the rest, run the workflow again without the accepted ones: ${formatIndexes(accepted)}. A retry can send no more than ${KEPT_KEYS} messages.`;

/** n8n knows by the word "canceled" that the execution didn't fail on its own: no error workflow is started then. */
const CANCELED_RUN: Failure = {
	title: 'The execution was canceled before all messages were sent',
	description: 'Run the workflow again with the remaining items',
};

/** The failure that says most: a new one before one from an earlier try, any before what was not attempted. */
function mostRelevantFailure(outcomes: Outcome[]): number | undefined {
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

/** An error of n8n's own kind with exactly these words: n8n would replace some of them with stock texts. */
function nodeError(node: INode, failure: Failure, description: string, itemIndex?: number): Error {
	const { title: message, statusCode, n8nCause } = failure;
	const options = { message, description, itemIndex, failure: n8nCause };
	const error =
		statusCode === undefined
			? new NodeOperationError(node, message, options)
			: new NodeApiError(node, {}, { ...options, httpCode: String(statusCode) });
	error.message = message;
	return error;
}
