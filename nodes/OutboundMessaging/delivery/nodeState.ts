import { randomUUID } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/**
 * What became of one message. Without a record it's uncertain. Without a failure too, its request
 * is in flight, or a key or an item said that it may have been sent.
 */
export interface LedgerEntry {
	recipient: string;
	url: string;
	/** Where its item was. */
	itemIndex: number;
	/** A fingerprint: the texts themselves would make the stored execution large. */
	content: string;
	/** The execution that the link of a question leads to. */
	askedIn?: string;
	/** Which of its customer's messages in the retries it is, if a retry has sent it. */
	nth?: number;
	record?: IDataObject;
	failure?: { title: string; statusCode?: number; code?: string };
}

/** A message that the retries of an execution have sent, or may have. */
export interface SentByRetries {
	/** Which of its customer's messages it is. */
	nth: number;
	/** A fingerprint. */
	content: string;
	/** The run in which it was found that another retry has sent it. */
	foundIn?: string;
}

/** Where an execution and its retries began. */
export interface Beginning {
	/**
	 * The same in all retries of one execution: random, or the time at which the first execution
	 * began, if the node hadn't run in it.
	 */
	id: string;
	/** The execution that used it last. */
	executionId: string;
	/**
	 * Whether that one is a retry: whoever clicks Retry can click twice, and both begin
	 * with this state.
	 */
	isRetry: boolean;
}

/**
 * When an execution's next message may start, on the clock of `performance.now()`. The runs of
 * a loop share it.
 */
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
	/** Messages, uncertain ones included. */
	sent: Record<string, number>;
	/** Where the first message to each recipient is; an uncertain one gives way to a later one. */
	recipients: Record<string, CountedItem>;
	failures?: Failures;
}

/** Dry runs and test runs count apart: a retry may be in earnest. */
export type CountsOf = 'sending' | 'testRun' | 'dryRun';

/** How well the service works in an execution. A retry from the executions list is a new start. */
export interface Failures {
	executionId: string;
	hasAccepted: boolean;
	/** Since the last acceptance, a message became uncertain. */
	isInDoubt: boolean;
	/** Whose messages became uncertain before anything was accepted. */
	inDoubt: string[];
	/** Rejected and uncertain messages since the last accepted one, by run or call. */
	inARow: Record<string, number>;
}

/** What all runs together have counted. */
export const total = (byRun: Record<string, number> = {}): number =>
	Object.values(byRun).reduce((sum, count) => sum + count, 0);

/**
 * What the node keeps in n8n's context. n8n stores it with the execution, and loads it for Retry On
 * Fail and for a Retry from the executions list ("a retry" here); all runs of the node in one
 * execution share it. A new execution begins without it. n8n stores it when an execution ends, is
 * canceled, or waits: if its process is killed, nothing tells what it sent but send-once keys.
 *
 * part           for                              written by
 * beginning      naming messages in a retry       delivery/nodeState.ts
 * ledger         what became of messages          delivery/ledger.ts
 * sentByRetries  naming messages in a retry       delivery/retryNumbers.ts
 * counts         what safeguards count            safeguards/executionState
 * … failures     whether the service works        safeguards/stopAfterF…
 * pace           when the next message may start  delivery/rateLimiter.ts
 * questions      the ID in a question's link      waitForResponse/ask.ts
 *
 * When it's cleared, and what's used in a retry, in the next run of a loop, by another operation or
 * URL, and in a dry run. A test run uses no ledger. "Same" means that what's there is used and
 * continued, "own" that a separate one is kept, and "-" that it isn't used.
 *
 * part           cleared                      retry            next run  other URL  dry run
 * beginning      never                        same, `isRetry`  same      same       same
 * ledger         accepted, when the run ends  same             own       own        only read
 * sentByRetries  never                        same             same      own        -
 * counts         by a new try of a dry run    same             same      same       its own
 * … failures     by a retry, or a new try     own              same      same       its own
 * pace           if past or far ahead         same             same      same       same
 * questions      never                        same             own       -          same
 */
export interface NodeState {
	beginning?: Beginning;
	/** By run index, or by the ID of an agent's call. */
	ledger?: Record<string, LedgerEntry[]>;
	/** By customer and URL. */
	sentByRetries?: Record<string, SentByRetries[]>;
	counts?: Partial<Record<CountsOf, Counts>>;
	pace?: Pace;
	/** By run index. Secret: n8n takes any link of an execution for any other, such as its form's. */
	questions?: Record<string, string>;
}

export const nodeState = (context: Pick<IExecuteFunctions, 'getContext'>): NodeState =>
	context.getContext('node');

/**
 * Where this execution began, which uses it from now on. A Retry from the executions list that is
 * clicked twice gives two executions the same beginning: the state of the retried one, or its time
 * if the node hadn't run in it.
 */
export function continueBeginning(context: IExecuteFunctions): Beginning {
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
