import type { IExecuteFunctions } from 'n8n-workflow';

import { type Counts, nodeState } from '../n8n/nodeState';
import { ALREADY_SENT } from '../delivery/deliveryOutcomes';
import type { Message } from '../delivery/message';
import type { Outcome } from '../delivery/outcome';

/** The first item of a recipient, and its run, if that's another one, e.g. another turn of a loop. */
export interface FirstItem {
	firstItemIndex: number;
	firstRunIndex?: number;
}

/** What the safeguards count over a whole execution: all runs of the node in a loop, all tries, and its retries. */
export class ExecutionState {
	readonly counts: Counts;
	/** For a call of an AI agent's tool, the call's ID: n8n gives each try of a call a new run index. */
	private readonly runIndex: number | string;
	/** The execution becomes larger by each recipient: only where repeated ones matter. */
	private readonly keepsRecipients: boolean;

	/** A dry run counts apart: a retry of it may be in earnest. */
	constructor(
		context: IExecuteFunctions,
		{ dryRun, repeatedRecipients }: { dryRun: boolean; repeatedRecipients: string },
		callId?: string,
	) {
		const stored = (nodeState(context)[dryRun ? 'dryRunCounts' : 'counts'] ??= {});
		const nothing = { sent: 0, testMessages: 0, hasAccepted: false, failures: {}, recipients: {} };
		this.counts = Object.assign(stored, { ...nothing, ...stored });
		this.keepsRecipients = repeatedRecipients !== 'sendAll';
		const runIndex = callId ?? Number(context.getWorkflowDataProxy(0).$runIndex);
		this.runIndex = runIndex;
		const executionId = context.getExecutionId();
		const isSameExecution = stored.executionId === executionId;
		// Failures are counted again in a retry from the executions list.
		if (!isSameExecution) Object.assign(this.counts, { hasAccepted: false, failures: {} });
		// What the try before failed is counted by this one, too. Calls of an agent can alternate: A, B, then A tries again.
		delete this.counts.failures[runIndex];
		if (isSameExecution && stored.runIndex === runIndex) this.repeatRun();
		else if (dryRun) this.beginDryRun();
		Object.assign(this.counts, { runIndex, executionId });
	}

	private beginDryRun(): void {
		const { sent, testMessages } = this.counts;
		this.counts.before = { sent, testMessages };
	}

	/** What was sent stays sent, but another try of a dry run shows it again. */
	private repeatRun(): void {
		Object.assign(this.counts, this.counts.before);
	}

	/** How many messages in a row were rejected or uncertain, up to the newest one. */
	get failuresInRow(): number {
		return Object.values(this.counts.failures).reduce((sum, count) => sum + count, 0);
	}

	/** Counts how a message ended, or in a dry run how it would. */
	count(outcome: Outcome, message: Message): void {
		const { counts, runIndex } = this;
		const { delivery } = outcome;
		const isSkipped = delivery === 'skipped';
		const isSentElsewhere = isSkipped && outcome.why === ALREADY_SENT;
		const mayHaveArrived = isSentElsewhere || delivery === 'accepted' || delivery === 'uncertain';
		if (mayHaveArrived && this.keepsRecipients) {
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
		const isOfThisRun = runIndex === this.runIndex;
		if (firstItemIndex === undefined || (isOfThisRun && firstItemIndex === itemIndex))
			return undefined;
		// The calls of a tool have no run that anyone could look up.
		const isOtherRun = !isOfThisRun && typeof runIndex === 'number';
		return { firstItemIndex, ...(isOtherRun && { firstRunIndex: runIndex }) };
	}
}
