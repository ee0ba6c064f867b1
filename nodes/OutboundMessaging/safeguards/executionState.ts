import type { IExecuteFunctions } from 'n8n-workflow';

import { type Counts, nodeState } from '../common/nodeState';
import { ALREADY_SENT } from '../delivery/deliveryOutcomes';
import type { Message } from '../delivery/message';
import type { Outcome } from '../delivery/outcome';

/** The first item of a recipient, and its run, if that's another one, e.g. another turn of a loop. */
export interface FirstItem {
	firstItemIndex: number;
	firstRunIndex?: number;
}

interface Try {
	/** For a call of an AI agent's tool, the call's ID: n8n gives each try of a call a new run index. */
	runIndex: number | string;
	executionId: string;
	isDryRun: boolean;
	/** The execution becomes larger by each recipient: only where repeated ones matter. */
	keepsRecipients: boolean;
}

/** What the safeguards count over a whole execution: all runs of the node in a loop, all tries, and its retries. */
export class ExecutionState {
	readonly counts: Counts;

	/** @param stored what n8n keeps; changed in place */
	constructor(
		stored: Partial<Counts>,
		private readonly tryOf: Try,
	) {
		const nothing = { sent: 0, testMessages: 0, hasAccepted: false, failures: {}, recipients: {} };
		this.counts = Object.assign(stored, { ...nothing, ...stored });
		const { runIndex, executionId } = tryOf;
		const isSameExecution = stored.executionId === executionId;
		// Failures are counted again in a retry from the executions list.
		if (!isSameExecution) Object.assign(this.counts, { hasAccepted: false, failures: {} });
		// What the try before failed is counted by this one, too. Calls of an agent can alternate: A, B, then A tries again.
		delete this.counts.failures[runIndex];
		if (isSameExecution && stored.runIndex === runIndex) this.repeatRun();
		else this.beginRun();
		Object.assign(this.counts, { runIndex, executionId });
	}

	private beginRun(): void {
		const { sent, testMessages } = this.counts;
		if (this.tryOf.isDryRun) this.counts.before = { sent, testMessages };
	}

	/** What was sent stays sent, but a dry run shows it again. */
	private repeatRun(): void {
		Object.assign(this.counts, this.counts.before);
	}

	/** How many messages in a row were rejected or uncertain, up to the newest one. */
	get failuresInRow(): number {
		return Object.values(this.counts.failures).reduce((sum, count) => sum + count, 0);
	}

	/** Counts how a message ended, or in a dry run how it would. */
	count(outcome: Outcome, message: Message): void {
		const { counts, tryOf } = this;
		const { runIndex } = tryOf;
		const { delivery } = outcome;
		const isSkipped = delivery === 'skipped';
		const isSentElsewhere = isSkipped && outcome.why === ALREADY_SENT;
		const mayHaveArrived = isSentElsewhere || delivery === 'accepted' || delivery === 'uncertain';
		if (mayHaveArrived && tryOf.keepsRecipients) {
			const to = `to ${(message.tested ?? message).recipient}`;
			counts.recipients[to] ??= [runIndex, message.itemIndex];
		}
		// Without a key of the user's, another Retry of this execution has sent it.
		if (isSentElsewhere && outcome.details.sendOnceKey === undefined) counts.sent++;
		if (isSkipped || delivery === 'notAttempted' || outcome.fromPreviousTry) return;
		if (delivery === 'accepted') Object.assign(counts, { hasAccepted: true, failures: {} });
		else counts.failures[runIndex] = (counts.failures[runIndex] ?? 0) + 1;
		if (delivery === 'rejected' || (delivery === 'uncertain' && outcome.notResent)) return;
		counts.sent++;
		if (message.tested) counts.testMessages++;
	}

	/** An item other than the one that asks whose message a recipient got earlier in this execution. */
	earlierItemFor(recipient: string, itemIndex: number): FirstItem | undefined {
		const [runIndex, firstItemIndex] = this.counts.recipients[`to ${recipient}`] ?? [];
		if (firstItemIndex === undefined) return undefined;
		if (runIndex === this.tryOf.runIndex)
			return firstItemIndex === itemIndex ? undefined : { firstItemIndex };
		// The calls of a tool have no run that anyone could look up.
		return typeof runIndex === 'number'
			? { firstItemIndex, firstRunIndex: runIndex }
			: { firstItemIndex };
	}
}

/** How many messages all runs of the node have sent in this execution, uncertain ones included. */
export function sentInExecution(context: IExecuteFunctions): number {
	return nodeState(context).counts?.sent ?? 0;
}

/** The state of the running execution, or of an agent's call. A dry run counts apart: a retry of it may be in earnest. */
export function executionStateOf(
	context: IExecuteFunctions,
	{ dryRun, repeatedRecipients }: { dryRun: boolean; repeatedRecipients: string },
	callId?: string,
): ExecutionState {
	return new ExecutionState((nodeState(context)[dryRun ? 'dryRunCounts' : 'counts'] ??= {}), {
		runIndex: callId ?? Number(context.getWorkflowDataProxy(0).$runIndex),
		executionId: context.getExecutionId(),
		isDryRun: dryRun,
		keepsRecipients: repeatedRecipients !== 'sendAll',
	});
}
