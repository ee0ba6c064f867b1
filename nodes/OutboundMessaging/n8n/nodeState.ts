import { randomUUID } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/**
 * What became of one message. Without a record it's uncertain. Without a failure too, its request is in flight, or another
 * execution left it uncertain.
 */
export interface MessageEntry {
	recipient: string;
	url: string;
	/** A fingerprint, as all texts here: the texts themselves would make the stored execution large. */
	content: string;
	/** What the customer reads, where the node knows it. */
	text?: string;
	/** The execution that the link of a question leads to. */
	askedIn?: string;
	record?: IDataObject;
	failure?: { title: string; statusCode?: number; code?: string };
}

/** The messages of one run by item index: with another recipient or URL, an item is another message. */
export type RunEntries = Record<string, MessageEntry[]>;

/** Where an execution and its retries began. */
export interface Beginning {
	/** The same in all retries of one execution: random, or the time of its beginning where the node hadn't run in it. */
	id: string;
	/** The execution that used it last. */
	executionId: string;
	/** Whether that one is a retry: whoever clicks Retry can click twice, and both begin with this state. */
	isRetry: boolean;
}

/** When an execution's next message may start, on the clock of `performance.now()`. The runs of a loop share it. */
export type Pace = { nextStart?: number };

/** An item of a run, or of a call, whose message was counted. */
export interface CountedItem {
	run: number | string;
	itemIndex: number;
	/** The fingerprint of its content, if the message is uncertain. */
	uncertain?: string;
}

/** What an execution has counted: by the run, or the call, that it happened in. */
export interface Counts {
	/** Uncertain ones included. */
	sent: Record<string, number>;
	hasAccepted: boolean;
	/** Rejected and uncertain messages since the last accepted one. */
	failures: Record<string, number>;
	/** Where the first message to each recipient is; an uncertain one gives way to a later one. */
	recipients: Record<string, CountedItem>;
	/** Who counted last. */
	executionId?: string;
}

/** What all runs together have counted. */
export const total = (byRun: Record<string, number> = {}): number =>
	Object.values(byRun).reduce((sum, count) => sum + count, 0);

/**
 * What the node keeps in n8n's context. n8n stores it with the execution, and loads it for Retry On Fail and for a Retry
 * from the executions list ("a retry" in this table); all runs of the node in one execution share it. A new execution
 * begins without it. In the last four columns, "same" means that what's there is used and continued, "own" that there's another
 * one, and "-" that it isn't used.
 *
 *   part           for                               written by                  cleared                      in a retry       in the next     by another        in a dry run
 *                                                                                                                              run of a loop   operation, URL
 *   beginning      naming messages in a retry        n8n/nodeState.ts            never                        same, `isRetry`  same            same              same
 *   runs           what a run's tries have sent      delivery/memory.ts          when the run ends            same             own             own               same
 *   calls          what an agent's calls have sent   delivery/memory.ts          never                        same             same            own               same
 *   leftUncertain  what ended tries left uncertain   delivery/memory.ts          when its run ends again      same             same            same              same
 *   equal          telling equal messages apart      delivery/memory.ts          by a new try of its run      same             same            same, by content  same
 *   counts         what safeguards count             safeguards/executionState   failures, see there          same             same            same              -
 *   testCounts     what a test run sends             safeguards/executionState   failures, see there          same             same            same              -
 *   dryRunCounts   what a dry run would send         safeguards/executionState   by a new try, what it counts same             same            same              same
 *   pace           when the next message may start   delivery/rateLimiter.ts     if past or far ahead         same             same            same              same
 *   questions      the ID in a question's link       waitForResponse/ask.ts      never                        same             own             -                 same
 */
export interface NodeState {
	beginning?: Beginning;
	/** By run index, as `leftUncertain`, `equal` and `questions`. */
	runs?: Record<string, RunEntries>;
	/** By the call's ID. */
	calls?: Record<string, RunEntries>;
	leftUncertain?: Record<string, MessageEntry[]>;
	/** How often each content has come in each run of a retry. */
	equal?: Record<string, Record<string, number>>;
	counts?: Counts;
	testCounts?: Counts;
	dryRunCounts?: Counts;
	pace?: Pace;
	/** Secret: n8n takes any link of an execution for any other, such as that of its form. */
	questions?: Record<string, string>;
}

export const nodeState = (context: Pick<IExecuteFunctions, 'getContext'>): NodeState =>
	context.getContext('node');

/**
 * Where this execution began. A Retry from the executions list that is clicked twice gives two executions the same
 * beginning: the state of the retried one, or its time if the node hadn't run in it.
 */
export function beginningOf(context: IExecuteFunctions): Beginning {
	const executionId = context.getExecutionId() ?? '';
	const retriedOneBegan =
		context.getMode() === 'retry' ? context.getExecutionContext()?.establishedAt : undefined;

	const beginning = (nodeState(context).beginning ??= {
		id: String(retriedOneBegan ?? randomUUID()),
		executionId,
		isRetry: retriedOneBegan !== undefined,
	});
	// Once a retry, always one: the next click of Retry begins with this state.
	beginning.isRetry ||= beginning.executionId !== executionId;
	beginning.executionId = executionId;
	return beginning;
}

/** All messages of one run of a node, or of one call of a tool. */
export const entriesOfRun = (run: RunEntries = {}): MessageEntry[] => Object.values(run).flat();

/** Whether the recipient may have a message, and nothing says so for certain. */
export const isUncertainEntry = ({ record }: MessageEntry) => record === undefined;
