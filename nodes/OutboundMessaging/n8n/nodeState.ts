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
 * begins without it. In the last four columns, "known" means that what a part says of a message holds there too, "own" that
 * there's another one, and "continues" that counting goes on. Failures are also cleared by an accepted message, and by a new try
 * of their run. A retry also forgets that a message was accepted.
 *
 *   part           for                               written by                  cleared                  in a retry       in the next run      by another       in a dry run
 *                                                                                                                          of a loop            operation or URL
 *   beginning      naming messages in a retry        n8n/nodeState.ts            never                    kept, `isRetry`  shared               shared           written
 *   runs           what a run's tries have sent      delivery/memory.ts          by putOut in run.ts      known            own                  own              known
 *   calls          what an agent's calls have sent   delivery/memory.ts          never                    known            shared               own              known
 *   leftUncertain  what ended runs left uncertain    delivery/memory.ts          when its run ends again  known            known                known            known
 *   equal          telling equal messages apart      delivery/memory.ts          by a new try of its run  continues        counted              by content       written
 *   counts         what safeguards count             safeguards/executionState   failures, in a retry     continues        continues            continues        untouched
 *   testCounts     what a test run sends             safeguards/executionState   failures, in a retry     continues        continues            continues        untouched
 *   dryRunCounts   what a dry run would send         safeguards/executionState   by a new try of its run  continues        continues            continues        written
 *   pace           when the next message may start   delivery/rateLimiter.ts     if past or far ahead     continues        continues            continues        created
 *   questions      the ID in a question's link       waitForResponse/ask.ts      never                    kept             own                  untouched        written
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
	const retriedSince =
		context.getMode() === 'retry' ? context.getExecutionContext()?.establishedAt : undefined;

	const beginning = (nodeState(context).beginning ??= {
		id: String(retriedSince ?? randomUUID()),
		executionId,
		isRetry: retriedSince !== undefined,
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
