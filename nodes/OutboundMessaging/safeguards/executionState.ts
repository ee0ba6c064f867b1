import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ALREADY_SENT } from '../delivery/deliveryOutcomes';
import type { Message } from '../delivery/message';
import type { Outcome } from '../delivery/outcome';
import { nodeState } from '../common/nodeState';

/** The first item of a recipient. */
export interface FirstItem {
	firstItemIndex: number;
	/** Of the run that it was in, if that's another one, e.g. another turn of a loop. */
	firstRunIndex?: number;
}

interface ExecutionCounts {
	/** How many messages were sent in this execution, uncertain ones included. */
	sent: number;
	/** How many of them went to the test recipient. */
	testMessages: number;
	/** How many messages in a row were rejected or uncertain, up to the newest one. */
	failuresInRow: number;
	hasAccepted: boolean;
}

/** What n8n keeps. */
interface Kept extends ExecutionCounts {
	executionId?: string;
	/** The failures in a row, by the run that met them. Calls of a tool are runs, and their tries can alternate. */
	failures: Record<string, number>;
	runIndex?: number | string;
	/** Where a dry run began to count. */
	before?: Partial<ExecutionCounts>;
	/** The first item of each recipient: the run that it was in, and its index. */
	recipients: Record<string, [runIndex: number | string, itemIndex: number]>;
}

/** Which try of which run is counting. */
interface Try {
	/** For a call of an AI agent's tool, the call's ID: n8n gives each try of a call a new run index. */
	runIndex: number | string;
	executionId: string;
	/** What a dry run counts is kept apart, since a retry may be in earnest. */
	isDryRun: boolean;
	/** The execution becomes larger by each recipient: only where repeated ones matter. */
	keepsRecipients: boolean;
}

/**
 * What the safeguards count over a whole execution: all runs of the node in a loop, all tries, and a Retry from the
 * executions list. Kept in the node's context, like the memory of a retry.
 */
export class ExecutionState {
	private readonly kept: Kept;

	/** @param store what n8n keeps; changed in place */
	constructor(
		store: IDataObject,
		private readonly tryOf: Try,
	) {
		const { runIndex, executionId } = tryOf;
		const noFailures = { failuresInRow: 0, hasAccepted: false, failures: {} };
		const nothing = { sent: 0, testMessages: 0, ...noFailures, recipients: {} };
		const kept = Object.assign(store, { ...nothing, ...store }) as Kept;
		// Failures are counted again in a retry from the executions list.
		if (kept.executionId !== executionId)
			Object.assign(kept, { ...noFailures, runIndex: undefined });
		// Retry On Fail runs the same run again. What failed in the try before is counted by this one, too: it would count
		// twice. A message that was sent isn't sent again, so it stays counted, but a dry run shows it again.
		kept.failuresInRow -= kept.failures[runIndex] ?? 0;
		delete kept.failures[runIndex];
		if (kept.runIndex === runIndex) Object.assign(kept, kept.before);
		else if (tryOf.isDryRun) kept.before = { sent: kept.sent, testMessages: kept.testMessages };
		this.kept = Object.assign(kept, { runIndex, executionId });
	}

	get counts(): Readonly<ExecutionCounts> {
		return this.kept;
	}

	/** Counts how a message ended, or in a dry run how it would. */
	count(outcome: Outcome, message: Message): void {
		if (mayHaveArrived(outcome)) this.rememberRecipient(message);
		const { kept } = this;
		const { runIndex } = this.tryOf;
		const { delivery } = outcome;
		if (delivery === 'skipped') {
			// Without a key of the user's, another Retry of this execution has sent it.
			const { why, details } = outcome;
			if (why === ALREADY_SENT && details.sendOnceKey === undefined) kept.sent++;
			return;
		}
		if (delivery === 'notAttempted' || outcome.fromPreviousTry) return;
		if (delivery === 'accepted') {
			Object.assign(kept, { failuresInRow: 0, hasAccepted: true, failures: {} });
		} else {
			kept.failuresInRow++;
			kept.failures[runIndex] = (kept.failures[runIndex] ?? 0) + 1;
		}
		if (delivery === 'rejected' || (delivery === 'uncertain' && outcome.notResent)) return;
		kept.sent++;
		if (message.tested) kept.testMessages++;
	}

	/**
	 * Another item whose message a recipient got earlier in this execution.
	 * @param itemIndex of the item that asks
	 */
	earlierItemFor(recipient: string, itemIndex: number): FirstItem | undefined {
		const use = this.kept.recipients[`to ${recipient}`];
		if (use === undefined) return undefined;
		const [runIndex, firstItemIndex] = use;
		const isThisRun = runIndex === this.tryOf.runIndex;
		if (isThisRun && firstItemIndex === itemIndex) return undefined;
		// The calls of a tool have no run that anyone could look up.
		const isKnown = !isThisRun && typeof runIndex === 'number';
		return isKnown ? { firstItemIndex, firstRunIndex: runIndex } : { firstItemIndex };
	}

	private rememberRecipient({ recipient, tested, itemIndex }: Message): void {
		if (!this.tryOf.keepsRecipients) return;
		const to = `to ${tested?.recipient ?? recipient}`;
		this.kept.recipients[to] ??= [this.tryOf.runIndex, itemIndex];
	}
}

/** Whether the recipient may have the message, whichever try or execution sent it. */
function mayHaveArrived(outcome: Outcome): boolean {
	if (outcome.delivery === 'skipped') return outcome.why === ALREADY_SENT;
	return outcome.delivery === 'accepted' || outcome.delivery === 'uncertain';
}

/** How many messages all runs of the node have sent in this execution, uncertain ones included. */
export function sentInExecution(context: IExecuteFunctions): number {
	return Number(nodeState(context).counts?.sent ?? 0);
}

/**
 * The state of the running execution, in the node's context.
 * @param callId of a call as a tool of an AI agent
 */
export function executionStateOf(
	context: IExecuteFunctions,
	{ dryRun, repeatedRecipients }: { dryRun: boolean; repeatedRecipients: string },
	callId?: string,
): ExecutionState {
	const store = (nodeState(context)[dryRun ? 'dryRunCounts' : 'counts'] ??= {});
	return new ExecutionState(store, {
		runIndex: callId ?? Number(context.getWorkflowDataProxy(0).$runIndex),
		executionId: context.getExecutionId(),
		isDryRun: dryRun,
		keepsRecipients: repeatedRecipients !== 'sendAll',
	});
}
